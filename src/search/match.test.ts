import { describe, expect, test } from 'vitest'
import type { Facts } from '../protocol/facts.ts'
import { type Answer, compile } from './match.ts'
import { parse } from './parse.ts'

const now = Date.parse('2026-11-20T10:00:00Z')

/** A build of which only its announcement is known, and what is given. */
function build(known: Partial<Facts> = {}): Facts {
  return {
    buildId: 'abcdefghijk23',
    receivedAt: now,
    buildTool: 'gradle',
    buildToolVersion: '8.5',
    agentVersion: '3.17',
    ...known,
  }
}

function answer(query: string, facts: Facts, timeZone = 'Europe/Berlin'): Answer {
  return compile(parse(query), { now, timeZone })(facts)
}

function at(time: string): number {
  return Date.parse(time)
}

type Row = readonly [query: string, known: Partial<Facts>, expected: Answer]

function rows(name: string, table: readonly Row[], timeZone?: string): void {
  describe(name, () => {
    test.each(table)('%s of %j: %s', (query, known, expected) => {
      expect(answer(query, build(known), timeZone)).toBe(expected)
    })
  })
}

rows('a text', [
  ['user:ada', { user: 'ada' }, 'yes'],
  ['user:ADA', { user: 'ada' }, 'yes'],
  // ς is σ at the end of a word.
  ['user:ΟΔΥΣΣΕΥΣ', { user: 'οδυσσευς' }, 'yes'],
  ['user:οδυσσευσ', { user: 'ΟΔΥΣΣΕΥΣ' }, 'yes'],
  ['user:οδυς*', { user: 'ΟΔΥΣΣΕΥΣ' }, 'yes'],
  ['user:*ΕΥΣ', { user: 'Οδυσσευς' }, 'yes'],
  // An empty user is in the group of builds without one, and its link finds both.
  ['(not user:* or user:"")', { user: '' }, 'yes'],
  ['(not user:* or user:"")', { user: null }, 'yes'],
  ['user:ada', { user: 'Ada' }, 'yes'],
  ['user:ada', { user: 'adam' }, 'no'],
  ['user:ada*', { user: 'adam' }, 'yes'],
  ['user:*dam', { user: 'adam' }, 'yes'],
  ['user:*d*', { user: 'adam' }, 'yes'],
  ['user:a*m', { user: 'adam' }, 'yes'],
  ['user:a*x', { user: 'adam' }, 'no'],
  ['user:"a*m"', { user: 'adam' }, 'yes'],
  ['user:a\\*m', { user: 'adam' }, 'no'],
  ['user:a\\*m', { user: 'a*m' }, 'yes'],
  ['user:"Ada Lovelace"', { user: 'ada lovelace' }, 'yes'],
  ['user:Ada" "Lovelace', { user: 'ada lovelace' }, 'yes'],
  ['user:""', { user: '' }, 'yes'],
  ['user:""', { user: 'ada' }, 'no'],
  ['user:ada', {}, 'unknown'],
  ['user:ada', { user: null }, 'no'],
  ['user:*', { user: 'ada' }, 'yes'],
  ['user:*', { user: null }, 'no'],
  ['user:*', {}, 'unknown'],
  ['hostname:agent-?', { hostname: 'agent-1' }, 'no'],
  ['hostname:agent.1', { hostname: 'agent-1' }, 'no'],
  ['hostname:agent-*', { hostname: 'agent-1' }, 'yes'],
  ['project:checkout', { project: 'checkout' }, 'yes'],
  ['project:checkout', { project: 'checkout-ui' }, 'no'],
  ['rootProjectName:checkout', { project: 'checkout' }, 'yes'],
  ['buildTool:gradle', {}, 'yes'],
  ['buildTool:GRADLE', {}, 'yes'],
  ['buildTool:maven', {}, 'no'],
  ['buildTool:*a*', { buildTool: 'bazel' }, 'yes'],
  ['buildToolVersion:8.5', {}, 'yes'],
  ['buildToolVersion:8.*', {}, 'yes'],
  ['buildToolVersion:8', {}, 'no'],
  ['buildOutcome:failed', { outcome: 'failed' }, 'yes'],
  ['buildOutcome:FAILED', { outcome: 'failed' }, 'yes'],
  ['buildOutcome:failed', { outcome: 'succeeded' }, 'no'],
  ['buildOutcome:failed', { outcome: null }, 'no'],
  ['buildOutcome:failed', {}, 'unknown'],
  ['buildOutcome:*', { outcome: 'succeeded' }, 'yes'],
])

