import type { Attributes } from '../../../protocol/build-data.ts'
import { type BuildPlan, isVerification } from './build-plan.ts'

/**
 * What the build data API has of a build: the attributes model of its tool with the names that real
 * servers use (docs/services.md#build-attributes).
 */
export function attributesOf(plan: BuildPlan): Attributes {
  const { failure } = plan
  return {
    id: plan.buildId,
    buildStartTime: plan.startTime,
    buildDuration: plan.duration,
    hasFailed: failure !== null,
    ...(failure !== null && {
      hasVerificationFailure: isVerification(failure),
      hasNonVerificationFailure: !isVerification(failure),
    }),
    ...customDataOf(plan),
    ...ofTool(plan),
  }
}

function ofTool(plan: BuildPlan): Attributes {
  const { project, toolVersion, agentVersion, requested, machine, job } = plan
  const local = job.occasion === 'local'
  const plain = { user: plan.username, host: machine.publicHostname, exitCode: exitCodeOf(plan) }
  const jvm = { develocitySettings: captured(local), environment: jvmEnvironment(plan) }
  switch (project.tool) {
    case 'gradle':
      return {
        gradleVersion: toolVersion,
        pluginVersion: agentVersion,
        rootProjectName: plan.failure?.early === true ? null : project.name,
        requestedTasks: [...requested],
        buildOptions: gradleOptionNames(gradleOptionsOf(plan)),
        ...jvm,
      }
    case 'maven':
      return {
        mavenVersion: toolVersion,
        extensionVersion: agentVersion,
        topLevelProjectName: project.name,
        requestedGoals: [...requested],
        buildOptions: {
          batchModeEnabled: !local,
          debugEnabled: false,
          errorsEnabled: !local,
          failAtEndEnabled: false,
          failFastEnabled: true,
          failNeverEnabled: false,
          laxChecksumsEnabled: false,
          maxNumberOfThreads: 1,
          nonRecursiveEnabled: false,
          noSnapshotsUpdatesEnabled: local,
          offlineModeEnabled: plan.offline,
          quietEnabled: false,
          rerunGoals: false,
          strictChecksumsEnabled: job.occasion === 'release',
          updateSnapshotsEnabled: job.occasion === 'nightly',
        },
        ...jvm,
      }
    case 'sbt':
      return {
        sbtVersion: toolVersion,
        pluginVersion: agentVersion,
        rootProjectName: project.name,
        requestedCommands: [...requested],
        buildOptions: {
          useCoursierEnabled: true,
          offlineModeEnabled: plan.offline,
          turboEnabled: true,
          parallelExecutionEnabled: true,
          semanticDbScalacPluginEnabled: local,
          interactiveModeEnabled: local,
        },
        ...jvm,
      }
    case 'bazel':
      return {
        ...plain,
        bazelVersion: toolVersion,
        command: requested[0] ?? 'build',
        targetPatterns: requested.slice(1),
        moduleName: project.name,
        workspaceName: `_main_${project.name}`,
      }
    case 'npm':
      return {
        ...plain,
        nodejsVersion: toolVersion.startsWith('10.') ? '22.17.0' : '24.9.0',
        npmVersion: toolVersion,
        npmAgentVersion: agentVersion,
        command: { command: requested[0] ?? '', arguments: requested.slice(1) },
        packageName: project.name,
      }
    case 'python':
      return {
        ...plain,
        pythonVersion: toolVersion,
        pythonAgentVersion: agentVersion,
        command: requested.join(' '),
        projectName: project.name,
      }
  }
}

/** The code with which the tool's process ends: Bazel tells failed tests from a failed build. */
export function exitCodeOf({ project, failure }: BuildPlan): number {
  if (failure === null) return 0
  return project.tool === 'bazel' && failure.cause === 'test' ? 3 : 1
}

function captured(local: boolean): Record<string, boolean> {
  return {
    backgroundPublicationEnabled: local,
    buildOutputCapturingEnabled: true,
    fileFingerprintCapturingEnabled: !local,
    testOutputCapturingEnabled: true,
    resourceUsageCapturingEnabled: true,
  }
}

/** What every JVM here reports of itself. */
export const jvmNames = {
  runtimeName: 'OpenJDK Runtime Environment',
  vmName: 'OpenJDK 64-Bit Server VM',
  vmInfo: 'mixed mode, sharing',
  charset: 'UTF-8',
} as const

function jvmEnvironment({ username, machine }: BuildPlan): Record<string, unknown> {
  const { os, jvm, locale } = machine
  return {
    username,
    operatingSystem: `${os.name} ${os.version} (${os.arch})`,
    numberOfCpuCores: machine.cores,
    jreVersion: `${jvm.vendor} ${jvmNames.runtimeName} ${jvm.runtime}`,
    jvmVersion: `${jvm.vendor} ${jvmNames.vmName} ${jvm.runtime} (${jvmNames.vmInfo})`,
    jvmMaxMemoryHeapSize: machine.maxHeap,
    jvmCharset: jvmNames.charset,
    jvmLocale: locale[2],
    publicHostname: machine.publicHostname,
    localHostname: machine.localHostname,
    localIpAddresses: machine.ipAddresses,
  }
}

