import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { explain } from './explain.ts'
import { parse } from './parse.ts'
import { quoteValue } from './values/text.ts'

const table: readonly (readonly [query: string, sentence: string])[] = [
  ['', 'All builds.'],
  [
    'project:checkout buildOutcome:failed buildStartTime>-7d',
    'Builds of project checkout that failed and started in the last 7 days.',
  ],
  [
    'tag:CI -tag:PR-12 (value:"Git branch=main" or value:"Git branch=release/*") buildTool:gradle',
    'Builds tagged CI, not tagged PR-12, whose value Git branch is main or begins with release/, by Gradle.',
  ],
  ['-project:a', 'Builds not of project a.'],
  ['-(tag:a or tag:b)', 'Builds not tagged a and not tagged b.'],
  ['-(tag:a and tag:b)', 'Builds either not tagged a or not tagged b.'],
  [
    'not (tag:a and (tag:b or project:x))',
    'Builds either not tagged a or both not tagged b and not of project x.',
  ],
  [
    'tag:a or (tag:b and (project:x or user:y))',
    'Builds either tagged a or (tagged b and (either of project x or by user y)).',
  ],
  [
    '(tag:a and tag:b and tag:c) or project:x',
    'Builds either (tagged a, tagged b and tagged c) or of project x.',
  ],
  [
    '(tag:a or buildOutcome:failed) and (tag:b or project:c)',
    'Builds either tagged a or that failed, and either tagged b or of project c.',
  ],
  ['nosuch:1', 'Not understood: nosuch:1.'],
  ['-nosuch:1', 'Not understood: “not nosuch:1”.'],
  ['project:a nosuch:1', 'Builds of project a. Not understood: nosuch:1.'],
  ['project:a or nosuch:1', 'Builds either of project a or something not understood: nosuch:1.'],
  ['project:a and', 'Builds of project a. Not understood: “and”.'],
  ['(tag:a', 'Not understood: “(tag:a”.'],
  ['hello world', 'Not understood: hello, world.'],
  ['buildDuration>5m30s', 'Builds that took longer than 5 min 30 s.'],
  ['buildDuration:[1m to 2h]', 'Builds that took from 1 min to 2 h.'],
  ['-buildDuration<=90s', 'Builds that did not take at most 1 min 30 s.'],
  ['buildDuration:5m', 'Builds that took exactly 5 min.'],
  ['buildDuration:*', 'Builds with a known duration.'],
  ['buildStartTime>-24h', 'Builds that started in the last 24 hours.'],
  ['buildStartTime>-1h', 'Builds that started in the last hour.'],
  ['buildStartTime<=-36h', 'Builds that started at least 36 hours ago.'],
  ['buildStartTime:2024-01-01', 'Builds that started on 2024-01-01 (local time).'],
  ['buildStartTime:1500-01-01', 'Builds that started on 1500-01-01 (local time).'],
  ['-buildStartTime:2024-01-01', 'Builds that did not start on 2024-01-01 (local time).'],
  ['buildStartTime:2024-01-01T10:30', 'Builds that started at 2024-01-01 10:30 (local time).'],
  ['buildStartTime:2024-01-01T10:30:15Z', 'Builds that started at 2024-01-01 10:30:15 (UTC).'],
  [
    'buildStartTime:[2024-01-01 to 2024-02-01T10:00:00.5Z]',
    'Builds that started from 2024-01-01 00:00 (local time) to 2024-02-01 10:00:00.5 (UTC).',
  ],
  ['buildDuration>59.9999s', 'Builds that took longer than 59 s 999.9 ms.'],
  [
    'gradle.environment.jvmMaxMemoryHeapSize<1',
    'Builds where gradle.environment.jvmMaxMemoryHeapSize is less than 1 byte.',
  ],
  ['buildStartTime:[-7d to -1d]', 'Builds that started from 7 days ago to 24 hours ago.'],
  ['buildStartTime>5d', 'Builds that started later than 5 days from now.'],
  [
    'gradle.buildOptions.configurationCacheEnabled',
    'Builds where gradle.buildOptions.configurationCacheEnabled is true.',
  ],
  [
    '!gradle.buildOptions.configurationCacheEnabled',
    'Builds where gradle.buildOptions.configurationCacheEnabled is not true (or unknown).',
  ],
  [
    'gradle.buildOptions.configurationCacheEnabled:false',
    'Builds where gradle.buildOptions.configurationCacheEnabled is false.',
  ],
  [
    'gradle.buildOptions.configurationCacheEnabled:*',
    'Builds where gradle.buildOptions.configurationCacheEnabled is known.',
  ],
  [
    '!gradle.buildOptions.configurationCacheEnabled:*',
    'Builds where gradle.buildOptions.configurationCacheEnabled is not known.',
  ],
  ['hasVerificationFailure', 'Builds with a verification failure.'],
  ['-hasNonVerificationFailure', 'Builds without a non-verification failure.'],
  [
    'gradle.environment.jvmMaxMemoryHeapSize>=2gi',
    'Builds where gradle.environment.jvmMaxMemoryHeapSize is at least 2 GiB.',
  ],
  [
    'gradle.environment.jvmMaxMemoryHeapSize:[1g to 4g]',
    'Builds where gradle.environment.jvmMaxMemoryHeapSize is from 1 GB to 4 GB.',
  ],
  [
    'gradle.environment.numberOfCpuCores>8',
    'Builds where gradle.environment.numberOfCpuCores is more than 8.',
  ],
  [
    '-gradle.environment.numberOfCpuCores:8',
    'Builds where gradle.environment.numberOfCpuCores is not 8 (or unknown).',
  ],
  ['requested:*test*', 'Builds with requested work that contains test.'],
  ['-requested:test', 'Builds that did not request test.'],
  ['-requested:*test*', 'Builds with no requested work that contains test.'],
  ['tag:release/*', 'Builds with a tag that begins with release/.'],
  ['-tag:release/*', 'Builds with no tag that begins with release/.'],
  ['tag:*', 'Builds with a tag.'],
  ['-tag:*', 'Builds without a tag.'],
  ['user:*', 'Builds with a known user.'],
  ['value:*', 'Builds with a custom value.'],
  ['value:"Git branch=*"', 'Builds with a value Git branch.'],
  ['value:Git*=main', 'Builds with a custom value like Git*=main.'],
  ['user:a*b*c', 'Builds whose user looks like a*b*c.'],
  ['user:"Ada Lovelace"', 'Builds by user “Ada Lovelace”.'],
  ['project:""', 'Builds of project “”.'],
  ['buildTool:gra*', 'Builds whose build tool begins with gra.'],
  ['buildToolVersion:8.*', 'Builds whose build tool version begins with “8.”.'],
  ['buildOutcome:unknown', 'Builds whose outcome is unknown.'],
  ['-buildOutcome:succeeded', 'Builds that did not succeed.'],
  ['tag:"a, b" tag:and', 'Builds tagged “a, b” and “and”.'],
  ['()', 'Not understood: “()”.'],
  [
    'gradle.pluginVersion:3.* or gradle.pluginVersion:4.*',
    'Builds where gradle.pluginVersion begins with “3.” or begins with “4.”.',
  ],
  ['-tag:a or -tag:b', 'Builds either not tagged a or not tagged b.'],
  ['buildOutcome:failed or buildDuration>1h', 'Builds that failed or took longer than 1 h.'],
  [
    '(buildOutcome:failed or buildDuration>1h) project:x',
    'Builds of project x, that failed or took longer than 1 h.',
  ],
  ['project:a* or project:b', 'Builds either whose project begins with a or of project b.'],
  ['tag:a or tag:b or buildTool:npm', 'Builds either tagged a, tagged b or by npm.'],
  ['(tag:a or tag:b) (project:x or project:y)', 'Builds tagged a or b, and of project x or y.'],
  ['-user:*', 'Builds without a known user.'],
  ['-value:*', 'Builds without a custom value.'],
  ['-value:"Git branch=main"', 'Builds without a value Git branch that is main.'],
  ['-value:"Git branch=*"', 'Builds without a value Git branch.'],
  ['-value:Git*=main', 'Builds without a custom value like Git*=main.'],
  ['requested:*', 'Builds with requested work.'],
  ['hostname:agent-1', 'Builds on host agent-1.'],
  ['-hostname:agent-*', 'Builds without a host that begins with agent-.'],
  ['-buildTool:maven', 'Builds not by Maven.'],
  ['buildToolVersion:8.5', 'Builds whose build tool version is 8.5.'],
  ['-buildOutcome:failed', 'Builds that did not fail.'],
  ['buildOutcome:FAIL*', 'Builds whose outcome begins with FAIL.'],
  ['buildDuration>=1h buildDuration<2h', 'Builds that took at least 1 h and took less than 2 h.'],
  ['buildDuration:0s', 'Builds that took exactly 0 s.'],
  ['buildDuration<1.5s', 'Builds that took less than 1 s 500 ms.'],
  ['buildDuration>=2d', 'Builds that took at least 2 days.'],
  [
    'buildStartTime:[2024-06-01T15:00 to 2024-06-04]',
    'Builds that started from 2024-06-01 15:00 to 2024-06-04 00:00 (local time).',
  ],
  ['buildStartTime>=2024-06-01', 'Builds that started at or after 2024-06-01 00:00 (local time).'],
  ['buildStartTime>2024-06-01', 'Builds that started after 2024-06-01 00:00 (local time).'],
  [
    'buildStartTime<2024-06-01T10:00:00.123',
    'Builds that started before 2024-06-01 10:00:00.123 (local time).',
  ],
  ['buildStartTime>-90m', 'Builds that started in the last 90 minutes.'],
  ['buildStartTime>-36h', 'Builds that started in the last 36 hours.'],
  ['buildStartTime>-1d12h30m', 'Builds that started in the last 1 day 12 h 30 min.'],
  ['buildStartTime>-0s', 'Builds that started after now.'],
  ['buildStartTime<5d', 'Builds that started earlier than 5 days from now.'],
  ['buildStartTime:*', 'Builds with a known start time.'],
  [
    'gradle.environment.jvmMaxMemoryHeapSize<1500000',
    'Builds where gradle.environment.jvmMaxMemoryHeapSize is less than 1.5 MB.',
  ],
  [
    '-gradle.buildCache.hasError',
    'Builds where gradle.buildCache.hasError is not true (or unknown).',
  ],
  ['npm.requestedCommands:"run build"', 'Builds where npm.requestedCommands is “run build”.'],
  [
    'maven.buildOptions.maxNumberOfThreads:[2 to 4]',
    'Builds where maven.buildOptions.maxNumberOfThreads is from 2 to 4.',
  ],
  [
    '-(buildOutcome:failed and buildDuration>1h)',
    'Builds that did not fail or did not take longer than 1 h.',
  ],
  ['not not tag:a', 'Builds tagged a.'],
  ['((tag:a))', 'Builds tagged a.'],
  ['tag:a (tag:b (tag:c))', 'Builds tagged a, b and c.'],
  ['project:', 'Not understood: “project:”.'],
  ['buildDuration>5', 'Not understood: buildDuration>5.'],
  ['tag:"a', 'Not understood: “tag:"a”.'],
  ['tag:a)', 'Builds tagged a. Not understood: “)”.'],
  ['-', 'Not understood: -.'],
  ['tag:say"\\"hi\\""', 'Builds tagged “say"hi"”.'],
  ['buildStartTime<-1d', 'Builds that started more than 24 hours ago.'],
  ['buildStartTime>-7d buildTool:gradle', 'Builds by Gradle that started in the last 7 days.'],
  ['buildStartTime>-10h buildTool:gradle', 'Builds by Gradle that started in the last 10 hours.'],
  ['user:"dylan" buildStartTime>-14d', 'Builds by user dylan that started in the last 14 days.'],
  ['project:myProject', 'Builds of project myProject.'],
  [
    'buildStartTime:[2023-10-24T09:15:30+02:00 to 2023-11-25T12:30:45+02:00]',
    'Builds that started from 2023-10-24 07:15:30 to 2023-11-25 10:30:45 (UTC).',
  ],
  [
    'buildStartTime>=2023-10-24T09:15:30+02:00',
    'Builds that started at or after 2023-10-24 07:15:30 (UTC).',
  ],
  [
    'buildTool:gradle buildStartTime:[2024-06-01T15:00:00 to 2024-06-04T15:00:00] tag:CI tag:main tag:Linux',
    'Builds by Gradle, tagged CI, main and Linux, that started from 2024-06-01 15:00 to 2024-06-04 15:00 (local time).',
  ],
  ['buildTool:gradle or buildTool:maven', 'Builds by Gradle or Maven.'],
  ['value:"CI run=8675309"', 'Builds whose value CI run is 8675309.'],
  ['value:"CI build=12-1/root project"', 'Builds whose value CI build is “12-1/root project”.'],
  [
    'tag:CI and value:"Git commit id=5ca1ab1e"',
    'Builds tagged CI and whose value Git commit id is 5ca1ab1e.',
  ],
  [
    'value:"CI job=hibernate-orm-pipeline/PR-9171" and value:"CI build number=1"',
    'Builds whose value CI job is hibernate-orm-pipeline/PR-9171 and whose value CI build number is 1.',
  ],
  [
    'buildStartTime>=-30d and -tag:PR-123',
    'Builds not tagged PR-123 that started in the last 30 days.',
  ],
  ['project:andr_core tag:Local', 'Builds of project andr_core and tagged Local.'],
  [
    '(value:"CI build number=938") and (tag:ci-premerge)',
    'Builds whose value CI build number is 938 and tagged ci-premerge.',
  ],
  [
    'project:kafka buildStartTime:[2024-12-01T00:00:00Z TO 2024-12-02T00:00:00Z] gradle.requestedTasks:quarantinedTest',
    'Builds of project kafka, where gradle.requestedTasks is quarantinedTest, that started from 2024-12-01 00:00 to 2024-12-02 00:00 (UTC).',
  ],
  [
    'maven.topLevelProjectName:"Apache Ozone Main" tag:CI',
    'Builds where maven.topLevelProjectName is “Apache Ozone Main” and tagged CI.',
  ],
  [
    'project:shop buildOutcome:failed buildStartTime>-7d',
    'Builds of project shop that failed and started in the last 7 days.',
  ],
  ['(tag:"tag1" OR tag:"tag2" OR tag:"tag3")', 'Builds tagged tag1, tag2 or tag3.'],
  [
    'project:myProject (tag:"tag1" AND tag:"tag2" AND tag:"tag3") buildOutcome:succeeded user:john_doe requested:task123',
    'Builds of project myProject, tagged tag1, tag2 and tag3, by user john_doe, that succeeded and requested task123.',
  ],
  [
    'project:myProject requested:\\:app\\:compile',
    'Builds of project myProject that requested :app:compile.',
  ],
  ['gradle.buildCache.hasError:true', 'Builds where gradle.buildCache.hasError is true.'],
  [
    'user:dylan or (tag:CI and value:"Git branch=master")',
    'Builds either by user dylan or both tagged CI and whose value Git branch is master.',
  ],
]

