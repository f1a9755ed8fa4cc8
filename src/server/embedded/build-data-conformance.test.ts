import { afterEach, beforeEach, expect, test } from 'vitest'
import { z as schema } from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import { createManualClock } from '../../protocol/manual-clock.test-support.ts'
import { a, g, m, seed, z } from './seed.test-support.ts'
import { serve, type Serving } from './serving.test-support.ts'

/** Time passes at once when somebody waits: a wait ends at once. */
function hurriedClock(): Clock {
  const manual = createManualClock(1_000_000)
  return {
    now: manual.now,
    after: (ms, callback) => {
      const cancel = manual.after(ms, callback)
      setImmediate(() => {
        manual.advance(ms)
      })
      return cancel
    },
  }
}

let serving: Serving
let plain: Serving
beforeEach(async () => {
  const credentials = [
    { user: 'ada', accessKey: 'key-of-ada', permissions: ['accessBuildDataViaApi' as const] },
    { user: 'bob', accessKey: 'key-of-bob', password: 'x', permissions: ['exportData' as const] },
  ]
  serving = await serve({ credentials, clock: hurriedClock() })
  plain = await serve({ credentials, clock: hurriedClock(), models: false })
  await serving.addAll(seed)
  await plain.addAll(seed)
})
afterEach(() => Promise.all([serving.stop(), plain.stop()]))

/**
 * One row per promise of docs/services.md: its anchor there, what is requested below /api, by whom
 * if not by ada, and what must be answered. Z, M, A and G are the builds of the seed.
 */