rows('a list', [
  ['tag:CI', { tags: ['CI'] }, 'yes'],
  ['tag:ci', { tags: ['Linux', 'CI'] }, 'yes'],
  ['tag:CI', { tags: ['Linux'] }, 'no'],
  ['tag:CI', { tags: [] }, 'no'],
  ['tag:CI', {}, 'unknown'],
  ['tag:*', { tags: ['CI'] }, 'yes'],
  ['tag:*', { tags: [] }, 'no'],
  ['tag:*', {}, 'unknown'],
  ['tag:PR-*', { tags: ['CI', 'PR-12'] }, 'yes'],
  ['tag:"tag 1"', { tags: ['tag 1'] }, 'yes'],
  ['tag:"CI Linux"', { tags: ['CI', 'Linux'] }, 'no'],
  ['tag:CI*Linux', { tags: ['CI', 'Linux'] }, 'no'],
  ['requested:test', { requested: ['clean', 'test'] }, 'yes'],
  ['requested:"clean test"', { requested: ['clean', 'test'] }, 'yes'],
  ['requested:clean*test', { requested: ['clean', 'build', 'test'] }, 'yes'],
  ['requested:"* test"', { requested: ['clean', 'test'] }, 'yes'],
  ['requested:"*n t*"', { requested: ['clean', 'test'] }, 'yes'],
  ['requested:"clean test"', { requested: ['clean test'] }, 'yes'],
  ['requested:"test clean"', { requested: ['clean', 'test'] }, 'no'],
  ['requested:cleantest', { requested: ['clean', 'test'] }, 'no'],
  ['requested:\\:app\\:compile', { requested: [':app:compile'] }, 'yes'],
  ['requested::app:compile', { requested: [':app:compile'] }, 'yes'],
  ['requested:"*quarantinedTest*"', { requested: [':core:quarantinedTest'] }, 'yes'],
  ['requested:test', { requested: [] }, 'no'],
  ['requested:*', { requested: [] }, 'no'],
  ['requested:test', {}, 'unknown'],
])

const branch = (value: string): Partial<Facts> => ({ values: [{ name: 'Git branch', value }] })

rows('a custom value', [
  ['value:"Git branch=main"', branch('main'), 'yes'],
  ['value:"git BRANCH=Main"', branch('main'), 'yes'],
  ['value:"Git branch"=main', branch('main'), 'yes'],
  ['value:"Git branch=dev"', branch('main'), 'no'],
  ['value:"Git branch=release/*"', branch('release/1.0'), 'yes'],
  ['value:"Git*=main"', branch('main'), 'yes'],
  ['value:*=main', branch('main'), 'yes'],
  ['value:"Git branch=*"', branch('main'), 'yes'],
  ['value:"Git branch=*"', branch(''), 'yes'],
  ['value:"Git branch="', branch(''), 'yes'],
  ['value:"Git branch="', branch('main'), 'no'],
  ['value:"CI run=*"', branch('main'), 'no'],
  ['value:"Git branch=a=b"', branch('a=b'), 'yes'],
  [
    'value:k=v',
    {
      values: [
        { name: 'k', value: 'x' },
        { name: 'k', value: 'v' },
      ],
    },
    'yes',
  ],
  [
    'value:k=v',
    {
      values: [
        { name: 'k', value: 'x' },
        { name: 'j', value: 'v' },
      ],
    },
    'no',
  ],
  ['value:k=v', { values: [] }, 'no'],
  ['value:k=v', {}, 'unknown'],
  ['value:*', branch('main'), 'yes'],
  ['value:*', { values: [] }, 'no'],
  ['value:*', {}, 'unknown'],
])

