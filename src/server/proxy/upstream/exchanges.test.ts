import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createExchanges, type Exchange } from './upstream-log.ts'

const plain: Exchange = {
  server: 'build server',
  endpoint: 'GET /api/version',
  status: 200,
  reason: null,
  sentAt: 0,
  at: 0,
  date: null,
  isHeld: false,
}

test('the skew of a clock is never further off than the header and the way allow', () => {
  const way = fc.integer({ min: 0, max: 5000 })
  const requests = fc.array(fc.tuple(way, way), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.integer({ min: 1e12, max: 2e12 }),
      requests,
      (skew, start, ways) => {
        const clock = createManualClock(start)
        const exchanges = createExchanges(clock)
        for (const [there, back] of ways) {
          const sentAt = clock.now()
          clock.advance(there)
          const date = new Date(clock.now() + skew).toUTCString()
          clock.advance(back)
          exchanges.add({ ...plain, sentAt, at: clock.now(), date })
        }
        const found = exchanges.of(plain.server).clockSkewMs ?? NaN
        const narrowest = Math.min(...ways.map(([there, back]) => there + back))
        expect(Math.abs(found - skew)).toBeLessThanOrEqual(1000 + narrowest)
      },
    ),
    { numRuns: runs(200) },
  )
})

test('response times are those of the last ten minutes, without requests that wait for builds', () => {
  const clock = createManualClock(0)
  const exchanges = createExchanges(clock)
  const respond = (ms: number, more: Partial<Exchange> = {}): void => {
    const sentAt = clock.now()
    clock.advance(ms)
    exchanges.add({ ...plain, sentAt, at: clock.now(), ...more })
  }
  respond(9000)
  clock.advance(10 * 60_000)
  for (const ms of [30, 10, 20]) respond(ms)
  respond(20_000, { isHeld: true })
  respond(5, { server: 'policy service' })
  expect(exchanges.of('build server').latency).toEqual({
    lastMs: 20,
    medianMs: 20,
    slowestMs: 30,
    requests: 3,
  })
  expect(exchanges.of('policy service').latency?.requests).toBe(1)
  expect(exchanges.of('nobody')).toMatchObject({ latency: null, clockSkewMs: null })
})

test('a request without a response is a failure and no measurement', () => {
  const exchanges = createExchanges(createManualClock(7))
  exchanges.add({ ...plain, status: null, reason: 'Refused.', at: 7 })
  const observed = exchanges.of('build server')
  expect(observed).toMatchObject({ lastFailure: { at: 7, reason: 'Refused.' }, latency: null })
  expect([observed.lastResponse, observed.statusOf('GET /api/version')]).toEqual([
    undefined,
    undefined,
  ])
})

test('the skew that is asked for each build is that of a second ago at most, and none while nothing is known', () => {
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const exchanges = createExchanges(clock)
  const hear = (skew: number): void => {
    const at = clock.now()
    exchanges.add({ ...plain, sentAt: at, at, date: new Date(at + skew).toUTCString() })
  }
  expect(exchanges.skewOf(plain.server)).toBe(0)
  hear(3_600_000)
  expect(exchanges.skewOf(plain.server)).toBe(exchanges.of(plain.server).clockSkewMs)
  expect(exchanges.skewOf(plain.server)).toBeGreaterThan(3_598_000)
  expect(exchanges.skewOf('nobody')).toBe(0)
})

test('the skew is measured anew when the own clock is set back or put right', () => {
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const exchanges = createExchanges(clock)
  const hear = (skew: number, took: number): void => {
    const sentAt = clock.now()
    const date = new Date(sentAt + skew).toUTCString()
    exchanges.add({ ...plain, sentAt, at: sentAt + took, date })
  }
  const hour = 3_600_000
  hear(-hour, 1)
  expect(Math.round(exchanges.skewOf(plain.server) / hour)).toBe(-1)
  clock.advance(-hour)
  // Slower than before, which makes it less exact.
  hear(0, 200)
  expect(exchanges.skewOf(plain.server)).toBe(0)
  expect(exchanges.of(plain.server).clockSkewMs).toBe(0)
  // While this one waited, the clock was set back.
  hear(2 * hour, -hour)
  expect(exchanges.of(plain.server).clockSkewMs).toBe(0)
})

test('the skew of a server that was asked nothing for hours is the last one that was known', () => {
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const exchanges = createExchanges(clock)
  for (const hours of [1, -2]) {
    const at = clock.now()
    const date = new Date(at + hours * 3_600_000).toUTCString()
    exchanges.add({ ...plain, sentAt: at, at, date })
    clock.advance(3 * 3_600_000)
    expect(Math.round(exchanges.skewOf(plain.server) / 3_600_000)).toBe(hours)
    expect(exchanges.of(plain.server).clockSkewMs).toBe(exchanges.skewOf(plain.server))
  }
})