const promises = `
  build-list                | since=0 lists all, oldest first               | builds?since=0                             |             | 200 Z M A G
  build-list                | since takes what came after an instant        | builds?since=1000                          |             | 200 M A G
  build-list                | maxBuilds limits                              | builds?since=0&maxBuilds=2                 |             | 200 Z M
  build-list-parameters     | maxBuilds may be 0                            | builds?since=0&maxBuilds=0                 |             | 200
  build-list-parameters     | sinceBuild goes on after a build              | builds?sinceBuild=M                        |             | 200 A G
  build-list-parameters     | fromBuild goes on after a build               | builds?fromBuild=Z&maxBuilds=1             |             | 200 M
  build-list-parameters     | fromInstant takes what came after it          | builds?fromInstant=2000                    |             | 200 G
  build-list-parameters     | fromInstant=0 lists all                       | builds?fromInstant=0                       |             | 200 Z M A G
  build-list-parameters     | reverse alone lists all, newest first         | builds?reverse=true                        |             | 200 G A M Z
  build-list-parameters     | reverse before an instant                     | builds?reverse=true&fromInstant=3000       |             | 200 A M Z
  build-list-parameters     | reverse before a build                        | builds?reverse=true&fromBuild=A            |             | 200 M Z
  build-list-parameters     | reverse=false is forward                      | builds?reverse=false&fromBuild=A           |             | 200 G
  build-list-parameters     | reverse has no effect with since              | builds?reverse=true&since=2000             |             | 200 G
  build-list-parameters     | reverse has no effect with sinceBuild         | builds?reverse=true&sinceBuild=A           |             | 200 G
  build-list-parameters     | fromBuild wins over everything                | builds?fromBuild=A&fromInstant=0&since=0   |             | 200 G
  build-list-parameters     | fromInstant wins over since and sinceBuild    | builds?fromInstant=2999&sinceBuild=Z       |             | 200 G
  build-list-parameters     | sinceBuild wins over since                    | builds?sinceBuild=A&since=0                |             | 200 G
  build-list-parameters     | without a start only what comes after         | builds                                     |             | 200
  build-list-parameters     | maxWaitSecs is at least 1                     | builds?maxWaitSecs=0                       |             | 400 maxWaitSecs found:?0
  build-list-parameters     | maxWaitSecs is at most 20                     | builds?maxWaitSecs=21                      |             | 400 maxWaitSecs 21
  build-list-parameters     | maxBuilds is at most 1000                     | builds?maxBuilds=1001                      |             | 400 maxBuilds 1001
  build-list-parameters     | maxBuilds is a whole number                   | builds?maxBuilds=1.5                       |             | 400 maxBuilds 1.5
  build-list-parameters     | maxBuilds is a number                         | builds?maxBuilds=many                      |             | 400 maxBuilds many
  build-list-parameters     | an empty number is none                       | builds?maxBuilds=                          |             | 400 maxBuilds
  build-list-parameters     | since is not negative                         | builds?since=-1                            |             | 400 since -1
  build-list-parameters     | reverse is true or false                      | builds?reverse=yes                         |             | 400 reverse yes
  build-list-parameters     | a parameter is given once                     | builds?since=0&since=1                     |             | 400 since once
  build-list-parameters     | a model that is not offered                   | builds?models=gradle-projects              |             | 400 models gradle-projects
  build-list-parameters     | an unknown build is no cursor                 | builds?fromBuild=qqqqqqqqqqqqq             |             | 404
  build-list-parameters     | what is no id is no cursor                    | builds?fromBuild=x                         |             | 404
  string-values             | exact or with wildcards, in any case          | builds?since=0&query=project:SH*p          |             | 200 Z G
  string-values             | in double quotes                              | builds?since=0&query=requested:"build"     |             | 200 Z
  key-value-pairs           | name and value                                | builds?since=0&query=value:"Git branch=ma*" |            | 200 Z
  duration-values           | compared, ISO 8601                            | builds?since=0&query=buildDuration>PT1M    |             | 200 Z
  duration-values           | compared, simple                              | builds?since=0&query=buildDuration<=1m     |             | 200 A
  timestamp-values          | a day, in UTC                                 | builds?since=0&query=buildStartTime:2026-01-01 |         | 200 Z
  timestamp-values          | a range                                       | builds?since=0&query=buildStartTime:[2026-01-01T08:00 to 2026-01-01T08:01] | | 200 Z
  timestamp-values          | a range in another zone                       | builds?since=0&query=buildStartTime:[2026-01-01T08:00-01:00 to 2026-01-02] | | 200
  timestamp-values          | relative to now                               | builds?since=0&query=buildStartTime>-1d    |             | 200 Z A
  boolean-values            | the bare field                                | builds?since=0&query=hasVerificationFailure |            | 200 Z
  number-values             | compared                                      | builds?since=0&query=gradle.environment.numberOfCpuCores>=8 |  | 200 Z
  storage-size-values       | with a unit                                   | builds?since=0&query=gradle.environment.jvmMaxMemoryHeapSize:1GiB | | 200 Z
  search-terms              | all terms must match                          | builds?since=0&query=project:shop buildOutcome:succeeded |  | 200 G
  search-terms              | or, and parentheses                           | builds?since=0&query=buildTool:maven or (tag:CI and user:x or project:shop) | | 200 Z M G
  search-negation           | negated, of what is known                     | builds?since=0&query=-buildTool:gradle     |             | 200 M
  search-negation           | what has no value matches the negation        | builds?since=0&query=-tag:CI               |             | 200 M A G
  search-negation           | also of a user that is nowhere named          | builds?since=0&query=-user:*               |             | 200 Z M A G
  search-negation           | not, and a value                              | builds?since=0&query=not user:alice        |             | 200 Z M A G
  search-negation           | no project                                    | builds?since=0&query=-project:*            |             | 200 A
  search-negation           | a wildcard                                    | builds?since=0&query=-hostname:ci-*        |             | 200 Z M A G
  search-negation           | a group                                       | builds?since=0&query=-(project:shop or user:*) |         | 200 M A
  search-negation           | a key-value pair                              | builds?since=0&query=-value:"Git branch=main" |          | 200 M A G
  search-negation           | a comparison                                  | builds?since=0&query=-buildDuration>1m     |             | 200 M A G
  search-negation           | a field of a tool, of builds of all others too | builds?since=0&query=-gradle.environment.numberOfCpuCores>4 | | 200 M A G
  search-negation           | twice                                         | builds?since=0&query=not -tag:CI           |             | 200 Z
  boolean-values            | not known to be true                          | builds?since=0&query=!hasVerificationFailure |           | 200 M A G
  boolean-values            | unknown                                       | builds?since=0&query=!gradle.buildOptions.daemonEnabled:* | | 200 Z M A G
  search-terms              | nothing matches                               | builds?since=0&query=project:none          |             | 200
  search-terms              | an empty query filters nothing               | builds?since=2000&query=                   |             | 200 G
  search-terms              | what is merely doubtful is answered           | builds?since=0&query=tag:CI or tag:a and tag:b |         | 200 Z
  query-problems            | an unknown field is a mistake with its place  | builds?since=0&query=tag:CI projct:shop    |             | 400 query projct Did?you?mean?project characters?8?to?13 "queryMistakes":[{"from":7,"to":13,"code":"field.unknown",
  query-problems            | every mistake is named                         | builds?since=0&query=(buildDuration>soon   |             | 400 soon "value. "syntax.unclosed-group"
  build-list-parameters     | query goes with maxBuilds                     | builds?since=0&query=project:shop&maxBuilds=1 |          | 200 Z
  build-list-parameters     | query with maxBuilds 0                        | builds?since=0&query=project:shop&maxBuilds=0 |          | 200
  build-list-parameters     | query goes with reverse                       | builds?reverse=true&query=project:shop     |             | 200 G Z
  build-list-parameters     | query goes with reverse before a build        | builds?reverse=true&fromBuild=G&query=project:shop |     | 200 Z
  build-list-parameters     | query goes with reverse before an instant     | builds?reverse=true&fromInstant=3000&query=project:shop | | 200 Z
  build-list-parameters     | query goes with fromBuild                     | builds?fromBuild=Z&query=project:shop      |             | 200 G
  build-list-parameters     | query goes with fromInstant                   | builds?fromInstant=1000&query=buildTool:gradle |         | 200 A G
  build-list-parameters     | query goes with sinceBuild                    | builds?sinceBuild=M&query=buildTool:gradle |             | 200 A G
  build-list-parameters     | query goes with models                        | builds?since=0&models=gradle-attributes&query=tag:ci |   | 200 Z
  build-list-parameters     | query is given once                           | builds?since=0&query=tag:a&query=tag:b     |             | 400 query once
  build-list                | unknown parameters are left aside             | builds?since=2000&more=1                   |             | 200 G
  build-data-authentication | without a credential                          | builds?since=0                             | as          | 401
  build-data-authentication | with a wrong key                              | builds?since=0                             | as Bearer x | 401
  permissions               | the permission is needed                      | builds?since=0                             | as Bearer key-of-bob | 403 via?the?API
  build-data-authentication | HTTP Basic is not for this API                | builds?since=0                             | as Basic Ym9iOng= | 401
  build-data-authentication | nor is a key in base64                        | builds?since=0                             | as Bearer a2V5LW9mLWFkYQ== | 401
  one-build                 | one build                                     | builds/M                                   |             | 200 M
  one-build                 | an unknown build, or one not to be known of   | builds/qqqqqqqqqqqqq                       |             | 404 permissions
  one-build                 | what is no id                                 | builds/x                                   |             | 404 permissions
  one-build                 | one build needs the permission                | builds/M                                   | as Bearer key-of-bob | 403
  attributes-of-one-build   | the attributes of one build                   | builds/Z/gradle-attributes                 |             | 200 Z
  attributes-of-one-build   | not those of another tool                     | builds/Z/maven-attributes                  |             | 400 gradle build-model-not-applicable
  attributes-of-one-build   | of a tool that there is not                   | builds/Z/ant-attributes                    |             | 404
  attributes-of-one-build   | of an unknown build                           | builds/qqqqqqqqqqqqq/gradle-attributes     |             | 404 permissions
  attributes-of-one-build   | of a build with events alone                  | builds/A/gradle-attributes                 |             | 404 only?its?events
  attributes-of-one-build   | the wait is a number                          | builds/Z/gradle-attributes?availabilityWaitTimeoutSecs=x | | 400 availabilityWaitTimeoutSecs
  attributes-of-one-build   | it needs the permission                       | builds/Z/gradle-attributes                 | as Bearer key-of-bob | 403
  attributes-of-one-build   | and a credential                              | builds/Z/gradle-attributes                 | as          | 401
  one-build                 | the version, for anybody who is known         | version                                    | as Bearer key-of-bob | 200
  one-build                 | the version, but not for everybody            | version                                    | as          | 401
  build-data-problems       | no such resource                              | nothing                                    |             | 404
`

