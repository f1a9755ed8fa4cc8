import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EmbeddedCredential } from './credentials.ts'
import { a, g, m, seed, z } from './seed.test-support.ts'
import { accessKey, serve, type Serving } from './serving.test-support.ts'

const credentials: readonly EmbeddedCredential[] = [
  { user: 'ada', accessKey, password: 'pass:word', permissions: ['exportData'] },
  { user: 'bob', accessKey: 'key-of-bob', permissions: ['accessBuildDataViaApi'] },
  { user: 'eve', accessKey: 'old-key', accessKeyExpiresAt: 999_999, permissions: ['exportData'] },
]

let serving: Serving
beforeEach(async () => {
  serving = await serve({ credentials })
  await serving.addAll(seed)
})
afterEach(() => serving.stop())

/**
 * One row per promise of docs/services.md: its anchor there (or the file that decides), what is
 * requested below /build-export, with which Last-Event-ID or Authorization, and what must be
 * answered. Z, M, A and G are the builds of the seed, as ids and as Build messages; numbers are
 * BuildEvents.
 */
const promises = `
  export-since             | 0 streams all builds, in order of receipt              | v2/builds/since/0                                     |                                | 200 Z M A G
  export-since             | milliseconds begin at that moment                      | v2/builds/since/2000                                  |                                | 200 M A G
  export-since             | a moment after the last build has none                 | v2/builds/since/3001                                  |                                | 204
  export-since             | this very moment is not in the future                  | v2/builds/since/1000000                               |                                | 204
  export-since             | a future time is invalid                               | v2/builds/since/1000001                               |                                | 400
  export-since             | now without stream has nothing to send                 | v2/builds/since/now                                   |                                | 204
  export-since             | a negative number is no time                           | v2/builds/since/-1                                    |                                | 400
  export-since             | a word is no time                                      | v2/builds/since/yesterday                             |                                | 400
  export-since             | a fraction is no time                                  | v2/builds/since/1.5                                   |                                | 400
  export-since             | an exponent is no time                                 | v2/builds/since/1e3                                   |                                | 400
  export-since             | a number beyond all calendars is no time               | v2/builds/since/99999999999999999999                  |                                | 400
  export-since             | version 1 has builds of the first tool only            | v1/builds/since/0                                     |                                | 200 Z A G
  export-since-build       | sends what was received after a build                  | v2/builds/sinceBuild/M                                |                                | 200 A G
  export-since-build       | after the last build there is nothing                  | v2/builds/sinceBuild/G                                |                                | 204
  export-since-build       | version 1 has builds of the first tool only            | v1/builds/sinceBuild/Z                                |                                | 200 A G
  export-since-build       | version 1 goes on after a build that it leaves out     | v1/builds/sinceBuild/M                                |                                | 200 A G
  export-build-ids         | 12 characters are no build id                          | v2/builds/sinceBuild/zzzzzzzzzzzz                     |                                | 400
  export-build-ids         | other characters are no build id                       | v2/builds/sinceBuild/zzzzzz,zzzzzz                    |                                | 400
  export-build-ids         | an unknown build is not found                          | v2/builds/sinceBuild/qqqqqqqqqqqqq                    |                                | 404
  export-events-of-a-build | one Build message, then all events, numbered from 1    | v2/build/Z/events                                     |                                | 200 Z 1 2 3 4
  export-events-of-a-build | eventTypes selects by type, case-sensitively           | v2/build/Z/events?eventTypes=TaskStarted              |                                | 200 Z 2 3
  export-events-of-a-build | eventTypes is a list                                   | v2/build/Z/events?eventTypes=BuildStarted,taskStarted |                                | 200 Z 1 4
  export-events-of-a-build | a type without events leaves the Build message         | v2/build/Z/events?eventTypes=Nothing                  |                                | 200 Z
  export-events-of-a-build | version 2 has builds of every tool                     | v2/build/M/events                                     |                                | 200 M 1 2
  export-events-of-a-build | version 1 answers 400 for another tool                 | v1/build/M/events                                     |                                | 400
  export-events-of-a-build | version 1 has the events of the first tool             | v1/build/A/events                                     |                                | 200 A 1 2
  export-build-ids         | 14 characters are no build id                          | v2/build/zzzzzzzzzzzzzz/events                        |                                | 400
  export-build-ids         | an unknown build is not found                          | v2/build/qqqqqqqqqqqqq/events                         |                                | 404
  export-resume            | a listing resumes after a build                        | v2/builds/since/0                                     | resume M                       | 200 A G
  export-resume            | sinceBuild resumes after a build                       | v2/builds/sinceBuild/Z                                | resume A                       | 200 G
  export-completion        | a resumed listing that is complete ends with 204       | v2/builds/since/0                                     | resume G                       | 204
  export-resume            | an unknown Last-Event-ID begins where the request does | v2/builds/since/2000                                  | resume qqqqqqqqqqqqq           | 200 M A G
  export-resume            | and so does one that is no id                          | v2/builds/since/2000                                  | resume 7                       | 200 M A G
  export-resume            | events resume after the Build message                  | v2/build/Z/events                                     | resume Z                       | 200 1 2 3 4
  export-resume            | events resume after an event                           | v2/build/Z/events                                     | resume 3                       | 200 4
  export-resume            | selected events resume after an event                  | v2/build/Z/events?eventTypes=TaskStarted              | resume 2                       | 200 3
  export-completion        | complete events end with 204                           | v2/build/Z/events                                     | resume 4                       | 204
  export-completion        | complete selected events end with 204                  | v2/build/Z/events?eventTypes=TaskStarted              | resume 3                       | 204
  export-events.ts         | a number that was never sent begins the build again    | v2/build/M/events                                     | resume 3                       | 200 M 1 2
  export-events.ts         | and so does the id of another build                    | v2/build/M/events                                     | resume Z                       | 200 M 1 2
  export-authentication    | without a credential there is nothing                  | v2/builds/since/0                                     | as nobody                      | 401
  export-authentication    | the user needs the Export API permission               | v2/builds/since/0                                     | as Bearer key-of-bob           | 403
  export-authentication    | an access key as it is                                 | v2/builds/since/3000                                  | as Bearer key-of-ada           | 200 G
  export-authentication    | an access key in base64                                | v2/builds/since/3000                                  | as Bearer base64(key-of-ada)   | 200 G
  export-authentication    | a wrong access key                                     | v2/builds/since/0                                     | as Bearer key-of-adb           | 401
  export-authentication    | an expired access key                                  | v2/builds/since/0                                     | as Bearer old-key              | 401
  export-authentication    | user and password, colon included                      | v2/builds/since/3000                                  | as Basic base64(ada:pass:word) | 200 G
  export-authentication    | a wrong password                                       | v2/builds/since/0                                     | as Basic base64(ada:password)  | 401
  export-authentication    | a user without a password cannot sign in               | v2/builds/since/0                                     | as Basic base64(bob:)          | 401
  export-authentication    | another scheme                                         | v2/builds/since/0                                     | as Digest x                    | 401
  export-versions          | there is no version 3                                  | v3/builds/since/0                                     |                                | 404
`

