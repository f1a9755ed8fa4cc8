import { afterEach, expect, test } from 'vitest'
import { readAttestationUri } from '../../../protocol/package-address.ts'
import {
  type GovernorServing,
  repositoryUrl,
  serveGovernor,
  sha256,
} from '../../../server/embedded/governor/governor-serving.test-support.ts'
import type { PublishView } from './publisher.ts'
import { type WatchedPublisher, watchPublisher } from './publish.test-support.ts'

/** Publications by the embedded service itself. */

let governor: GovernorServing | undefined

afterEach(async () => {
  await governor?.serving.stop()
  governor = undefined
})

const question = {
  address: { type: 'oci', name: 'checkout', version: '2.4.0' },
  sha256,
  repositoryUrl,
  builds: [],
  queries: [],
}
const isOver = ({ endedAt }: PublishView): boolean => endedAt !== undefined

async function start(fields: Parameters<typeof serveGovernor>[0] = {}): Promise<WatchedPublisher> {
  const started = await serveGovernor(fields)
  governor = started
  return watchPublisher((path, init) => {
    const headers = new Headers(init?.headers)
    headers.delete('authorization')
    return started.serving.request(path, { ...init, headers })
  })
}

test('builds and a query are published of, and each attestation can be fetched', async () => {
  const { publisher, until } = await start()
  const [first = [], second = []] = [...(governor?.builds.values() ?? [])]
  const builds = [...first.slice(0, 1), ...second.slice(0, 1)]
  publisher.publish({ ...question, builds, queries: ['buildTool:gradle buildStartTime>-1h'] })
  const view = await until(isOver)
  expect([view.state.is, view.unreadable]).toEqual(['done', 0])
  expect(view.stored).toBeGreaterThan(builds.length)
  expect(view.outcomes).toHaveLength(view.stored)
  const uris = view.outcomes.map(({ storeUri }) => storeUri)
  expect(uris.map(readAttestationUri)).not.toContain(undefined)
  const fetched = await governor?.serving.request(uris[0] ?? '')
  expect(fetched?.status).toBe(200)
})

test('a store that is down refuses its own, and the others are stored', async () => {
  const { publisher, until } = await start({
    instances: [{ name: 's3:evidence', isDown: true }, { name: 'af:evidence' }],
  })
  const [ids = []] = [...(governor?.builds.values() ?? [])]
  publisher.publish({ ...question, builds: ids.slice(0, 1) })
  const view = await until(isOver)
  expect(view.state.is).toBe('done')
  const refused = view.outcomes.filter(({ stored }) => !stored)
  expect(refused.length).toBeGreaterThan(0)
  expect(view.stored + refused.length).toBe(view.outcomes.length)
  for (const { message } of refused) expect(message).toMatch(/^Can't reach the store /)
})

test.each([
  [{ sha256: 'abc' }, 'sha256 must be 64 hexadecimal digits'],
  [{ builds: ['z'] }, 'buildScan.ids: build z not found'],
])('%o is refused in the words of the service', async (part, words) => {
  const { publisher, until } = await start()
  publisher.publish({ ...question, ...part })
  const { state } = await until(isOver)
  const fault = state.is === 'refused' ? state.problem : undefined
  expect([fault?.status, fault?.message]).toEqual([400, expect.stringContaining(words)])
})
