import fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  buildNumber,
  buildNumbers,
  type HostileUpstream,
  sseOf,
  startHostileUpstream,
} from './hostile-upstream.test-support.ts'
import { clientOf, createSwiftClock, until } from './hub-on-socket.test-support.ts'
import { openUpstreamStream, type UpstreamStream } from './upstream-stream.ts'

interface Reading {
  readonly upstream: HostileUpstream
  readonly stream: UpstreamStream
  /** What was passed on, in order. */
  readonly ids: string[]
  readonly gaps: (string | null)[]
  /** Every state that was told. */
  readonly states: string[]
}

/** Reads an upstream with the real client; `prepare` may arm it before the first request. */
async function read(
  prepare: (upstream: HostileUpstream) => void = () => undefined,
): Promise<Reading> {
  const upstream = await startHostileUpstream()
  prepare(upstream)
  const clock = createSwiftClock(Date.now)
  const client = clientOf(upstream.url, clock)
  const ids: string[] = []
  const gaps: (string | null)[] = []
  const states: string[] = []
  const stream = openUpstreamStream({
    client,
    clock,
    random: () => 0,
    logger: pino({ level: 'silent' }),
    version: 'v2',
    idleMs: 60_000,
    streamRetryMs: 300_000,
    onBuild: ({ buildId }) => {
      if (ids.includes(buildId)) return false
      ids.push(buildId)
      return true
    },
    onGap: (from) => gaps.push(from),
    onStatus: () => {
      const { upstream: state } = stream.status()
      if (states.at(-1) !== state) states.push(state)
    },
  })
  onTestFinished(async () => {
    await stream.close()
    await client.close()
    await upstream.stop()
  })
  return { upstream, stream, ids, gaps, states }
}

const live = ({ stream }: Reading): boolean => stream.status().upstream === 'live'
const idsOf = (from: number, to: number): string[] => buildNumbers(from, to).map((b) => b.buildId)
const pathsOf = ({ upstream }: Reading): string[] => upstream.requests.map(({ path }) => path)

describe('a stream that is cut', () => {
  const sample = buildNumbers(0, 20)
  const length = Buffer.byteLength(sample.map(sseOf).join(''))

  /** Lets a fresh reader get the sample over connections that are cut after so many bytes each. */
  async function readCut(
    upstream: HostileUpstream,
    client: ReturnType<typeof clientOf>,
    clock: ReturnType<typeof createSwiftClock>,
    cuts: readonly number[],
  ): Promise<string[]> {
    const ids: string[] = []
    upstream.builds.length = 0
    upstream.cuts.splice(0, Infinity, ...cuts)
    const stream = openUpstreamStream({
      client,
      clock,
      random: () => 0,
      logger: pino({ level: 'silent' }),
      version: 'v2',
      idleMs: 60_000,
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

  async function openAll(): Promise<{
    upstream: HostileUpstream
    clock: ReturnType<typeof createSwiftClock>
    client: ReturnType<typeof clientOf>
  }> {
    const upstream = await startHostileUpstream()
    const clock = createSwiftClock(Date.now, 2000)
    const client = clientOf(upstream.url, clock)
    onTestFinished(async () => {
      await client.close()
      await upstream.stop()
    })
    return { upstream, clock, client }
  }

  test('once at every byte delivers every build exactly once and in order', async () => {
    const { upstream, clock, client } = await openAll()
    for (let at = 0; at <= length; at++) {
      expect(await readCut(upstream, client, clock, [at]), `cut at ${at}`).toEqual(idsOf(0, 20))
    }
  }, 60_000)

  test('again and again at random delivers every build exactly once and in order', async () => {
    const { upstream, clock, client } = await openAll()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: length }), { minLength: 1, maxLength: 5 }),
        async (cuts) => {
          expect(await readCut(upstream, client, clock, cuts)).toEqual(idsOf(0, 20))
        },
      ),
      { numRuns: 1000 },
    )
  }, 60_000)
})