/** The oldest servers: newer parameters are unknown ones. */
const plainPromises = `
  models off                | since and maxBuilds are known                 | builds?since=1000&maxBuilds=2              |             | 200 M A
  models off                | without since it is all                       | builds                                     |             | 200 Z M A G
  models off                | newer parameters are left aside               | builds?since=2000&reverse=true&fromBuild=A&query=x&maxWaitSecs=99&models=no |  | 200 G
  models off                | its own are still checked                     | builds?maxBuilds=many                      |             | 400 maxBuilds
  models off                | there is no resource of one build             | builds/M                                   |             | 404
  models off                | there is no version                           | version                                    |             | 404
`

const ids: Readonly<Record<string, string | undefined>> = { Z: z, M: m, A: a, G: g }
const Answer = schema.union([
  schema.array(schema.looseObject({ id: schema.string() })),
  schema.looseObject({ id: schema.string() }).transform((build) => [build]),
  schema.looseObject({ string: schema.string() }).transform(() => []),
])

function rowsOf(table: string, which: () => Serving) {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [says = '', promise = '', get = '', as = '', answer = ''] = line
        .split('|')
        .map((cell) => cell.trim())
      const [status, ...words] = answer.split(' ')
      return { says, promise, get, as, status: Number(status), words, which }
    })
}

