import type { BuildPlan } from './build-plan.ts'

/** What a continuous integration system says of the run that a build is part of. */
export interface CiRun {
  readonly values: readonly (readonly [name: string, value: string])[]
  readonly link: { readonly label: string; readonly url: string }
}

/**
 * The run as its system names it: the custom values that are customary for each of them. All builds
 * of a commit belong to one run.
 */
export function ciRunOf(plan: BuildPlan): CiRun {
  const { project, job, branch, commit } = plan
  const number = String(Math.max(1, Math.floor((commit.at - firstRun) / 1_200_000)))
  const runId = String(Math.floor(commit.at / 100))
  switch (project.ci) {
    case 'GitHub Actions':
      return {
        values: [
          ['CI provider', 'GitHub Actions'],
          ['CI workflow', workflowOf(plan)],
          ['CI job', job.name],
          ['CI run', runId],
          ['CI build number', number],
        ],
        link: {
          label: 'GitHub Actions build',
          url: `${github}/${project.name}/actions/runs/${runId}`,
        },
      }
    case 'Jenkins':
      return {
        values: [
          ['CI provider', 'Jenkins'],
          ['CI build number', number],
          ['CI node', plan.machine.localHostname ?? plan.machine.publicHostname],
          ['CI job', `${project.name}/${encodeURIComponent(branch.name)}`],
          ['CI stage', job.name],
        ],
        link: {
          label: 'Jenkins build',
          url: `https://jenkins.acme.example/job/${project.name}/job/${encodeURIComponent(branch.name)}/${number}/`,
        },
      }
    case 'GitLab':
      return {
        values: [
          ['CI provider', 'GitLab'],
          ['CI job', job.name],
          ['CI stage', job.name === 'publish' || job.name === 'deploy' ? 'deploy' : 'test'],
          ['CI build number', number],
        ],
        link: {
          label: 'GitLab pipeline',
          url: `https://gitlab.acme.example/acme/${project.name}/-/pipelines/${runId}`,
        },
      }
  }
}

const github = 'https://github.acme.example/acme'

const firstRun = Date.UTC(2024, 0, 8)

function workflowOf({ job, branch }: BuildPlan): string {
  if (job.occasion === 'nightly') return 'Nightly'
  if (branch.kind === 'release') return 'Release'
  return branch.kind === 'main' ? 'Main' : 'Pull request'
}
