import { expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createPlaces, type Places, type UpstreamClient } from './upstream-client.ts'

const clock = createManualClock(0)
const here = (): AbortSignal => new AbortController().signal

/** Places at a server whose answers nobody reads; `hold` takes so many of a holder. */
function placesUnderTest(): {
  readonly places: Places
  readonly hold: (holder: string, count: number) => Promise<(() => void)[]>
} {
  const client: Pick<UpstreamClient, 'request'> = {
    request: ({ path }) =>
      path === '/away'
        ? Promise.reject(new Error('away'))
        : Promise.resolve({
            url: path,
            status: 200,
            wasGzip: false,
            isOpenEnded: false,
            header: () => null,
            body: (async function* () {
              yield await Promise.resolve(Buffer.from('[]'))
            })(),
            cancel: () => undefined,
          }),
  }
  const places = createPlaces(client, 'build server', clock)
  return {
    places,
    hold: (holder, count) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const answer = await (await places.take(holder, here())).request({ path: '/' })
          return answer.cancel
        }),
      ),
  }
}

test('who comes when all places are taken is told that Sightline is busy, after 10 s', async () => {
  const { places, hold } = placesUnderTest()
  for (const holder of ['ann', 'bob', 'cleo', 'dan']) await hold(holder, 80)
  const waiting = places.take('eve', here())
  clock.advance(9_999)
  expect(clock.pending()).toBe(1)
  clock.advance(1)
  await expect(waiting).rejects.toMatchObject({
    status: 503,
    retryAfterMs: 5000,
    problem: { title: 'Sightline is busy' },
  })
})

test('a place that is given up goes to the first who may have one', async () => {
  const { places, hold } = placesUnderTest()
  const [ofAnn] = await hold('ann', 80)
  for (const holder of ['bob', 'cleo', 'dan']) await hold(holder, 80)
  const order: string[] = []
  const ask = async (holder: string): Promise<void> => {
    await places.take(holder, here())
    order.push(holder)
  }
  const asked = [ask('bob'), ask('eve'), ask('ann')]
  ofAnn?.()
  ofAnn?.()
  await asked[1]
  expect(order).toEqual(['eve'])
  const ends = Promise.allSettled(asked)
  clock.advance(10_000)
  expect(await ends).toMatchObject([
    { reason: { status: 429 } },
    { status: 'fulfilled' },
    { reason: { status: 503 } },
  ])
})

test.each(['read', 'failed', 'left'] as const)(
  'a place of a request that was %s is free again',
  async (how) => {
    const { places, hold } = placesUnderTest()
    await hold('ann', 79)
    const gone = new AbortController()
    const place = await places.take('ann', gone.signal)
    if (how === 'left') gone.abort()
    else if (how === 'failed') await place.request({ path: '/away' }).catch(() => undefined)
    else
      for await (const piece of (await place.request({ path: '/' })).body)
        expect(piece).toBeDefined()
    await expect(places.take('ann', here())).resolves.toBeDefined()
  },
)

test('who leaves while waiting is forgotten', async () => {
  const { places, hold } = placesUnderTest()
  await hold('ann', 80)
  const gone = new AbortController()
  const waiting = places.take('ann', gone.signal)
  gone.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  expect(clock.pending()).toBe(0)
})
