import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import type { AssistContext } from './assist/completion.ts'
import { complete } from './complete.ts'
import { parse } from './parse.ts'

const seen = new Map([
  ['user', ['ada', 'Bob']],
  ['project', ['checkout', 'my shop', 'shop']],
  ['tag', ['CI', 'PR-12', 'main']],
  ['requested', ['clean build', ':app:test']],
  ['buildTool', ['maven', 'gradle']],
  ['gradle.environment.numberOfCpuCores', ['8', '16']],
  ['value', ['Git branch', 'run']],
  ['value git branch', ['main', 'release/1.0']],
  ['value run', ['17']],
])

/** Just past midnight in Berlin. */
const context: AssistContext = {
  now: Date.parse('2026-11-20T23:30:00Z'),
  timeZone: 'Europe/Berlin',
  values: (field, pairName) => {
    const key = pairName === undefined ? field : `${field} ${pairName.toLowerCase()}`
    return (seen.get(key) ?? []).map((value, index) => ({ value, count: 9 - index }))
  },
}

/** What a text with the caret as `|` becomes by each completion, the caret again as `|`. */
function completed(written: string, known: AssistContext = context): string[] {
  const pos = written.indexOf('|')
  const text = written.replace('|', '')
  return complete(text, pos, known).map(({ from, to, insert, caret = from + insert.length }) => {
    const result = text.slice(0, from) + insert + text.slice(to)
    return `${result.slice(0, caret)}|${result.slice(caret)}`
  })
}