const ids: Readonly<Record<string, string | undefined>> = { Z: z, M: m, A: a, G: g }

const rows = promises
  .trim()
  .split('\n')
  .map((line) => {
    const [says = '', promise = '', get = '', header = '', answer = ''] = line
      .split('|')
      .map((cell) => cell.trim())
    const [status, ...messages] = answer.split(' ')
    return { says, promise, get, header, status: Number(status), messages }
  })

test.each(rows)('$says: $promise', async ({ get, header, status, messages }) => {
  const [kind, ...value] = header.split(' ')
  const headers: Record<string, string> = {}
  if (kind === 'resume') headers['Last-Event-ID'] = withIds(value.join(' '))
  if (kind === 'as') headers.Authorization = header === 'as nobody' ? '' : encoded(value.join(' '))
  const answer = await serving.stream(`/build-export/${withIds(get)}`, { headers })
  await answer.ended
  expect(answer.response.status).toBe(status)
  expect(answer.seen).toEqual(
    messages.map((name) => (name in ids ? `Build ${ids[name] ?? ''}` : `BuildEvent ${name}`)),
  )
  const type = answer.response.headers.get('Content-Type')
  if (status === 200) expect(type).toBe('text/event-stream; charset=utf-8')
  if (status >= 400) expect(type).toBe('application/problem+json')
})

function withIds(text: string): string {
  return text.replace(/\b[ZMAG]\b/, (name) => ids[name] ?? name)
}

function encoded(text: string): string {
  return text.replace(/base64\((.*)\)/, (_, plain: string) => btoa(plain))
}