const minute = 60_000

rows('a duration', [
  ['buildDuration>5m', { durationMs: 5 * minute + 1 }, 'yes'],
  ['buildDuration>5m', { durationMs: 5 * minute }, 'no'],
  ['buildDuration:>5m', { durationMs: 6 * minute }, 'yes'],
  ['buildDuration>=5m', { durationMs: 5 * minute }, 'yes'],
  ['buildDuration<5m', { durationMs: 5 * minute }, 'no'],
  ['buildDuration<5m', { durationMs: 0 }, 'yes'],
  ['buildDuration<=5m', { durationMs: 5 * minute }, 'yes'],
  ['buildDuration:5m', { durationMs: 5 * minute }, 'yes'],
  ['buildDuration:5m', { durationMs: 5 * minute + 1 }, 'no'],
  ['buildDuration:300s', { durationMs: 5 * minute }, 'yes'],
  ['buildDuration:PT5M', { durationMs: 5 * minute }, 'yes'],
  ['buildDuration>1h30m', { durationMs: 91 * minute }, 'yes'],
  ['buildDuration:[1m to 2m]', { durationMs: minute }, 'yes'],
  ['buildDuration:[1m to 2m]', { durationMs: 2 * minute }, 'yes'],
  ['buildDuration:[1m to 2m]', { durationMs: 2 * minute + 1 }, 'no'],
  ['buildDuration:[1m to 2m]', { durationMs: 59_999 }, 'no'],
  ['buildDuration>5m', {}, 'unknown'],
  ['buildDuration>5m', { durationMs: null }, 'no'],
  ['buildDuration<5m', { durationMs: null }, 'no'],
  ['buildDuration:*', { durationMs: null }, 'no'],
  ['buildDuration:*', { durationMs: 1 }, 'yes'],
])

