import type { BuildPlan } from './build-plan.ts'
import { ciRunOf } from './ci-run.ts'

/** What a company adds to its builds: the same in the attributes and in the events. */
export interface CustomData {
  readonly tags: readonly string[]
  /** Names may repeat. */
  readonly values: readonly { readonly name: string; readonly value: string }[]
  readonly links: readonly { readonly label: string; readonly url: string }[]
}

/** The customary tags, values and links of a build. */
export function customDataOf(plan: BuildPlan): CustomData {
  const { project, branch, commit, job, machine } = plan
  const run = job.occasion === 'local' ? null : ciRunOf(plan)
  const repository = `https://${project.ci === 'GitLab' ? 'gitlab' : 'github'}.acme.example/acme/${project.name}`
  const values = [
    ['Git repository', `${repository}.git`] as const,
    ['Git commit id', commit.id] as const,
    ['Git branch', branch.name] as const,
    ...(plan.dirty ? [['Git Status', ` M ${changedFile(plan)}`] as const] : []),
    ...(run?.values ?? []),
    ...toolchains(plan),
  ]
  return {
    tags: [
      run === null ? 'LOCAL' : 'CI',
      branch.name,
      machine.os.name,
      ...(plan.dirty ? ['Dirty'] : []),
      ...(run !== null && branch.pullRequest !== null ? [`PR-${branch.pullRequest}`] : []),
      ...(job.occasion === 'nightly' ? ['Nightly'] : []),
      ...(run === null && machine.os.family === 'os x' ? ['IntelliJ IDEA'] : []),
    ],
    values: values.map(([name, value]) => ({ name, value })),
    links: [
      ...(run === null ? [] : [run.link]),
      { label: 'Source', url: `${repository}/tree/${commit.id}` },
    ],
  }
}

/** A name that repeats, as real builds have. */
function toolchains({ project }: BuildPlan): (readonly [string, string])[] {
  if (project.tool !== 'gradle' || project.language !== 'java') return []
  return [
    ['Java toolchain', '17'],
    ['Java toolchain', '21'],
  ]
}

function changedFile({ project, commit }: BuildPlan): string {
  const subject = project.subjects[0] ?? 'Main'
  switch (project.language) {
    case 'typescript':
      return `src/${commit.module}/${subject}.tsx`
    case 'python':
      return `src/${commit.module}/${subject.toLowerCase()}.py`
    case 'java':
      return `${commit.module}/src/main/java/${subject}.java`
    case 'kotlin':
      return `${commit.module}/src/main/kotlin/${subject}.kt`
    case 'scala':
      return `${commit.module}/src/main/scala/${subject}.scala`
  }
}