test.each(table)('%s', (query, sentence) => {
  expect(explain(parse(query))).toBe(sentence)
})

test.each([
  ['buildStartTime:2024-01-01', 'Builds that started on 2024-01-01 (Europe/Berlin).'],
  ['buildStartTime>2024-01-01', 'Builds that started after 2024-01-01 00:00 (Europe/Berlin).'],
  // What was written with a zone is given on the clocks of the reader, in summer and in winter.
  [
    'buildStartTime<2024-07-01T10:00Z',
    'Builds that started before 2024-07-01 12:00 (Europe/Berlin).',
  ],
  [
    'buildStartTime<2024-01-01T00:30+09:00',
    'Builds that started before 2023-12-31 16:30 (Europe/Berlin).',
  ],
  [
    'buildStartTime:[2024-01-01 to 2024-01-31T23:59:59Z]',
    'Builds that started from 2024-01-01 00:00 to 2024-02-01 00:59:59 (Europe/Berlin).',
  ],
  [
    'buildStartTime:[2026-10-25T00:30Z to 2026-10-25T01:30Z]',
    'Builds that started from 2026-10-25 02:30 +02:00 to 2026-10-25 02:30 +01:00 (Europe/Berlin).',
  ],
  ['buildStartTime>-7d', 'Builds that started in the last 7 days.'],
])('%s, for a reader in Berlin', (query, sentence) => {
  expect(explain(parse(query), { timeZone: 'Europe/Berlin' })).toBe(sentence)
})