rows('a start time, in Berlin', [
  ['buildStartTime>-7d', { startTime: at('2026-11-13T10:00:00.001Z') }, 'yes'],
  ['buildStartTime>-7d', { startTime: at('2026-11-13T10:00:00Z') }, 'no'],
  ['buildStartTime>=-7d', { startTime: at('2026-11-13T10:00:00Z') }, 'yes'],
  ['buildStartTime<-1d', { startTime: at('2026-11-19T09:59:59Z') }, 'yes'],
  ['buildStartTime<-1d', { startTime: at('2026-11-19T10:00:00Z') }, 'no'],
  ['buildStartTime:[-7d to -1d]', { startTime: at('2026-11-15T00:00:00Z') }, 'yes'],
  ['buildStartTime:[-7d to -1d]', { startTime: at('2026-11-20T00:00:00Z') }, 'no'],
  ['buildStartTime:2026-11-19', { startTime: at('2026-11-18T23:00:00Z') }, 'yes'],
  ['buildStartTime:2026-11-19', { startTime: at('2026-11-19T22:59:59.999Z') }, 'yes'],
  ['buildStartTime:2026-11-19', { startTime: at('2026-11-19T23:00:00Z') }, 'no'],
  ['buildStartTime:2026-11-19', { startTime: at('2026-11-18T22:59:59Z') }, 'no'],
  ['buildStartTime:2026-11-19T10:30', { startTime: at('2026-11-19T09:30:59.999Z') }, 'yes'],
  ['buildStartTime:2026-11-19T10:30', { startTime: at('2026-11-19T09:31:00Z') }, 'no'],
  ['buildStartTime:2026-11-19T10:30:00', { startTime: at('2026-11-19T09:30:00.999Z') }, 'yes'],
  ['buildStartTime:2026-11-19T10:30:00', { startTime: at('2026-11-19T09:30:01Z') }, 'no'],
  ['buildStartTime:2026-11-19T10:30Z', { startTime: at('2026-11-19T10:30:30Z') }, 'yes'],
  ['buildStartTime>2026-11-19', { startTime: at('2026-11-18T23:00:00Z') }, 'no'],
  ['buildStartTime>2026-11-19', { startTime: at('2026-11-18T23:00:01Z') }, 'yes'],
  ['buildStartTime>=2026-11-19T10:00+01:00', { startTime: at('2026-11-19T09:00:00Z') }, 'yes'],
  ['buildStartTime<2026-11-19T10:00-0500', { startTime: at('2026-11-19T14:59:59Z') }, 'yes'],
  ['buildStartTime:[2026-11-01 to 2026-11-19]', { startTime: at('2026-11-18T23:00:00Z') }, 'yes'],
  ['buildStartTime:[2026-11-01 to 2026-11-19]', { startTime: at('2026-11-18T23:00:01Z') }, 'no'],
  ['buildStartTime>-7d', {}, 'unknown'],
  ['buildStartTime>-7d', { startTime: null }, 'no'],
  ['buildStartTime:*', { startTime: now }, 'yes'],
  // The day on which the clocks go back has 25 hours, the one on which they go forward 23.
  ['buildStartTime:2026-10-25', { startTime: at('2026-10-24T22:00:00Z') }, 'yes'],
  ['buildStartTime:2026-10-25', { startTime: at('2026-10-25T22:59:59Z') }, 'yes'],
  ['buildStartTime:2026-10-25', { startTime: at('2026-10-25T23:00:00Z') }, 'no'],
  ['buildStartTime:2026-03-29', { startTime: at('2026-03-28T23:00:00Z') }, 'yes'],
  ['buildStartTime:2026-03-29', { startTime: at('2026-03-29T21:59:59Z') }, 'yes'],
  ['buildStartTime:2026-03-29', { startTime: at('2026-03-29T22:00:00Z') }, 'no'],
])

rows(
  'a start time, in Tokyo',
  [
    ['buildStartTime:2026-11-19', { startTime: at('2026-11-18T15:00:00Z') }, 'yes'],
    ['buildStartTime:2026-11-19', { startTime: at('2026-11-19T15:00:00Z') }, 'no'],
    ['buildStartTime>=2026-11-19T10:00Z', { startTime: at('2026-11-19T09:59:59Z') }, 'no'],
  ],
  'Asia/Tokyo',
)

const daemon = 'gradle.buildOptions.daemonEnabled'
const workers = 'gradle.buildOptions.maxNumberOfGradleWorkers'
const heap = 'gradle.environment.jvmMaxMemoryHeapSize'

