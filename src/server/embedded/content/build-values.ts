import { type BuildPlan, isVerification } from './build-plan.ts'
import company from './company.json' with { type: 'json' }
import { fillText } from './shapes.ts'

/** What the shapes of a build's attributes and events are filled with. */
export function valuesOf(plan: BuildPlan) {
  const { project, machine, job, failure, requested, toolVersion } = plan
  const { os, jvm, office } = machine
  const [command = '', ...rest] = requested
  const local = job.occasion === 'local'
  const nightly = job.occasion === 'nightly'
  const kotlin = project.language === 'kotlin'
  const values = {
    buildId: plan.buildId,
    startTime: plan.startTime,
    duration: plan.duration,
    project: project.name,
    knownProject: failure?.early === true ? null : project.name,
    toolVersion,
    agentVersion: plan.agentVersion,
    nodejsVersion: toolVersion.startsWith('10.') ? '22.17.0' : '24.9.0',
    requested,
    command,
    arguments: rest,
    projects: project.modules.map((name) => ({ name })),
    firstModule: project.modules[0] ?? '',
    subject: project.subjects[0] ?? 'Main',
    failed: failure !== null,
    // Bazel has a code of its own for failed tests.
    exitCode: failure === null ? 0 : project.tool === 'bazel' && failure.cause === 'test' ? 3 : 1,
    ...(failure !== null && {
      verification: isVerification(failure),
      nonVerification: !isVerification(failure),
      module: failure.module,
      line: failure.line,
      nextLine: failure.line + 1,
      violations: 1 + (failure.line % 9),
      className: failure.test.className,
      testName: failure.test.name,
      assertion:
        failure.test.message ?? `expected: <${failure.line}> but was: <${failure.line + 1}>`,
    }),
    username: plan.username,
    publicHostname: machine.publicHostname,
    localHostname: machine.localHostname,
    ipAddresses: machine.ipAddresses,
    cores: machine.cores,
    maxHeap: machine.maxHeap,
    maxHeapMebibytes: machine.maxHeap / 2 ** 20,
    os,
    osText: `${os.name} ${os.version} (${os.arch})`,
    jvmVendor: jvm.vendor,
    jvmVersion: jvm.version,
    javaVersion: jvm.version.replace(/\+.*/, ''),
    classVersion: jvm.classes,
    language: office.language,
    country: office.country,
    localeName: office.name,
    timeZone: office.timeZone,
    timeZoneOffset: office.offset,
    local,
    onCi: !local,
    nightly,
    releasing: job.occasion === 'release',
    offline: plan.offline,
    buildCache: plan.cache !== 'off',
    configurationCache: kotlin && job.occasion !== 'release',
    daemon: local || project.ci === 'Jenkins',
    isolatedProjects: project.name === 'platform' && local,
    maxWorkers: Math.max(2, machine.cores - (local ? 2 : 0)),
    parallel: kotlin || nightly,
    refreshDependencies: nightly && project.cached === 0,
    excluded: local && requested.includes('check') ? ['spotlessCheck'] : [],
    timeout: plan.flakyTest?.message ?? 'Condition was not fulfilled within 10 seconds.',
    ...customDataOf(plan),
  }
  const failureText = failure === null ? null : fillText(company.messages[failure.cause], values)
  return { ...values, failureText }
}

/** What the shapes of a build are filled with. */
export type BuildValues = ReturnType<typeof valuesOf>

export interface CustomData {
  readonly tags: readonly string[]
  /** Names may repeat. */
  readonly values: readonly Readonly<Record<'name' | 'value', string>>[]
  readonly links: readonly Link[]
}

type Link = Readonly<Record<'label' | 'url', string>>

/** The customary tags, values and links of a build: the same in the attributes and in the events. */
function customDataOf(plan: BuildPlan): CustomData {
  const { project, branch, commit, job, machine } = plan
  const local = job.occasion === 'local'
  const ci = company.ciSystems[project.ci]
  const repository = `https://${ci.host}.acme.example/acme/${project.name}`
  const run = local ? undefined : ciRunOf(plan, repository)
  const values = {
    'Git repository': `${repository}.git`,
    'Git commit id': commit.id,
    'Git branch': branch.name,
    'Git author': commit.author,
    ...(plan.dirty && { 'Git Status': ` M ${changedFile(plan)}` }),
    ...run?.values,
  }
  // A name that repeats, as real builds have.
  const toolchains = project.tool === 'gradle' && project.language === 'java' ? ['17', '21'] : []
  return {
    tags: [
      local ? 'LOCAL' : 'CI',
      branch.name,
      machine.os.name,
      ...(plan.dirty ? ['Dirty'] : []),
      ...(!local && branch.pullRequest !== null ? [`PR-${branch.pullRequest}`] : []),
      ...(job.occasion === 'nightly' ? ['Nightly'] : []),
      ...(local && machine.os.family === 'os x' ? ['IntelliJ IDEA'] : []),
    ],
    values: [
      ...Object.entries(values).map(([name, value]) => ({ name, value })),
      ...toolchains.map((value) => ({ name: 'Java toolchain', value })),
    ],
    links: [
      ...(run === undefined ? [] : [run.link]),
      { label: 'Source', url: `${repository}/tree/${commit.id}` },
    ],
  }
}

/** The run as its system names it. All builds of a commit belong to one run. */
function ciRunOf(
  { project, job, branch, commit, machine }: BuildPlan,
  repository: string,
): { readonly values: Readonly<Record<string, string>>; readonly link: Link } {
  const firstRun = Date.UTC(2024, 0, 8)
  const number = String(Math.max(1, Math.floor((commit.at - firstRun) / 1_200_000)))
  const ofBranch = { main: 'Main', release: 'Release', feature: 'Pull request' }[branch.kind]
  const terms = {
    repository,
    number,
    runId: String(Math.floor(commit.at / 100)),
    project: project.name,
    branch: encodeURIComponent(branch.name),
    job: job.name,
    node: machine.localHostname ?? machine.publicHostname,
    workflow: job.occasion === 'nightly' ? 'Nightly' : ofBranch,
    stage: job.name === 'publish' || job.name === 'deploy' ? 'deploy' : 'test',
  }
  const { values, label, url } = company.ciSystems[project.ci]
  const own = Object.entries(values).map(([name, text]) => [name, fillText(text, terms)] as const)
  return {
    values: { 'CI provider': project.ci, 'CI build number': number, ...Object.fromEntries(own) },
    link: { label, url: fillText(url, terms) },
  }
}

const extensions = { typescript: 'tsx', python: 'py', java: 'java', kotlin: 'kt', scala: 'scala' }

function changedFile({ project: { language, subjects }, commit: { module } }: BuildPlan): string {
  const onJvm = language !== 'typescript' && language !== 'python'
  const folder = onJvm ? `${module}/src/main/${language}` : `src/${module}`
  return `${folder}/${subjects[0] ?? 'Main'}.${extensions[language]}`
}
