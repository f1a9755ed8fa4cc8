import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { BuildMessage } from '../../../protocol/build-message.ts'
import { decodeLiveMessage, isBuildMessage } from './stream-source.ts'

const build = (buildId: string): Record<string, unknown> => ({
  buildId,
  timestamp: 1000,
  toolType: 'maven',
  toolVersion: '3.9',
  agentVersion: '2.1',
})
const first = build('aaaaaaaaaaaa1')
const second = build('aaaaaaaaaaaa2')
const status = {
  upstream: 'live',
  since: 1,
  now: 2,
  lastHeardAt: null,
  nextAttemptAt: null,
  message: 'Fine.',
  malformed: 0,
}
const facts = {
  buildId: 'aaaaaaaaaaaa1',
  receivedAt: 1000,
  buildTool: 'maven',
  buildToolVersion: '3.9',
  agentVersion: '2.1',
}

function decode(event: string, data: unknown): ReturnType<typeof decodeLiveMessage> {
  return decodeLiveMessage({
    id: '',
    event,
    data: typeof data === 'string' ? data : JSON.stringify(data),
  })
}

describe('a message of the live feed', () => {
  test('may be one build or many, oldest first', () => {
    expect(decode('Build', first)).toEqual({ type: 'builds', builds: [first], malformed: 0 })
    expect(decode('Builds', [first, second])).toEqual({
      type: 'builds',
      builds: [first, second],
      malformed: 0,
    })
  })

  test('gives the builds that can be read and counts the others', () => {
    expect(decode('Builds', [first, { buildId: 'short' }, null, second])).toEqual({
      type: 'builds',
      builds: [first, second],
      malformed: 2,
    })
    expect(decode('Build', { ...first, timestamp: '1' })).toEqual({
      type: 'builds',
      builds: [],
      malformed: 1,
    })
  })

  test('may be facts, a status or a gap', () => {
    expect(decode('Facts', { buildId: facts.buildId, facts })).toMatchObject({
      type: 'facts',
      facts: { facts },
    })
    expect(decode('Status', status)).toEqual({ type: 'status', status })
    const gap = { from: null, oldest: null }
    expect(decode('Gap', gap)).toEqual({ type: 'gap', isPartial: false })
    expect(decode('Gap', { ...gap, again: true })).toEqual({ type: 'gap', isPartial: true })
  })

  test.each([
    ['Build', 'no JSON'],
    ['Builds', []],
    ['Builds', first],
    ['Facts', { buildId: facts.buildId }],
    ['Status', { ...status, upstream: 'sleepy' }],
    ['Gap', '[]'],
  ])('%s with %j is malformed', (event, data) => {
    const decoded = decode(event, data)
    expect(decoded.type === 'builds' ? decoded.malformed : decoded.type).toBe(
      decoded.type === 'builds' ? 1 : 'malformed',
    )
  })

  test('of an unknown kind is left alone, as newer proxies may send it', () => {
    expect(decode('Weather', 'sunny')).toEqual({ type: 'other' })
  })
})

const good = {
  buildId: 'k3j7abcd01234',
  timestamp: 1_780_000_000_000,
  toolType: 'gradle',
  toolVersion: '9.2.0',
  agentVersion: '4.2',
}

test('a build message is accepted, also with more fields than are known', () => {
  expect(isBuildMessage(good)).toBe(true)
  expect(isBuildMessage({ ...good, extra: { deep: [1] } })).toBe(true)
})

/** Values near the border of what is accepted, beside any JSON value. */
const field = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>('', 'gradle', 0, -0, -1, 0.5, 2 ** 53, 2 ** 53 - 1, 1e300, null),
  fc.stringMatching(/^[a-z0-9]{12,14}$/),
  fc.stringMatching(/^[a-z0-9]{12}[A-Z\n_]$/),
)

test('it agrees with the schema on every value', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.record(
      Object.fromEntries(
        Object.entries(good).map(([key, value]) => [
          key,
          fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: field }),
        ]),
      ),
      { requiredKeys: ['buildId', 'timestamp'] },
    ),
  )
  fc.assert(
    fc.property(value, (candidate) => {
      // As it would come over the wire: JSON knows no -0 and no missing key that is undefined.
      const parsed: unknown = JSON.parse(JSON.stringify(candidate))
      expect(isBuildMessage(parsed)).toBe(BuildMessage.safeParse(parsed).success)
    }),
    { numRuns: runs(3000) },
  )
})
