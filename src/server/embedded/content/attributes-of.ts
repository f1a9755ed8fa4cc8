import type { Attributes } from '../../../protocol/attributes.ts'
import type { BuildPlan } from './build-plan.ts'
import { customDataOf } from './custom-data.ts'
import { exitCodeOf } from './exit-code.ts'
import { isVerification } from './failure.ts'
import { gradleOptionsOf } from './gradle-options.ts'
import { jvmEnvironment } from './jvm-attributes.ts'

/**
 * What the build data API says of a build: the attributes model of its tool with the names that real
 * servers use (docs/services.md#build-attributes).
 */
export function attributesOf(plan: BuildPlan): Attributes {
  return { ...shared(plan), ...ofTool(plan) }
}

function shared(plan: BuildPlan): Attributes {
  const { tags, values, links } = customDataOf(plan)
  const { failure } = plan
  return {
    id: plan.buildId,
    buildStartTime: plan.startTime,
    buildDuration: plan.duration,
    hasFailed: failure !== null,
    ...(failure === null
      ? {}
      : {
          hasVerificationFailure: isVerification(failure),
          hasNonVerificationFailure: !isVerification(failure),
        }),
    tags: [...tags],
    values: [...values],
    links: [...links],
  }
}

function ofTool(plan: BuildPlan): Attributes {
  switch (plan.project.tool) {
    case 'gradle':
      return gradle(plan)
    case 'maven':
      return maven(plan)
    case 'bazel':
      return bazel(plan)
    case 'sbt':
      return sbt(plan)
    case 'npm':
      return npm(plan)
    case 'python':
      return python(plan)
  }
}

function gradle(plan: BuildPlan): Attributes {
  const options = gradleOptionsOf(plan)
  return {
    gradleVersion: plan.toolVersion,
    pluginVersion: plan.agentVersion,
    rootProjectName: plan.failure?.early === true ? null : plan.project.name,
    requestedTasks: [...plan.requested],
    develocitySettings: captured(plan),
    buildOptions: {
      buildCacheEnabled: options.buildCache,
      configurationCacheEnabled: options.configurationCache,
      configurationOnDemandEnabled: false,
      continuousBuildEnabled: false,
      continueOnFailureEnabled: options.continueOnFailure,
      daemonEnabled: options.daemon,
      dryRunEnabled: false,
      excludedTasks: options.excluded,
      fileSystemWatchingEnabled: options.fileSystemWatching,
      isolatedProjectsEnabled: options.isolatedProjects,
      maxNumberOfGradleWorkers: options.maxWorkers,
      offlineModeEnabled: options.offline,
      parallelProjectExecutionEnabled: options.parallel,
      refreshDependenciesEnabled: options.refreshDependencies,
      rerunTasksEnabled: false,
    },
    environment: jvmEnvironment(plan.username, plan.machine),
  }
}

function maven(plan: BuildPlan): Attributes {
  const ci = plan.job.occasion !== 'local'
  return {
    mavenVersion: plan.toolVersion,
    extensionVersion: plan.agentVersion,
    topLevelProjectName: plan.project.name,
    requestedGoals: [...plan.requested],
    develocitySettings: captured(plan),
    buildOptions: {
      batchModeEnabled: ci,
      debugEnabled: false,
      errorsEnabled: ci,
      failAtEndEnabled: false,
      failFastEnabled: true,
      failNeverEnabled: false,
      laxChecksumsEnabled: false,
      maxNumberOfThreads: 1,
      nonRecursiveEnabled: false,
      noSnapshotsUpdatesEnabled: !ci,
      offlineModeEnabled: plan.offline,
      quietEnabled: false,
      rerunGoals: false,
      strictChecksumsEnabled: plan.job.occasion === 'release',
      updateSnapshotsEnabled: plan.job.occasion === 'nightly',
    },
    environment: jvmEnvironment(plan.username, plan.machine),
  }
}

function sbt(plan: BuildPlan): Attributes {
  const local = plan.job.occasion === 'local'
  return {
    sbtVersion: plan.toolVersion,
    pluginVersion: plan.agentVersion,
    rootProjectName: plan.project.name,
    requestedCommands: [...plan.requested],
    develocitySettings: {
      backgroundPublicationEnabled: local,
      buildOutputCapturingEnabled: true,
      resourceUsageCapturingEnabled: true,
    },
    buildOptions: {
      useCoursierEnabled: true,
      offlineModeEnabled: plan.offline,
      turboEnabled: true,
      parallelExecutionEnabled: true,
      semanticDbScalacPluginEnabled: local,
      interactiveModeEnabled: local,
    },
    environment: jvmEnvironment(plan.username, plan.machine),
  }
}

function bazel(plan: BuildPlan): Attributes {
  return {
    ...plainPlace(plan),
    bazelVersion: plan.toolVersion,
    command: plan.job.command ?? 'build',
    targetPatterns: [...plan.requested],
    moduleName: plan.project.name,
    workspaceName: `_main_${plan.project.name}`,
  }
}

function npm(plan: BuildPlan): Attributes {
  const [command = '', ...words] = plan.requested
  return {
    ...plainPlace(plan),
    nodejsVersion: plan.toolVersion.startsWith('10.') ? '22.17.0' : '24.9.0',
    npmVersion: plan.toolVersion,
    npmAgentVersion: plan.agentVersion,
    command: { command, arguments: words },
    packageName: plan.project.name,
  }
}

function python(plan: BuildPlan): Attributes {
  return {
    ...plainPlace(plan),
    pythonVersion: plan.toolVersion,
    pythonAgentVersion: plan.agentVersion,
    command: plan.requested.join(' '),
    projectName: plan.project.name,
  }
}

/** Person, machine and result as the tools that do not run on a JVM have them. */
function plainPlace(plan: BuildPlan): Attributes {
  return {
    user: plan.username,
    host: plan.machine.publicHostname,
    exitCode: exitCodeOf(plan),
  }
}

function captured({ job }: BuildPlan): Record<string, boolean> {
  return {
    backgroundPublicationEnabled: job.occasion === 'local',
    buildOutputCapturingEnabled: true,
    fileFingerprintCapturingEnabled: job.occasion !== 'local',
    testOutputCapturingEnabled: true,
    resourceUsageCapturingEnabled: true,
  }
}
