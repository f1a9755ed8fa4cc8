import { afterEach, expect, test } from 'vitest'
import {
  type GovernorServing,
  json,
  repositoryUrl,
  serveGovernor,
  sha256,
} from '../../../server/embedded/governor/governor-serving.test-support.ts'
import { type Way, watchScan } from './policy-scan.test-support.ts'

/** Evaluations by the embedded service itself. */

let governor: GovernorServing | undefined

afterEach(async () => {
  await governor?.serving.stop()
  governor = undefined
})

const question = {
  address: { type: 'oci', name: 'checkout', version: '2.4.0' },
  scan: 'release',
  sha256,
  repositoryUrl,
}

async function start(): Promise<Way> {
  const started = await serveGovernor()
  governor = started
  return (path, init) => {
    const headers = new Headers(init?.headers)
    headers.delete('authorization')
    return started.serving.request(path, { ...init, headers })
  }
}

test('a published package is evaluated, result by result', async () => {
  const way = await start()
  const [project, ids] = [...(governor?.builds ?? [])][0] ?? ['', []]
  const published = await governor?.serving.request(
    '/packages/oci/checkout/2.4.0/attestations',
    json({ sha256, repositoryUrl, buildScan: { ids: ids.slice(0, 1) } }),
  )
  expect([project === '', published?.status]).toEqual([false, 200])
  const view = await watchScan(question, way).until(({ endedAt }) => endedAt !== undefined)
  expect(view.state.is).toBe('done')
  expect(view.unreadable).toBe(0)
  const keys = view.groups.find(({ kind }) => kind === 'TrustedPublicKeys')
  expect(keys?.status).toBe('satisfied')
  expect(keys?.results.every(({ attestationUri }) => attestationUri !== null)).toBe(true)
})

test('a package of which nothing is known fails for its missing provenance only', async () => {
  const view = await watchScan(question, await start()).until(({ state }) => state.is === 'done')
  const failing = view.groups.filter(({ status }) => status === 'unsatisfied')
  expect(failing.map(({ name }) => name)).toEqual(['provenance-present'])
})

test.each([
  [{ scan: 'nightly' }, 404, "Policy scan 'nightly' not found"],
  [{ sha256: 'abc' }, 400, 'sha256 must be 64 hexadecimal digits'],
  [{ repositoryUrl: 'two words' }, 400, 'repositoryUrl must be a host'],
])('%o is refused in the words of the service', async (part, status, words) => {
  const { until } = watchScan({ ...question, ...part }, await start())
  const { state } = await until(({ endedAt }) => endedAt !== undefined)
  const fault = state.is === 'refused' ? state.problem : undefined
  expect([fault?.status, fault?.message]).toEqual([status, expect.stringContaining(words)])
})