rows('a field of one tool', [
  [daemon, { fields: { [daemon]: true } }, 'yes'],
  [daemon, { fields: { [daemon]: false } }, 'no'],
  [daemon, { fields: { [daemon]: null } }, 'no'],
  [daemon, { fields: {} }, 'unknown'],
  [daemon, {}, 'unknown'],
  [`${daemon}:true`, { fields: { [daemon]: true } }, 'yes'],
  [`${daemon}:TRUE`, { fields: { [daemon]: true } }, 'yes'],
  [`${daemon}:false`, { fields: { [daemon]: false } }, 'yes'],
  [`${daemon}:false`, { fields: { [daemon]: null } }, 'no'],
  [`${daemon}:*`, { fields: { [daemon]: false } }, 'yes'],
  [`${daemon}:*`, { fields: { [daemon]: null } }, 'no'],
  [`!${daemon}`, { fields: { [daemon]: true } }, 'no'],
  [`!${daemon}`, { fields: { [daemon]: false } }, 'yes'],
  [`!${daemon}`, { fields: { [daemon]: null } }, 'yes'],
  [`!${daemon}`, {}, 'unknown'],
  [`!${daemon}:*`, { fields: { [daemon]: null } }, 'yes'],
  [`!${daemon}:*`, { fields: { [daemon]: true } }, 'no'],
  [`!${daemon}:*`, {}, 'unknown'],
  [daemon, { buildTool: 'maven', fields: { [daemon]: true } }, 'no'],
  [daemon, { buildTool: 'maven' }, 'no'],
  [`-${daemon}`, { buildTool: 'maven' }, 'yes'],
  [`${daemon}:*`, { buildTool: 'maven' }, 'no'],
  [`${workers}:8`, { fields: { [workers]: 8 } }, 'yes'],
  [`${workers}:8.0`, { fields: { [workers]: 8 } }, 'yes'],
  [`${workers}>8`, { fields: { [workers]: 8 } }, 'no'],
  [`${workers}:[4 to 8]`, { fields: { [workers]: 8 } }, 'yes'],
  [`${workers}<7.5`, { fields: { [workers]: 7 } }, 'yes'],
  [`${workers}>1`, { fields: { [workers]: null } }, 'no'],
  [`${workers}>1`, {}, 'unknown'],
  [`${heap}:2gi`, { fields: { [heap]: 2 ** 31 } }, 'yes'],
  [`${heap}:2GiB`, { fields: { [heap]: 2 ** 31 } }, 'yes'],
  [`${heap}>2g`, { fields: { [heap]: 2 ** 31 } }, 'yes'],
  [`${heap}<512m`, { fields: { [heap]: 2 ** 31 } }, 'no'],
  [`${heap}:[1g to 3g]`, { fields: { [heap]: 2 ** 31 } }, 'yes'],
  [`${heap}:2147483648`, { fields: { [heap]: 2 ** 31 } }, 'yes'],
  [
    'gradle.environment.operatingSystem:"Linux*"',
    { fields: { 'gradle.environment.operatingSystem': 'Linux 6.1' } },
    'yes',
  ],
  [
    'gradle.configurationCache.outcome:hit',
    { fields: { 'gradle.configurationCache.outcome': 'HIT' } },
    'yes',
  ],
  [
    'gradle.configurationCache.outcome:*',
    { fields: { 'gradle.configurationCache.outcome': null } },
    'no',
  ],
  [
    'gradle.develocitySettings.testOutputCapturingEnabled',
    { fields: { 'gradle.platformSettings.testOutputCapturingEnabled': true } },
    'yes',
  ],
  [
    'gradle.platformSettings.testOutputCapturingEnabled',
    { fields: { 'gradle.platformSettings.testOutputCapturingEnabled': true } },
    'yes',
  ],
])