test('where clocks are put back by half an hour, a time that they show twice has its offset', () => {
  const query = parse('buildStartTime:[2026-04-04T14:45Z to 2026-04-04T15:15Z]')
  expect(explain(query, { timeZone: 'Australia/Lord_Howe' })).toBe(
    'Builds that started from 2026-04-05 01:45 +11:00 to 2026-04-05 01:45 +10:30 (Australia/Lord_Howe).',
  )
})

test('a query that is too long is not repeated', () => {
  expect(explain(parse('a'.repeat(140_000)))).toBe('The query is too long to explain.')
})

describe('an explanation', () => {
  const word = fc.string({
    unit: fc.constantFrom(...'abcXYZ019 -_/.*"\\(),'.split('')),
    minLength: 1,
    maxLength: 8,
  })
  const field = fc.constantFrom(
    'project',
    'tag',
    'user',
    'requested',
    'npm.projectName',
    'buildTool',
  )
  const term = fc.oneof(
    fc.tuple(field, word).map(([name, value]) => ({ value, text: `${name}:${quoteValue(value)}` })),
    fc
      .tuple(fc.string({ unit: fc.constantFrom('a', 'B', ' '), minLength: 1 }), word)
      .map(([name, value]) => ({ value, text: `value:${quoteValue(`${name}=${value}`)}` })),
  )
  const { query } = fc.letrec<{ query: { values: string[]; text: string } }>((tie) => ({
    query: fc.oneof(
      { maxDepth: 4 },
      term.map(({ value, text }) => ({ values: [value], text })),
      tie('query').map(({ values, text }) => ({ values, text: `-(${text})` })),
      fc
        .tuple(fc.constantFrom(' ', ' and ', ' or '), tie('query'), tie('query'))
        .map(([joint, a, b]) => ({
          values: [...a.values, ...b.values],
          text: `(${a.text})${joint}(${b.text})`,
        })),
    ),
  }))

  test('mentions every value that was written', () => {
    fc.assert(
      fc.property(query, ({ values, text }) => {
        const sentence = explain(parse(text))
        for (const value of values) {
          for (const part of value.split('*')) expect(sentence).toContain(part)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('says something, whatever the text', () => {
    const letters = fc.constantFrom(
      ...'tag:a()"*\\-![]<>=and or to value=x '.split(''),
      '-7d',
      '5m',
    )
    fc.assert(
      fc.property(fc.string({ unit: letters, maxLength: 60 }), (text) => {
        const sentence = explain(parse(text))
        expect(sentence).toMatch(/^(?:All builds|Builds .+|Not understood: .+)\.$/s)
        expect(sentence).not.toMatch(/undefined|\[object/)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('of 10,000 terms is found in linear time', () => {
    const text = Array.from({ length: 10_000 }, (_, n) => `tag:t${n}`).join(' or ')
    expect(explain(parse(text))).toMatch(/^Builds tagged t0, t1, .* or t9999\.$/)
  })

  test('of the deepest nesting is found in linear time', () => {
    let text = 'tag:t'
    for (let n = 0; n < 45; n += 1) text = `project:p${n} or (user:u${n} and (${text}))`
    expect(explain(parse(text))).toMatch(
      /^Builds either of project p44 or \(by user u44 and \(either/,
    )
  })
})

describe('a long query', () => {
  const tags = Array.from({ length: 410 }, (_, index) => `tag:t${index}`)
  test.each([
    [tags.join(' or '), 'Builds tagged t0, t1, t2 or 407 more.'],
    [tags.join(' '), 'Builds tagged t0, t1, t2 and 407 more.'],
    [`user:ada (${tags.join(' or ')})`, 'Builds by user ada, and tagged t0, t1, t2 or 407 more.'],
    ['tag:a or tag:b or tag:c or tag:d', 'Builds tagged a, b, c or d.'],
  ])('names the first of its parts and counts the others', (query, sentence) => {
    expect(explain(parse(query), { most: 3 })).toBe(sentence)
  })
})