test.each([...rowsOf(promises, () => serving), ...rowsOf(plainPromises, () => plain)])(
  '$says: $promise',
  async ({ get, as, status, words, which }) => {
    const headers: Record<string, string> = as === '' ? {} : { Authorization: as.slice(3) }
    const path = get.replace(/\b[ZMAG]\b/, (name) => ids[name] ?? name)
    const answer = await which().request(`/api/${path}`, { headers })
    expect(answer.status).toBe(status)
    const text = await answer.text()
    if (status === 200) {
      expect(Answer.parse(JSON.parse(text)).map((build) => build.id)).toEqual(
        words.map((name) => ids[name]),
      )
    } else {
      expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
      expect(JSON.parse(text)).toMatchObject({ status })
      for (const word of words) expect(text).toContain(word.replaceAll('?', ' '))
    }
  },
)

test.each([
  ['since=0', true],
  ['sinceBuild=M', true],
  ['fromInstant=0', false],
])('a list requested with %s is announced as deprecated: %s', async (query, isDeprecated) => {
  const { headers } = await serving.request(`/api/builds?${query.replace('M', m)}`)
  expect(/^@\d+$/.test(headers.get('Deprecation') ?? '')).toBe(isDeprecated)
  const sunset = Date.parse(headers.get('Sunset') ?? '')
  expect(Number.isFinite(sunset)).toBe(isDeprecated)
  expect(headers.get('Link')?.includes('rel="deprecation"') === true).toBe(isDeprecated)
  expect((await plain.request('/api/builds?since=0')).headers.get('Deprecation')).toBeNull()
})

test('Build summary: the fields by their names, and no others', async () => {
  const answer = await serving.request('/api/builds?fromInstant=2000')
  const expected = { id: g, availableAt: 3000, buildToolType: 'gradle', buildToolVersion: '9.1' }
  expect(await answer.json()).toEqual([{ ...expected, buildAgentVersion: '4.0' }])
})