rows('a field that repeats a generic one', [
  ['gradle.requestedTasks:test', { requested: ['clean', 'test'] }, 'yes'],
  ['gradle.requestedTasks:"clean test"', { requested: ['clean', 'test'] }, 'yes'],
  [
    'gradle.requestedTasks:test',
    { requested: ['x'], fields: { 'gradle.requestedTasks': 'test' } },
    'yes',
  ],
  [
    'gradle.requestedTasks:x',
    { requested: ['x'], fields: { 'gradle.requestedTasks': 'test' } },
    'no',
  ],
  [
    'gradle.requestedTasks:test',
    { requested: ['test'], fields: { 'gradle.requestedTasks': null } },
    'no',
  ],
  ['gradle.requestedTasks:test', {}, 'unknown'],
  ['gradle.requestedTasks:test', { buildTool: 'maven', requested: ['test'] }, 'no'],
  ['maven.requestedGoals:verify', { buildTool: 'maven', requested: ['verify'] }, 'yes'],
  ['bazel.requestedTargets:"//app/..."', { buildTool: 'bazel', requested: ['//app/...'] }, 'yes'],
  ['sbt.requestedTasks:compile', { buildTool: 'sbt', requested: ['compile'] }, 'yes'],
  ['npm.requestedCommands:"run build"', { buildTool: 'npm', requested: ['run build'] }, 'yes'],
  ['python.requestedCommands:pytest', { buildTool: 'python', requested: ['pytest'] }, 'yes'],
  ['gradle.rootProjectName:shop', { project: 'shop' }, 'yes'],
  ['gradle.rootProjectName:shop', { project: null }, 'no'],
  [
    'maven.topLevelProjectName:"Apache Ozone Main"',
    { buildTool: 'maven', project: 'Apache Ozone Main' },
    'yes',
  ],
  ['npm.projectName:web', { buildTool: 'npm', project: 'web' }, 'yes'],
  ['python.projectName:web', { buildTool: 'npm', project: 'web' }, 'no'],
  ['gradle.pluginVersion:3.17', {}, 'yes'],
  ['gradle.pluginVersion:3.*', { fields: { 'gradle.pluginVersion': '4.0' } }, 'no'],
  ['maven.extensionVersion:1.2', { buildTool: 'maven', agentVersion: '1.2' }, 'yes'],
  ['npm.agentVersion:1.2', { buildTool: 'npm', agentVersion: '1.2' }, 'yes'],
])

rows('the kind of a failure', [
  ['hasVerificationFailure', { outcome: 'failed', hasVerificationFailure: true }, 'yes'],
  ['hasVerificationFailure', { outcome: 'failed', hasVerificationFailure: false }, 'no'],
  ['hasVerificationFailure', { outcome: 'failed' }, 'unknown'],
  ['hasVerificationFailure', { outcome: 'succeeded' }, 'no'],
  ['hasVerificationFailure:false', { outcome: 'succeeded', hasVerificationFailure: false }, 'yes'],
  ['!hasVerificationFailure', { outcome: 'succeeded' }, 'yes'],
  ['hasNonVerificationFailure:*', { outcome: 'succeeded' }, 'no'],
  ['hasNonVerificationFailure', { hasNonVerificationFailure: true }, 'yes'],
])

test.each([
  ['-user:*', {}],
  ['not user:alice', { user: null }],
  ['-hostname:ci-*', {}],
  ['-project:shop -tag:CI -value:a=b', {}],
  ['!gradle.buildOptions.daemonEnabled:*', { fields: {} }],
  ['-buildDuration>1h', {}],
  ['-(user:alice or buildOutcome:failed)', {}],
  [`-${workers}:8`, { fields: { [workers]: 'eight' } }],
])('where an absent fact means none, %s is true of a build with %j', (query, known) => {
  const compiled = compile(parse(query), { now, timeZone: 'UTC', absent: 'none' })
  expect(compiled(build(known))).toBe('yes')
  expect(
    compile(parse(`-(${query})`), { now, timeZone: 'UTC', absent: 'none' })(build(known)),
  ).toBe('no')
})

rows('and, or, not', [
  ['', {}, 'yes'],
  ['   ', {}, 'yes'],
  ['project:a tag:b', { project: 'a', tags: ['b'] }, 'yes'],
  ['project:a and tag:b', { project: 'a', tags: [] }, 'no'],
  ['project:a tag:b', { project: 'a' }, 'unknown'],
  ['project:a tag:b', { project: 'x' }, 'no'],
  ['project:a or tag:b', { project: 'a' }, 'yes'],
  ['project:a or tag:b', { project: 'x' }, 'unknown'],
  ['project:a or tag:b', { project: 'x', tags: [] }, 'no'],
  ['-project:a', { project: 'a' }, 'no'],
  ['-project:a', { project: 'x' }, 'yes'],
  ['-project:a', { project: null }, 'yes'],
  ['-project:a', {}, 'unknown'],
  ['not project:a', { project: 'x' }, 'yes'],
  ['!project:a', { project: 'x' }, 'yes'],
  ['--project:a', { project: 'a' }, 'yes'],
  ['-tag:a', { tags: [] }, 'yes'],
  ['-(tag:a or tag:b)', { tags: ['b'] }, 'no'],
  ['-(tag:a and tag:b)', { tags: ['b'] }, 'yes'],
  ['tag:a or tag:b and project:x', { tags: ['a'], project: 'y' }, 'yes'],
  ['tag:a or tag:b project:x', { tags: ['b'], project: 'y' }, 'no'],
  ['(tag:a or tag:b) and project:x', { tags: ['a'], project: 'y' }, 'no'],
  ['tag:a AND tag:b OR tag:c', { tags: ['c'] }, 'yes'],
  ['user:dylan or not (tag:CI and value:"Git branch=master")', { user: 'x', tags: [] }, 'yes'],
])