/** The switches of a Gradle build, which attributes and events name differently. */
export interface GradleOptions {
  readonly buildCache: boolean
  readonly configurationCache: boolean
  readonly continueOnFailure: boolean
  readonly daemon: boolean
  readonly local: boolean
  readonly isolatedProjects: boolean
  readonly maxWorkers: number
  readonly offline: boolean
  readonly parallel: boolean
  readonly refreshDependencies: boolean
  readonly excluded: readonly string[]
}

/** The switches that follow from who builds what and where. */
export function gradleOptionsOf(plan: BuildPlan): GradleOptions {
  const { project, job, machine } = plan
  const local = job.occasion === 'local'
  const nightly = job.occasion === 'nightly'
  return {
    buildCache: plan.cache !== 'off',
    configurationCache: project.language === 'kotlin' && job.occasion !== 'release',
    continueOnFailure: nightly,
    daemon: local || project.ci === 'Jenkins',
    local,
    isolatedProjects: project.name === 'platform' && local,
    maxWorkers: Math.max(2, machine.cores - (local ? 2 : 0)),
    offline: plan.offline,
    parallel: project.language === 'kotlin' || nightly,
    refreshDependencies: nightly && project.cached === 0,
    excluded: local && plan.requested.includes('check') ? ['spotlessCheck'] : [],
  }
}

function gradleOptionNames(options: GradleOptions): Record<string, unknown> {
  return {
    buildCacheEnabled: options.buildCache,
    configurationCacheEnabled: options.configurationCache,
    configurationOnDemandEnabled: false,
    continuousBuildEnabled: false,
    continueOnFailureEnabled: options.continueOnFailure,
    daemonEnabled: options.daemon,
    dryRunEnabled: false,
    excludedTasks: options.excluded,
    fileSystemWatchingEnabled: options.local,
    isolatedProjectsEnabled: options.isolatedProjects,
    maxNumberOfGradleWorkers: options.maxWorkers,
    offlineModeEnabled: options.offline,
    parallelProjectExecutionEnabled: options.parallel,
    refreshDependenciesEnabled: options.refreshDependencies,
    rerunTasksEnabled: false,
  }
}

interface CustomData {
  readonly tags: string[]
  /** Names may repeat. */
  readonly values: Record<'name' | 'value', string>[]
  readonly links: Link[]
}

type Link = Record<'label' | 'url', string>

/** The customary tags, values and links of a build: the same in the attributes and in the events. */
export function customDataOf(plan: BuildPlan): CustomData {
  const { project, branch, commit, job, machine } = plan
  const local = job.occasion === 'local'
  const host = project.ci === 'GitLab' ? 'gitlab' : 'github'
  const repository = `https://${host}.acme.example/acme/${project.name}`
  const run = local ? undefined : ciRunOf(plan, repository)
  const values = {
    'Git repository': `${repository}.git`,
    'Git commit id': commit.id,
    'Git branch': branch.name,
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
  const runId = String(Math.floor(commit.at / 100))
  const shared = { 'CI provider': project.ci, 'CI build number': number }
  switch (project.ci) {
    case 'GitHub Actions': {
      const ofBranch = { main: 'Main', release: 'Release', feature: 'Pull request' }[branch.kind]
      const workflow = job.occasion === 'nightly' ? 'Nightly' : ofBranch
      return {
        values: { ...shared, 'CI workflow': workflow, 'CI job': job.name, 'CI run': runId },
        link: { label: 'GitHub Actions build', url: `${repository}/actions/runs/${runId}` },
      }
    }
    case 'Jenkins': {
      const branchName = encodeURIComponent(branch.name)
      const node = machine.localHostname ?? machine.publicHostname
      const name = `${project.name}/${branchName}`
      const url = `https://jenkins.acme.example/job/${project.name}/job/${branchName}/${number}/`
      return {
        values: { ...shared, 'CI node': node, 'CI job': name, 'CI stage': job.name },
        link: { label: 'Jenkins build', url },
      }
    }
    case 'GitLab': {
      const stage = job.name === 'publish' || job.name === 'deploy' ? 'deploy' : 'test'
      return {
        values: { ...shared, 'CI job': job.name, 'CI stage': stage },
        link: { label: 'GitLab pipeline', url: `${repository}/-/pipelines/${runId}` },
      }
    }
  }
}

const sourceFiles = {
  typescript: ['src/', 'tsx'],
  python: ['src/', 'py'],
  java: ['', 'java'],
  kotlin: ['', 'kt'],
  scala: ['', 'scala'],
} as const

function changedFile({ project, commit }: BuildPlan): string {
  const [folder, extension] = sourceFiles[project.language]
  const inside = folder === '' ? `src/main/${project.language}/` : ''
  return `${folder}${commit.module}/${inside}${project.subjects[0] ?? 'Main'}.${extension}`
}
