import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { ExportVersion } from '../../../protocol/build-export.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { withExportVersion } from '../upstream/upstream.ts'
import {
  type Answer,
  buildNumber,
  type HostileUpstream,
  startHostileUpstream,
} from './hostile-upstream.test-support.ts'
import { clientOf, createSwiftClock, until } from './hub-on-socket.test-support.ts'
import { openUpstreamStream, type UpstreamStream } from './upstream-stream.ts'

/** A stream of a hostile upstream, and what came out of it. */
export interface Reading {
  readonly upstream: HostileUpstream
  readonly stream: UpstreamStream
  readonly clock: Clock
  /** What was passed on, in order. */
  readonly builds: BuildMessage[]
  readonly ids: string[]
  readonly gaps: (string | null)[]
  /** Every state and sentence that was told. */
  readonly states: string[]
  readonly messages: string[]
  /** Every wait for a next attempt that was told, ms. */
  readonly waits: number[]
  /** Each time that it was lost: since when, and when it was last heard. */
  readonly losses: (readonly [since: number, lastHeardAt: number | null])[]
  /** Why something that it sent, or has, wasn't read. */
  readonly unread: string[]
}

/** An upstream and the real client of it, on a clock of so many times the speed; both end with the test. */
export async function startWithClient(speed: number) {
  const upstream = await startHostileUpstream()
  const clock = createSwiftClock(Date.now, speed)
  const client = clientOf(upstream.url, clock)
  onTestFinished(async () => {
    await client.close()
    await upstream.stop()
  })
  return { upstream, clock, client }
}

/** Reads an upstream with the real client; `prepare` may arm it before the first request. */
export async function read(
  prepare: (upstream: HostileUpstream) => void = () => undefined,
  version: ExportVersion = 'v2',
): Promise<Reading> {
  const { upstream, clock, client: own } = await startWithClient(1000)
  prepare(upstream)
  const client = withExportVersion(own, version)
  const builds: BuildMessage[] = []
  const ids: string[] = []
  const gaps: (string | null)[] = []
  const states: string[] = []
  const messages: string[] = []
  const waits: number[] = []
  const losses: [number, number | null][] = []
  const unread: string[] = []
  const stream = openUpstreamStream({
    from: undefined,
    client,
    clock,
    spoken: () => version,
    random: () => 0,
    logger: pino({ level: 'silent' }),
    onLoss: ({ reason }) => unread.push(reason),
    pace: () => Promise.resolve(),
    idleMs: 300_000,
    streamRetryMs: 300_000,
    onBuild: (build) => {
      if (ids.includes(build.buildId)) return false
      builds.push(build)
      ids.push(build.buildId)
      return true
    },
    onGap: (from) => gaps.push(from),
    onStatus: () => {
      const status = stream.status()
      states.push(status.upstream)
      messages.push(status.message)
      if (status.upstream === 'retrying') losses.push([status.since, status.lastHeardAt])
      if (status.nextAttemptAt !== null) waits.push(status.nextAttemptAt - clock.now())
    },
  })
  onTestFinished(() => stream.close())
  return { upstream, stream, clock, builds, ids, gaps, states, messages, waits, losses, unread }
}

/** The same, once the stream is open. */
export async function readLive(): Promise<Reading> {
  const reading = await read()
  await until(() => live(reading))
  return reading
}

/** Reads an upstream whose stream answers so, once it has been told of the reading that it `is`. */
export async function readRefused(
  is: string,
  ...refusal: [status: number, headers?: Record<string, string>]
): Promise<Reading> {
  const reading = await read((upstream) => refuseStreams(upstream, ...refusal))
  await until(() => reading.states.includes(is))
  return reading
}

/** The upstream has a build of the series, and it arrives. */
export async function arrive({ upstream, ids }: Reading, number: number): Promise<void> {
  const before = ids.length
  upstream.publish(buildNumber(number))
  await until(() => ids.length === before + 1)
}

/** Whether the stream is open. */
export function live({ stream }: Reading): boolean {
  return stream.status().upstream === 'live'
}

/** What was asked of the upstream. */
export function pathsOf({ upstream }: Reading): string[] {
  return upstream.requests.map(({ path }) => path)
}

/** Answers every stream request with a status, until it is taken back. */
export function refuseStreams(
  upstream: HostileUpstream,
  status: number,
  headers: Record<string, string> = {},
): Answer {
  const answer: Answer = (request, response) => {
    if (request.url?.includes('/build-export/') !== true) return false
    response.writeHead(status, headers).end()
    return true
  }
  upstream.answers.push(answer)
  return answer
}