rows('what cannot be read', [
  ['nosuch:1', {}, 'unknown'],
  ['-nosuch:1', {}, 'unknown'],
  ['nosuch:1 project:a', { project: 'a' }, 'unknown'],
  ['nosuch:1 project:a', { project: 'x' }, 'no'],
  ['nosuch:1 or project:a', { project: 'a' }, 'yes'],
  ['Project:a', { project: 'a' }, 'unknown'],
  ['constructor:a', {}, 'unknown'],
  ['hello', {}, 'unknown'],
  ['project', { project: 'a' }, 'unknown'],
  ['project:', { project: 'a' }, 'unknown'],
  ['project: user:ada', { project: 'a', user: 'bob' }, 'no'],
  ['buildDuration>5', { durationMs: 6 }, 'unknown'],
  ['buildDuration>*', { durationMs: 6 }, 'unknown'],
  ['project>a', { project: 'b' }, 'unknown'],
  ['project=a', { project: 'a' }, 'unknown'],
  ['value:branch', { values: [] }, 'unknown'],
  ['buildStartTime:-7d', { startTime: now }, 'unknown'],
  ['buildDuration:[2m to 1m]', { durationMs: 90_000 }, 'unknown'],
  ['buildDuration:[1m to 2m', { durationMs: 90_000 }, 'unknown'],
  [`${daemon}:yes`, { fields: { [daemon]: true } }, 'unknown'],
  [`${workers}:8`, { fields: { [workers]: 'eight' } }, 'unknown'],
  ['tag:"a', { tags: ['a'] }, 'unknown'],
  ['(tag:a', { tags: ['a'] }, 'unknown'],
  ['tag:a)', { tags: ['a'] }, 'unknown'],
  ['tag:a and', { tags: ['a'] }, 'unknown'],
  ['or tag:a', { tags: ['a'] }, 'unknown'],
  ['()', {}, 'unknown'],
  ['() or tag:a', { tags: ['a'] }, 'yes'],
  ['project:a (tag:b and)', { project: 'x', tags: ['b'] }, 'no'],
  ['project:a (tag:b and)', { project: 'a', tags: ['x'] }, 'unknown'],
  ['project:a or (tag:b', { project: 'a' }, 'yes'],
])

test('a query past the limits is unknown of every build', () => {
  expect(answer('a'.repeat(140_000), build())).toBe('unknown')
  expect(answer(`${'('.repeat(500)}tag:a${')'.repeat(500)}`, build({ tags: ['a'] }))).toBe(
    'unknown',
  )
})

const address = 'gradle.environment.localIPAddress'
const addresses = { fields: { [address]: ['10.60.1.19', '172.17.0.1'] } }
rows('a field of a tool with several values', [
  [`${address}:10.*`, addresses, 'yes'],
  [`${address}:172.17.0.1`, addresses, 'yes'],
  [`${address}:192.*`, addresses, 'no'],
  [`-${address}:10.*`, addresses, 'no'],
  [`${address}:*`, addresses, 'yes'],
  [`${address}:*`, { fields: { [address]: [] } }, 'no'],
])