/** What is written, and what is offered, in this order; behind `…` there may be more. */
const table: readonly (readonly [string, readonly string[]])[] = [
  ['|', ['not |', 'user:|', 'hostname:|', 'project:|', '…']],
  [
    'u|',
    [
      'user:|',
      'maven.buildOptions.updateSnapshotsEnabled|',
      'sbt.buildOptions.useCoursierEnabled|',
      'gradle.platformSettings.resourceUsageCapturingEnabled|',
      '…',
    ],
  ],
  [
    'us|',
    [
      'user:|',
      'sbt.buildOptions.useCoursierEnabled|',
      'gradle.platformSettings.resourceUsageCapturingEnabled|',
      'maven.platformSettings.resourceUsageCapturingEnabled|',
      '…',
    ],
  ],
  ['user|', ['user:|', 'user:*|']],
  [
    'us|er',
    [
      'user:|',
      'sbt.buildOptions.useCoursierEnabled|',
      'gradle.platformSettings.resourceUsageCapturingEnabled|',
      'maven.platformSettings.resourceUsageCapturingEnabled|',
      '…',
    ],
  ],
  [
    'use|r:ada',
    [
      'user|:ada',
      'sbt.buildOptions.useCoursierEnabled|:ada',
      'gradle.platformSettings.resourceUsageCapturingEnabled|:ada',
      'maven.buildOptions.updateSnapshotsEnabled|:ada',
      '…',
    ],
  ],
  ['user|:ada', ['user|:ada']],
  ['|user:ada', ['user|:ada', 'hostname|:ada', 'project|:ada', 'requested|:ada', '…']],
  ['USER|', ['user:|']],
  [
    'pro|',
    ['project:|', 'npm.projectName:|', 'python.projectName:|', 'gradle.rootProjectName:|', '…'],
  ],
  [
    'proj|',
    ['project:|', 'npm.projectName:|', 'python.projectName:|', 'gradle.rootProjectName:|', '…'],
  ],
  ['project|', ['project:|', 'project:*|', 'npm.projectName:|', 'python.projectName:|', '…']],
  ['projct|', ['project:projct|']],
  ['nosuch|', ['project:nosuch|']],
  [
    'jvm|',
    [
      'gradle.environment.jvmCharset:|',
      'gradle.environment.jvmLocale:|',
      'gradle.environment.jvmVersion:|',
      'gradle.environment.jvmMaxMemoryHeapSize>|',
      '…',
    ],
  ],
  [
    'jvmV|',
    [
      'gradle.environment.jvmVersion:|',
      'maven.environment.jvmVersion:|',
      'sbt.environment.jvmVersion:|',
    ],
  ],
  [
    'JVMv|',
    [
      'gradle.environment.jvmVersion:|',
      'maven.environment.jvmVersion:|',
      'sbt.environment.jvmVersion:|',
    ],
  ],
  ['nodeV|', ['npm.environment.nodeVersion:|']],
  [
    'version|',
    [
      'buildToolVersion:|',
      'gradle.pluginVersion:|',
      'gradle.environment.jreVersion:|',
      'gradle.environment.jvmVersion:|',
      '…',
    ],
  ],
  [
    'cores|',
    [
      'gradle.environment.numberOfCpuCores>|',
      'maven.environment.numberOfCpuCores>|',
      'sbt.environment.numberOfCpuCores>|',
      'npm.environment.numberOfCpuCores>|',
      'python.environment.numberOfCpuCores>|',
    ],
  ],
  ['cce|', ['gradle.buildOptions.configurationCacheEnabled|']],
  ['conCaE|', ['gradle.buildOptions.configurationCacheEnabled|']],
  [
    'buildO|',
    [
      'buildOutcome:|',
      'gradle.buildOptions.buildCacheEnabled|',
      'gradle.buildOptions.configurationCacheEnabled|',
      'gradle.buildOptions.configurationOnDemandEnabled|',
      '…',
    ],
  ],
  [
    'buildOptions.d|',
    [
      'gradle.buildOptions.daemonEnabled|',
      'gradle.buildOptions.dryRunEnabled|',
      'maven.buildOptions.debugEnabled|',
    ],
  ],
  [
    'gradle.b|',
    [
      'gradle.buildCache.hasError|',
      'gradle.buildCache.local.enabled|',
      'gradle.buildCache.remote.enabled|',
      'gradle.buildCache.remote.pushEnabled|',
      '…',
    ],
  ],
  ['gradle.environment.o|', ['gradle.environment.operatingSystem:|']],
  [
    'maven|',
    [
      'buildTool:maven|',
      'maven.extensionVersion:|',
      'maven.requestedGoals:|',
      'maven.topLevelProjectName:|',
      'maven.buildCache.hasError|',
      '…',
    ],
  ],
  [
    'platform|',
    [
      'gradle.platformSettings.backgroundPublicationEnabled|',
      'gradle.platformSettings.buildOutputCapturingEnabled|',
      'gradle.platformSettings.testOutputCapturingEnabled|',
      'gradle.platformSettings.fileFingerprintCapturingEnabled|',
      '…',
    ],
  ],
  [
    'develocity|',
    [
      'gradle.develocitySettings.backgroundPublicationEnabled|',
      'gradle.develocitySettings.buildOutputCapturingEnabled|',
      'gradle.develocitySettings.testOutputCapturingEnabled|',
      'gradle.develocitySettings.fileFingerprintCapturingEnabled|',
      '…',
    ],
  ],
  ['rootP|', ['gradle.rootProjectName:|', 'sbt.rootProjectName:|']],
  ['tag|', ['tag:|', 'tag:*|']],
  ['value|', ['value:|', 'value:*|']],
  ['buildTool|', ['buildTool:|', 'buildTool:*|', 'buildToolVersion:|']],
  [
    'buildDuration|',
    ['buildDuration>|', 'buildDuration>=|', 'buildDuration<|', 'buildDuration<=|', '…'],
  ],
  ['buildDuration|>5m', ['buildDuration|>5m']],
  [
    'buildStartTime|',
    ['buildStartTime>|', 'buildStartTime>=|', 'buildStartTime<|', 'buildStartTime<=|', '…'],
  ],
  ['hasV|', ['hasVerificationFailure|', 'hasNonVerificationFailure|']],
  [
    'hasVerificationFailure|',
    [
      'hasVerificationFailure|',
      'hasVerificationFailure:true|',
      'hasVerificationFailure:false|',
      'hasVerificationFailure:*|',
      'hasNonVerificationFailure|',
    ],
  ],
  [
    'hasVerificationFailure|:true',
    ['hasVerificationFailure|:true', 'hasNonVerificationFailure|:true'],
  ],
  [
    'gradle.buildOptions.daemonEnabled|',
    [
      'gradle.buildOptions.daemonEnabled|',
      'gradle.buildOptions.daemonEnabled:true|',
      'gradle.buildOptions.daemonEnabled:false|',
      'gradle.buildOptions.daemonEnabled:*|',
    ],
  ],
  [
    'gradle.environment.numberOfCpuCores|',
    [
      'gradle.environment.numberOfCpuCores>|',
      'gradle.environment.numberOfCpuCores>=|',
      'gradle.environment.numberOfCpuCores<|',
      'gradle.environment.numberOfCpuCores<=|',
      '…',
    ],
  ],
  [
    'gradle.environment.jvmMaxMemoryHeapSize|',
    [
      'gradle.environment.jvmMaxMemoryHeapSize>|',
      'gradle.environment.jvmMaxMemoryHeapSize>=|',
      'gradle.environment.jvmMaxMemoryHeapSize<|',
      'gradle.environment.jvmMaxMemoryHeapSize<=|',
      '…',
    ],
  ],
  ['tag:a |', ['tag:a and |', 'tag:a or |', 'tag:a not |', 'tag:a user:|', '…']],
  ['tag:a  |', ['tag:a  and |', 'tag:a  or |', 'tag:a  not |', 'tag:a  user:|', '…']],
  [
    'tag:a o|',
    [
      'tag:a or |',
      'tag:a gradle.buildOptions.offlineModeEnabled|',
      'tag:a gradle.configurationCache.outcome:|',
      'tag:a gradle.environment.operatingSystem:|',
      '…',
    ],
  ],
  [
    'tag:a O|',
    [
      'tag:a or |',
      'tag:a gradle.buildOptions.offlineModeEnabled|',
      'tag:a gradle.configurationCache.outcome:|',
      'tag:a gradle.environment.operatingSystem:|',
      '…',
    ],
  ],
  [
    'tag:a a|',
    [
      'tag:a and |',
      'tag:a npm.agentVersion:|',
      'tag:a python.agentVersion:|',
      'tag:a maven.buildOptions.failAtEndEnabled|',
    ],
  ],
  [
    'tag:a n|',
    [
      'tag:a not |',
      'tag:a npm.agentVersion:|',
      'tag:a npm.requestedCommands:|',
      'tag:a npm.projectName:|',
      '…',
    ],
  ],
  [
    'tag:a or|',
    [
      'tag:a or |',
      'tag:a gradle.buildOptions.dryRunEnabled|',
      'tag:a gradle.buildOptions.refreshDependenciesEnabled|',
      'tag:a gradle.buildOptions.rerunTasksEnabled|',
      '…',
    ],
  ],
  [
    'tag:a or |',
    ['tag:a or not |', 'tag:a or user:|', 'tag:a or hostname:|', 'tag:a or project:|', '…'],
  ],
  [
    'tag:a or u|',
    [
      'tag:a or user:|',
      'tag:a or maven.buildOptions.updateSnapshotsEnabled|',
      'tag:a or sbt.buildOptions.useCoursierEnabled|',
      'tag:a or gradle.platformSettings.resourceUsageCapturingEnabled|',
      '…',
    ],
  ],
  [
    'tag:a and |',
    ['tag:a and not |', 'tag:a and user:|', 'tag:a and hostname:|', 'tag:a and project:|', '…'],
  ],
  [
    'tag:a and n|',
    [
      'tag:a and not |',
      'tag:a and npm.agentVersion:|',
      'tag:a and npm.requestedCommands:|',
      'tag:a and npm.projectName:|',
      '…',
    ],
  ],
  [
    'tag:a not |',
    [
      'tag:a not user:|',
      'tag:a not hostname:|',
      'tag:a not project:|',
      'tag:a not requested:|',
      '…',
    ],
  ],
  ['not |', ['not user:|', 'not hostname:|', 'not project:|', 'not requested:|', '…']],
  [
    'not u|',
    [
      'not user:|',
      'not maven.buildOptions.updateSnapshotsEnabled|',
      'not sbt.buildOptions.useCoursierEnabled|',
      'not gradle.platformSettings.resourceUsageCapturingEnabled|',
      '…',
    ],
  ],
  [
    'no|t tag:a',
    [
      'not| tag:a',
      'maven.buildOptions.nonRecursiveEnabled| tag:a',
      'maven.buildOptions.noSnapshotUpdatesEnabled| tag:a',
      'npm.environment.nodeVersion:| tag:a',
      '…',
    ],
  ],
  [
    'tag:a an|d tag:b',
    [
      'tag:a and| tag:b',
      'tag:a gradle.buildOptions.configurationOnDemandEnabled| tag:b',
      'tag:a sbt.buildOptions.semanticDbScalacPluginEnabled| tag:b',
      'tag:a npm.requestedCommands:| tag:b',
      'tag:a python.requestedCommands:| tag:b',
    ],
  ],
  [
    'tag:a o|r tag:b',
    [
      'tag:a or| tag:b',
      'tag:a gradle.buildOptions.offlineModeEnabled| tag:b',
      'tag:a gradle.configurationCache.outcome:| tag:b',
      'tag:a gradle.environment.operatingSystem:| tag:b',
      '…',
    ],
  ],
  [
    'tag:a or| tag:b',
    [
      'tag:a or| tag:b',
      'tag:a gradle.buildOptions.dryRunEnabled| tag:b',
      'tag:a gradle.buildOptions.refreshDependenciesEnabled| tag:b',
      'tag:a gradle.buildOptions.rerunTasksEnabled| tag:b',
      '…',
    ],
  ],
  [
    'tag:a | tag:b',
    ['tag:a and| tag:b', 'tag:a or| tag:b', 'tag:a not| tag:b', 'tag:a user:| tag:b', '…'],
  ],
  [
    'tag:a |tag:b',
    ['tag:a user|:b', 'tag:a hostname|:b', 'tag:a project|:b', 'tag:a requested|:b', '…'],
  ],
  ['-|', ['-user:|', '-hostname:|', '-project:|', '-requested:|', '…']],
  [
    '-t|',
    [
      '-tag:|',
      '-gradle.platformSettings.testOutputCapturingEnabled|',
      '-maven.topLevelProjectName:|',
      '-maven.platformSettings.testOutputCapturingEnabled|',
      '…',
    ],
  ],
  [
    '-us|er:ada',
    [
      '-user|:ada',
      '-sbt.buildOptions.useCoursierEnabled|:ada',
      '-gradle.platformSettings.resourceUsageCapturingEnabled|:ada',
      '-maven.platformSettings.resourceUsageCapturingEnabled|:ada',
      '…',
    ],
  ],
  ['!|', ['!user:|', '!hostname:|', '!project:|', '!requested:|', '…']],
  [
    '!has|',
    [
      '!hasVerificationFailure|',
      '!hasNonVerificationFailure|',
      '!gradle.buildCache.hasError|',
      '!maven.buildCache.hasError|',
    ],
  ],
  [
    'tag:a -|',
    ['tag:a -user:|', 'tag:a -hostname:|', 'tag:a -project:|', 'tag:a -requested:|', '…'],
  ],
  [
    'tag:a -u|',
    [
      'tag:a -user:|',
      'tag:a -maven.buildOptions.updateSnapshotsEnabled|',
      'tag:a -sbt.buildOptions.useCoursierEnabled|',
      'tag:a -gradle.platformSettings.resourceUsageCapturingEnabled|',
      '…',
    ],
  ],
  ['(|', ['(not |', '(user:|', '(hostname:|', '(project:|', '…']],
  [
    '(u|',
    [
      '(user:|',
      '(maven.buildOptions.updateSnapshotsEnabled|',
      '(sbt.buildOptions.useCoursierEnabled|',
      '(gradle.platformSettings.resourceUsageCapturingEnabled|',
      '…',
    ],
  ],
  ['(|)', ['(not |)', '(user:|)', '(hostname:|)', '(project:|)', '…']],
  ['(tag:a |', ['(tag:a and |', '(tag:a or |', '(tag:a not |', '(tag:a user:|', '…']],
  ['(tag:a |)', ['(tag:a and |)', '(tag:a or |)', '(tag:a not |)', '(tag:a user:|)', '…']],
  ['(tag:a)|', []],
  ['(tag:a) |', ['(tag:a) and |', '(tag:a) or |', '(tag:a) not |', '(tag:a) user:|', '…']],
  [
    '(tag:a)(|',
    ['(tag:a)(not |', '(tag:a)(user:|', '(tag:a)(hostname:|', '(tag:a)(project:|', '…'],
  ],
  ['-(|', ['-(not |', '-(user:|', '-(hostname:|', '-(project:|', '…']],
  ['tag:|', ['tag:CI|', 'tag:PR-12|', 'tag:main|', 'tag:*|']],
  ['tag: |', ['tag: and |', 'tag: or |', 'tag: not |', 'tag: user:|', '…']],
  ['tag:c|', ['tag:CI|']],
  ['tag:C|', ['tag:CI|']],
  ['tag:CI|', ['tag:CI|']],
  ['tag:C|I', ['tag:CI|']],
  ['tag:|CI', ['tag:CI|', 'tag:PR-12|', 'tag:main|', 'tag:*|']],
  ['tag:i|', ['tag:CI|', 'tag:main|']],
  ['tag:-|', ['tag:PR-12|']],
  ['tag:"|', ['tag:CI|', 'tag:PR-12|', 'tag:main|', 'tag:*|']],
  ['tag:"C|', ['tag:CI|']],
  ['tag:"C|"', ['tag:CI|']],
  ['tag:"CI|"', ['tag:CI|']],
  ['tag:"CI"|', []],
  ['tag:"CI"| tag:b', []],
  ['tag:*|', []],
  ['tag:C*|', []],
  ['tag:x|', []],
  ['tag:C| tag:b', ['tag:CI| tag:b']],
  ['(tag:C|)', ['(tag:CI|)']],
  ['tag:C|(tag:b)', ['tag:CI|(tag:b)']],
  ['project:my|', ['project:"my shop"|']],
  ['project:"my s|', ['project:"my shop"|']],
  ['project:"my s|hop"', ['project:"my shop"|']],
  ['project:"my s| tag:CI', ['project:"my shop"| tag:CI']],
  ['project:my" "s|', ['project:"my shop"|']],
  ['project:sho|', ['project:shop|', 'project:"my shop"|']],
  ['requested:|', ['requested:"clean build"|', 'requested:":app:test"|', 'requested:*|']],
  ['requested::a|', ['requested:":app:test"|']],
  ['requested:\\:a|', ['requested:":app:test"|']],
  ['user:B|', ['user:Bob|']],
  ['nosuch:|', []],
  [
    'buildTool:|',
    ['buildTool:maven|', 'buildTool:gradle|', 'buildTool:bazel|', 'buildTool:sbt|', '…'],
  ],
  ['buildTool:g|', ['buildTool:gradle|']],
  ['buildTool:p|', ['buildTool:python|', 'buildTool:npm|']],
  ['buildOutcome:|', ['buildOutcome:succeeded|', 'buildOutcome:failed|', 'buildOutcome:*|']],
  ['buildOutcome:f|', ['buildOutcome:failed|']],
  [
    'gradle.configurationCache.outcome:|',
    [
      'gradle.configurationCache.outcome:hit|',
      'gradle.configurationCache.outcome:miss|',
      'gradle.configurationCache.outcome:failed|',
      'gradle.configurationCache.outcome:*|',
    ],
  ],
  ['value:|', ['value:"Git branch=|"', 'value:run=|', 'value:*|']],
  ['value:g|', ['value:"Git branch=|"']],
  ['value:"|', ['value:"Git branch=|"', 'value:run=|', 'value:*|']],
  ['value:"Git |', ['value:"Git branch=|"']],
  ['value:"Git |"', ['value:"Git branch=|"']],
  ['value:"Git branch|"', ['value:"Git branch=|"']],
  ['value:"Git branch=|', ['value:"Git branch=main"|', 'value:"Git branch=release/1.0"|']],
  ['value:"Git branch=|"', ['value:"Git branch=main"|', 'value:"Git branch=release/1.0"|']],
  ['value:"Git branch=r|', ['value:"Git branch=release/1.0"|']],
  ['value:"Git branch=ma|in"', ['value:"Git branch=main"|']],
  ['value:"Git br|anch=main"', ['value:"Git branch=|"']],
  ['value:"git branch=m|"', ['value:"git branch=main"|']],
  ['value:run=|', ['value:run=17|']],
  ['value:run=1|', ['value:run=17|']],
  ['value:nosuch=|', []],
  ['value:"Git branch"=|', ['value:"Git branch=main"|', 'value:"Git branch=release/1.0"|']],
  [
    'buildDuration:|',
    ['buildDuration:30s|', 'buildDuration:1m|', 'buildDuration:5m|', 'buildDuration:30m|', '…'],
  ],
  [
    'buildDuration>|',
    ['buildDuration>30s|', 'buildDuration>1m|', 'buildDuration>5m|', 'buildDuration>30m|', '…'],
  ],
  [
    'buildDuration:>|',
    ['buildDuration:>30s|', 'buildDuration:>1m|', 'buildDuration:>5m|', 'buildDuration:>30m|', '…'],
  ],
  [
    'buildDuration>=|',
    ['buildDuration>=30s|', 'buildDuration>=1m|', 'buildDuration>=5m|', 'buildDuration>=30m|', '…'],
  ],
  ['buildDuration>5|', []],
  ['buildDuration>5m|', []],
  [
    'buildDuration>|5m',
    ['buildDuration>30s|', 'buildDuration>1m|', 'buildDuration>5m|', 'buildDuration>30m|', '…'],
  ],
  [
    'buildDuration:[|',
    ['buildDuration:[30s|', 'buildDuration:[1m|', 'buildDuration:[5m|', 'buildDuration:[30m|', '…'],
  ],
  [
    'buildDuration:[|]',
    [
      'buildDuration:[30s|]',
      'buildDuration:[1m|]',
      'buildDuration:[5m|]',
      'buildDuration:[30m|]',
      '…',
    ],
  ],
  ['buildDuration:[1m |', ['buildDuration:[1m to |']],
  ['buildDuration:[1m |]', ['buildDuration:[1m to |]']],
  ['buildDuration:[1m t|', ['buildDuration:[1m to |']],
  ['buildDuration:[1m to|', ['buildDuration:[1m to |']],
  [
    'buildDuration:[1m to |',
    ['buildDuration:[1m to 1m|', 'buildDuration:[1m to 5m|', 'buildDuration:[1m to 30m|', '…'],
  ],
  [
    'buildDuration:[1m to |]',
    ['buildDuration:[1m to 1m|]', 'buildDuration:[1m to 5m|]', 'buildDuration:[1m to 30m|]', '…'],
  ],
  ['buildDuration:[| to 45s]', ['buildDuration:[30s| to 45s]']],
  [
    'project:x buildDuration:[1h to |] tag:a',
    ['project:x buildDuration:[1h to 1h|] tag:a', 'project:x buildDuration:[1h to 1h30m|] tag:a'],
  ],
  ['buildDuration:[1m to 5m|]', []],
  ['buildDuration:[1m to 5m|', []],
  ['buildDuration:[1m to 5m |', []],
  ['buildDuration:[1m to 5m]|', []],
  [
    'buildStartTime:|',
    ['buildStartTime:2026-11-21|', 'buildStartTime:2026-11-20|', 'buildStartTime:[-7d to -1d]|'],
  ],
  [
    'buildStartTime>|',
    [
      'buildStartTime>-1h|',
      'buildStartTime>-1d|',
      'buildStartTime>-7d|',
      'buildStartTime>-30d|',
      '…',
    ],
  ],
  [
    'buildStartTime>-|',
    ['buildStartTime>-1h|', 'buildStartTime>-1d|', 'buildStartTime>-7d|', 'buildStartTime>-30d|'],
  ],
  ['buildStartTime>-7|', ['buildStartTime>-7d|']],
  ['buildStartTime>-7d|', ['buildStartTime>-7d|']],
  ['buildStartTime>to|', ['buildStartTime>2026-11-21|']],
  ['buildStartTime:y|', ['buildStartTime:2026-11-20|']],
  ['buildStartTime:2026-|', ['buildStartTime:2026-11-21|', 'buildStartTime:2026-11-20|']],
  [
    'buildStartTime:[|',
    [
      'buildStartTime:[-1h|',
      'buildStartTime:[-1d|',
      'buildStartTime:[-7d|',
      'buildStartTime:[-30d|',
      '…',
    ],
  ],
  [
    'buildStartTime:[-7d to |]',
    [
      'buildStartTime:[-7d to -1h|]',
      'buildStartTime:[-7d to -1d|]',
      'buildStartTime:[-7d to -7d|]',
      '…',
    ],
  ],
  [
    'gradle.environment.jvmMaxMemoryHeapSize>|',
    [
      'gradle.environment.jvmMaxMemoryHeapSize>512mi|',
      'gradle.environment.jvmMaxMemoryHeapSize>1gi|',
      'gradle.environment.jvmMaxMemoryHeapSize>1g|',
      'gradle.environment.jvmMaxMemoryHeapSize>4gi|',
    ],
  ],
  ['gradle.environment.jvmMaxMemoryHeapSize>1|', []],
  [
    'gradle.environment.numberOfCpuCores:|',
    ['gradle.environment.numberOfCpuCores:8|', 'gradle.environment.numberOfCpuCores:16|'],
  ],
  ['gradle.environment.numberOfCpuCores:1|', []],
  [
    'gradle.environment.numberOfCpuCores:[|',
    ['gradle.environment.numberOfCpuCores:[8|', 'gradle.environment.numberOfCpuCores:[16|'],
  ],
  [
    'gradle.buildOptions.daemonEnabled:|',
    [
      'gradle.buildOptions.daemonEnabled:true|',
      'gradle.buildOptions.daemonEnabled:false|',
      'gradle.buildOptions.daemonEnabled:*|',
    ],
  ],
  ['gradle.buildOptions.daemonEnabled:f|', ['gradle.buildOptions.daemonEnabled:false|']],
  ['gradle.buildOptions.daemonEnabled:x|', []],
  ['user>|', []],
  [
    'maven.pluginVersion:1 jvmVersion|',
    [
      'maven.pluginVersion:1 maven.environment.jvmVersion:|',
      'maven.pluginVersion:1 gradle.environment.jvmVersion:|',
      'maven.pluginVersion:1 sbt.environment.jvmVersion:|',
    ],
  ],
  [
    'buildTool:sbt jvmVersion|',
    [
      'buildTool:sbt sbt.environment.jvmVersion:|',
      'buildTool:sbt gradle.environment.jvmVersion:|',
      'buildTool:sbt maven.environment.jvmVersion:|',
    ],
  ],
  [
    'buildTool:npm environment.|',
    [
      'buildTool:npm npm.environment.nodeVersion:|',
      'buildTool:npm npm.environment.nodeLocale:|',
      'buildTool:npm npm.environment.operatingSystem:|',
      'buildTool:npm npm.environment.numberOfCpuCores>|',
      '…',
    ],
  ],
  ['hello-w|', ['project:hello-w|']],
  ['checkout failed|', ['project:checkout buildOutcome:failed|', '…']],
  ['checkout fai|led', ['project:checkout buildOutcome:failed|', '…']],
  ['tag:a main |', ['tag:a main and |', '…']],
  ['tag:a main|', ['tag:a value:"Git branch=main"|', '…']],

  ['tag:a)|', []],
  ['tag:a) |', ['tag:a) and |', 'tag:a) or |', 'tag:a) not |', 'tag:a) user:|', '…']],
  [
    'develocity|',
    [
      'gradle.develocitySettings.backgroundPublicationEnabled|',
      'gradle.develocitySettings.buildOutputCapturingEnabled|',
      'gradle.develocitySettings.testOutputCapturingEnabled|',
      'gradle.develocitySettings.fileFingerprintCapturingEnabled|',
      '…',
    ],
  ],
  [
    'gradle.develocityS|',
    [
      'gradle.develocitySettings.backgroundPublicationEnabled|',
      'gradle.develocitySettings.buildOutputCapturingEnabled|',
      'gradle.develocitySettings.testOutputCapturingEnabled|',
      'gradle.develocitySettings.fileFingerprintCapturingEnabled|',
      'gradle.develocitySettings.resourceUsageCapturingEnabled|',
    ],
  ],
  [
    'maven.develocitySettings.buildCacheEnabled|',
    [
      'maven.develocitySettings.buildCacheEnabled|',
      'maven.develocitySettings.buildCacheEnabled:true|',
      'maven.develocitySettings.buildCacheEnabled:false|',
      'maven.develocitySettings.buildCacheEnabled:*|',
    ],
  ],
  [
    'gradle.develocitySettings.|',
    [
      'gradle.develocitySettings.backgroundPublicationEnabled|',
      'gradle.develocitySettings.buildOutputCapturingEnabled|',
      'gradle.develocitySettings.testOutputCapturingEnabled|',
      'gradle.develocitySettings.fileFingerprintCapturingEnabled|',
      'gradle.develocitySettings.resourceUsageCapturingEnabled|',
    ],
  ],
  [
    'deve|',
    [
      'gradle.develocitySettings.backgroundPublicationEnabled|',
      'gradle.develocitySettings.buildOutputCapturingEnabled|',
      'gradle.develocitySettings.testOutputCapturingEnabled|',
      'gradle.develocitySettings.fileFingerprintCapturingEnabled|',
      '…',
    ],
  ],
  ['tag:a]|', []],
  // A quote that is left open ends before the next field.
  ['project:"my s tag:C|', ['project:"my s tag:CI|']],
  ['user:a |-tag:ci', ['user:a and |-tag:ci', '…']],
  ['|-tag:ci', ['not |-tag:ci', 'user:| -tag:ci', '…']],
  ['(tag:a)|user:b', ['(tag:a)user|:b', '(tag:a)hostname|:b', '…']],
]

