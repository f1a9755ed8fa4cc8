import fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { positions, runs } from '../../../property-runs.test-support.ts'
import { buildNumbers, idsOf, sseOf } from './hostile-upstream.test-support.ts'
import { until } from './hub-on-socket.test-support.ts'
import { startWithClient } from './upstream-reading.test-support.ts'
import { openUpstreamStream } from './upstream-stream.ts'

describe('a stream that is cut', () => {
  const sample = buildNumbers(0, 20)
  const length = Buffer.byteLength(sample.map(sseOf).join(''))

  /** Lets a fresh reader get the sample over connections that are cut after so many bytes each. */
  async function readCut(
    { upstream, client, clock }: Awaited<ReturnType<typeof startWithClient>>,
    cuts: readonly number[],
  ): Promise<string[]> {
    const ids: string[] = []
    upstream.builds.length = 0
    upstream.cuts.splice(0, Infinity, ...cuts)
    const stream = openUpstreamStream({
      from: undefined,
      client,
      clock,
      random: () => 0,
      logger: pino({ level: 'silent' }),
      onLoss: () => undefined,
      pace: () => Promise.resolve(),
      idleMs: 3_600_000,
      streamRetryMs: 300_000,
      onBuild: ({ buildId }) => {
        ids.push(buildId)
        return true
      },
      onGap: () => ids.push('gap'),
      onStatus: () => undefined,
    })
    await until(() => stream.status().upstream === 'live')
    for (const build of sample) upstream.publish(build)
    await until(() => ids.length >= sample.length)
    await stream.close()
    return ids
  }

  async function openLane(): Promise<(cuts: readonly number[]) => Promise<string[]>> {
    const lane = await startWithClient(5000)
    return (cuts) => readCut(lane, cuts)
  }

  test('once at any byte delivers every build exactly once and in order', async () => {
    const cuts = positions(length).values()
    const lane = async (): Promise<void> => {
      const readWith = await openLane()
      for (const at of cuts) {
        expect(await readWith([at]), `cut at ${at}`).toEqual(idsOf(0, 20))
      }
    }
    await Promise.all([lane(), lane(), lane(), lane()])
  })

  test('again and again at random delivers every build exactly once and in order', async () => {
    const readWith = await openLane()
    const someCuts = fc.array(fc.integer({ min: 0, max: length }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(someCuts, async (cuts) => {
        expect(await readWith(cuts)).toEqual(idsOf(0, 20))
      }),
      { numRuns: runs(1000) },
    )
  })
})
