import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type GovernorServing,
  json,
  repositoryUrl,
  serveGovernor,
  sha256,
} from './governor-serving.test-support.ts'

// Which operation a path means, and what the others are answered; on a socket.

let governor: GovernorServing
beforeAll(async () => {
  governor = await serveGovernor({ history: 110 })
})
afterAll(() => governor.serving.stop())

const criteria = { sha256, repositoryUrl }
const path = '/packages/oci/checkout/2.4.0'

function storedCount(): Promise<unknown> {
  return governor.database.kysely
    .selectFrom('attestations')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirst()
}

test('a scan called “attestations” is evaluated, and nothing is published for it', async () => {
  const before = await storedCount()
  const answer = await governor.serving.request(`${path}/policy-scans/attestations`, json(criteria))
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({ detail: "Policy scan 'attestations' not found" })
  expect(await storedCount()).toEqual(before)
})

test.each([
  ['GET', `${path}/policy-scans/release`, 'POST'],
  ['PUT', `${path}/attestations`, 'POST'],
  ['DELETE', `/packages/oci/shop/checkout/2.4.0/attestations`, 'POST'],
  ['DELETE', `${path}/sha256:${sha256}/attestations/af:evidence/x`, 'GET'],
])('%s %s names the right method', async (method, url, right) => {
  const answer = await governor.serving.request(url, { method })
  expect(answer.status).toBe(405)
  expect(answer.headers.get('Allow')).toBe(right)
  expect(await answer.json()).toEqual({
    type: 'about:blank',
    title: 'Method Not Allowed',
    status: 405,
    detail: `${method} isn't allowed here. Use ${right}.`,
  })
})

test.each(['/packages', '/packages/oci', `${path}/nope`, `${path}/policy-scans`])(
  '%s is no operation, which is answered as every problem of this service is',
  async (url) => {
    const answer = await governor.serving.request(url, json(criteria))
    expect(answer.status).toBe(404)
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
    expect(await answer.json()).toMatchObject({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'No operation exists at this path.',
    })
  },
)

describe('digests', () => {
  test.each([
    [`sha512:${sha256}${sha256}`, 404],
    [`SHA256:${sha256.toUpperCase()}`, 404],
    [`sha256:${sha256}00`, 400],
    [`md17:${sha256}`, 400],
    [sha256, 400],
  ])('%s is answered %i where nothing is stored', async (digest, status) => {
    const answer = await governor.serving.request(`${path}/${digest}/attestations/af:evidence/x`)
    expect(answer.status).toBe(status)
  })
})

describe('bodies', () => {
  test('one of more than 1 MiB is refused before it is read to its end', async () => {
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1
        controller.enqueue(new Uint8Array(64 * 1024).fill(32))
        if (sent === 2000) controller.close()
      },
    })
    const init = { ...json(criteria), body, duplex: 'half' }
    const answer = await governor.serving.request(`${path}/policy-scans/release`, init)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      detail: 'Invalid request content. The body is larger than 1 MiB.',
    })
    expect(sent).toBeLessThan(2000)
  })

  test('more builds than may stand behind a package are refused by their number', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => `a${String(index).padStart(12, '0')}`)
    const answer = await governor.serving.request(
      `${path}/attestations`,
      json({ ...criteria, buildScan: { ids: [...ids, ...ids] } }),
    )
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      detail: expect.stringContaining('buildScan.ids: 101 builds selected; at most 100') as unknown,
    })
  })
})