test.each(table)('%s', (written, expected) => {
  const offered = completed(written)
  const last = expected.at(-1)
  expect(last === '…' ? [...offered.slice(0, expected.length - 1), last] : offered).toEqual(
    expected,
  )
})

describe('a completion', () => {
  test('is a value, or says what a field is', () => {
    expect(complete('tag:c', 5, context)).toEqual([
      { label: 'CI', insert: 'CI', kind: 'value', from: 4, to: 5 },
    ])
    expect(complete('hostn', 5)[0]).toEqual({
      label: 'hostname',
      insert: 'hostname:',
      kind: 'field',
      detail: 'text',
      info: 'Public hostname of the build machine',
      from: 0,
      to: 5,
    })
  })

  test('needs to know nothing but the text', () => {
    expect(completed('tag:|', {})).toEqual(['tag:*|'])
    expect(completed('buildStartTime:|', {})).toEqual(['buildStartTime:[-7d to -1d]|'])
  })

  test('takes the query where it is parsed already', () => {
    expect(complete(parse('tag:c'), 5, context)).toEqual(complete('tag:c', 5, context))
  })

  test('leaves out the fields that the release of the server does not have', () => {
    const offered = (serverRelease: string): boolean =>
      completed('npm.|', { serverRelease }).includes('npm.projectName:|')
    expect(offered('2024.3')).toBe(false)
    expect(offered('2024.3.1')).toBe(true)
    expect(offered('2025.1')).toBe(true)
    expect(offered('unheard of')).toBe(true)
  })

  test('never offers a field that is retired', () => {
    expect(completed('rootProjectName|')).not.toContain('rootProjectName:|')
    // Only as a word without a field.
    expect(completed('InputFiles|')).toEqual(['project:InputFiles|'])
  })

  test('of 10,000 values shows the first hundred that fit', () => {
    const values = Array.from({ length: 10_000 }, (_, n) => ({ value: `v${n}`, count: 1 }))
    const offered = completed('tag:v9|', { values: () => values })
    expect(offered).toHaveLength(100)
    expect(offered[0]).toBe('tag:v9|')
  })

  test('replaces a stretch that holds the position, whatever the text', () => {
    const letters = fc.constantFrom(...'tag:a()"*\\-![]<>= '.split(''), 'value:', 'to ', 'or ', '"')
    const text = fc.string({ unit: letters, maxLength: 40 })
    fc.assert(
      fc.property(text, fc.nat(80), (written, nat) => {
        const pos = nat % (written.length + 1)
        const strays = complete(written, pos, context).filter(
          ({ from, to, insert, caret = 0 }) =>
            from > pos || to < pos || to > written.length || caret > from + insert.length,
        )
        expect(strays).toEqual([])
      }),
      { numRuns: runs(1000) },
    )
  })

  test('of a value leaves a query without faults, and itself to be offered again', () => {
    const value = fc.string({ minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(value, (text) => {
        const values = (): { value: string; count: number }[] => [{ value: text, count: 1 }]
        const [offered] = complete('tag: project:x', 4, { values })
        const result = `tag:${offered?.insert ?? ''} project:x`
        expect(parse(result).faults).toEqual([])
        expect(parse(result).root).toMatchObject({ type: 'and', operands: { length: 2 } })
      }),
    )
  })
})
