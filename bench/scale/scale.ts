/**
 * One, two and three proxies of the built product behind which readers sit, on one live log in
 * PostgreSQL, in Redis, and each for itself (memory), in the same run. Upstream and readers are processes
 * of their own and raw; delays are from the upstream's write to the reader. On a machine with few cores
 * all of them share these: the processor time is each one's own. `--readers=300 --seconds=8 --away=30`,
 * and `--only=steady` (or burst, kill, away) for a part of it.
 */
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { findRedis, startRedis } from '../../src/server/live-log/throwaway-redis.test-support.ts'
import {
  findPostgres,
  startPostgres,
} from '../../src/server/store/throwaway-postgres.test-support.ts'
import { processorSeconds } from '../feed/processor-time.ts'
import { type Running, start } from '../feed/product.ts'
import { type Role, startRole } from '../hub/role.ts'
import { sharedMicros } from '../hub/source.ts'
import { ReadersResult, serveAsReaders } from './readers-role.ts'
import { serveAsUpstream, UpstreamState } from './upstream-role.ts'

const role = process.argv[2]
if (role === 'upstream') serveAsUpstream()
else if (role === 'readers') serveAsReaders()
else await measureAll()

type Kind = 'postgres' | 'redis' | 'memory'

interface Engine {
  readonly pid: number
  readonly emptyDatabase: () => Promise<string>
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

interface Proxy extends Running {
  readonly port: number
  readonly tokens: readonly string[]
}

/** Everything that a measurement needs, all of it fresh but the engine. */
interface Rig {
  readonly engine: Engine | undefined
  readonly upstream: Role
  readonly proxies: readonly Proxy[]
  /** Many readers that only count. */
  readonly crowd: Role
  /** A few for each proxy that look into what they get. */
  readonly exact: Role
}

type Row = Readonly<Record<string, string | number>>

async function measureAll(): Promise<void> {
  const readers = given('readers', 300)
  const ms = given('seconds', 8) * 1000
  const postgres = await findPostgres()
  const redis = await findRedis()
  const engines: Record<Kind, Engine | undefined> = {
    postgres: postgres === undefined ? undefined : await startPostgres(postgres),
    redis: redis === undefined ? undefined : await startRedis(redis),
    memory: undefined,
  }
  const kinds = (['postgres', 'redis', 'memory'] as const).filter(
    (kind) => kind === 'memory' || engines[kind] !== undefined,
  )
  const shared = kinds.filter((kind) => kind !== 'memory')
  const only = process.argv.find((each) => each.startsWith('--only='))?.split('=')[1]
  const table = async (
    name: string,
    title: string,
    columns: readonly (readonly [Kind, number])[],
    readersEach: number,
    measure: (rig: Rig) => Promise<Row>,
  ): Promise<void> => {
    if (only !== undefined && only !== name) return
    const rows: Row[] = []
    for (const [kind, count] of columns) {
      rows.push(await inRig(engines[kind], count, readersEach, measure))
    }
    print(
      title,
      columns.map(([kind, count]) => `${kind} ${count}`),
      rows,
    )
  }
  try {
    await table(
      'steady',
      `100 builds a second for ${ms / 1000} s, ${readers} readers at each proxy`,
      kinds.flatMap((kind) => [1, 2, 3].map((count) => [kind, count] as const)),
      readers,
      (rig) => measureSteady(rig, ms),
    )
    await table(
      'burst',
      'a burst of 20,000 builds, 30 readers at each proxy',
      kinds.map((kind) => [kind, 3] as const),
      30,
      measureBurst,
    )
    await table(
      'kill',
      'the proxy that follows is killed at 100 builds a second, 30 readers at each',
      shared.map((kind) => [kind, 3] as const),
      30,
      measureKill,
    )
    const away = given('away', 30) * 1000
    await table(
      'away',
      `the engine is killed and away for ${away / 1000} s at 100 builds a second, 30 readers at each`,
      shared.map((kind) => [kind, 3] as const),
      30,
      (rig) => measureAway(rig, away),
    )
  } finally {
    await Promise.all([engines.postgres?.stop(), engines.redis?.stop()])
  }
}

async function inRig(
  engine: Engine | undefined,
  count: number,
  readersEach: number,
  measure: (rig: Rig) => Promise<Row>,
): Promise<Row> {
  const file = fileURLToPath(import.meta.url)
  const upstream = startRole(file, 'upstream')
  const crowd = startRole(file, 'readers')
  const exact = startRole(file, 'readers')
  const proxies: Proxy[] = []
  try {
    const upstreamPort = await upstream.order('start', {}, z.number())
    // Something stands there when the proxies come, as it does behind everybody's.
    await upstream.order('burst', { count: 10 }, z.null())
    const url = (await engine?.emptyDatabase()) ?? 'memory'
    for (let at = 0; at < count; at++) proxies.push(await startProxy(upstreamPort, url))
    const targets = proxies.map(({ port, tokens }) => ({ port, tokens }))
    const isShared = engine !== undefined
    await until(upstream, ({ streams }) => streams === (isShared ? 1 : count))
    await crowd.order('open', { proxies: targets, count: readersEach * count }, z.null())
    await exact.order('open', { proxies: targets, count: 2 * count, exact: true }, z.null())
    const rig = { engine, upstream, proxies, crowd, exact }
    const before = await upstream.order('publish', { perSecond: 100, ms: 1500 }, z.number())
    await untilAll(rig, before, performance.now())
    await Promise.all([crowd.order('reset', {}, z.null()), exact.order('reset', {}, z.null())])
    return await measure(rig)
  } finally {
    await Promise.all([crowd.stop(), exact.stop(), upstream.stop()])
    await Promise.all(proxies.map((proxy) => proxy.stop()))
  }
}

async function startProxy(upstreamPort: number, liveLog: string): Promise<Proxy> {
  const running = await start([], {
    SIGHTLINE_PORT: '0',
    SIGHTLINE_BUILD_DATA_URL: `http://127.0.0.1:${upstreamPort}`,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: 'a-key-of-the-build-server-0123456789abcdef',
    SIGHTLINE_LIVE_LOG_URL: liveLog,
    SIGHTLINE_LOG_LEVEL: 'silent',
  })
  // A session may have a hundred streams.
  const tokens: string[] = []
  for (let at = 0; at < 10; at++) {
    const session = await fetch(`${running.url}/session`, { method: 'POST' })
    tokens.push(z.object({ token: z.string() }).parse(await session.json()).token)
  }
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= running.stop())
  return { ...running, stop, port: Number(new URL(running.url).port), tokens }
}

async function measureSteady(rig: Rig, ms: number): Promise<Row> {
  const { upstream, proxies, engine } = rig
  const before = await stateOf(upstream)
  const used = proxies.map(({ pid }) => processorSeconds(pid))
  const engineUsed = engine === undefined ? 0 : processorSeconds(engine.pid)
  const published = await upstream.order('publish', { perSecond: 100, ms }, z.number())
  await sleep(1500)
  const seconds = (ms + 1500) / 1000
  const shares = proxies.map(({ pid }, at) => (processorSeconds(pid) - (used[at] ?? 0)) / seconds)
  const engineShare =
    engine === undefined ? 0 : (processorSeconds(engine.pid) - engineUsed) / seconds
  const after = await stateOf(upstream)
  const exact = await rig.exact.order('result', {}, ReadersResult)
  const crowd = await rig.crowd.order('result', {}, ReadersResult)
  return {
    'streams at the build server': after.streams,
    'facts requests per build': round((after.factsRequests - before.factsRequests) / published, 2),
    'times a build is asked for': round((after.factsAsked - before.factsAsked) / published, 2),
    'receipt to reader p50 (ms)': round(exact.p50),
    'receipt to reader p99 (ms)': round(exact.p99),
    'processor of a proxy, mean (% of a core)': round(mean(shares) * 100),
    'processor of a proxy, most (% of a core)': round(Math.max(...shares) * 100),
    'processor of the engine (% of a core)': round(engineShare * 100),
    ...lostAndDoubled(published, exact, crowd),
  }
}

async function measureBurst(rig: Rig): Promise<Row> {
  const { upstream, proxies } = rig
  const count = 20_000
  const used = proxies.map(({ pid }) => processorSeconds(pid))
  const startedAt = performance.now()
  await upstream.order('burst', { count }, z.null())
  const seconds = await untilAll(rig, count, startedAt)
  const shares = proxies.map(({ pid }, at) => processorSeconds(pid) - (used[at] ?? 0))
  const exact = await rig.exact.order('result', {}, ReadersResult)
  const crowd = await rig.crowd.order('result', {}, ReadersResult)
  return {
    'all readers have all after (s)': round(seconds),
    'processor of a proxy, mean (s)': round(mean(shares), 2),
    ...lostAndDoubled(count, exact, crowd),
  }
}

async function measureKill(rig: Rig): Promise<Row> {
  const { upstream, proxies } = rig
  const publishing = upstream.order('publish', { perSecond: 100, ms: 9000 }, z.number())
  await sleep(2000)
  const follower = await followerOf(proxies)
  const { opened } = await stateOf(upstream)
  const killedAt = sharedMicros()
  await follower.stop()
  const next = await until(upstream, (state) => state.opened > opened)
  const published = await publishing
  await untilAll(rig, published, performance.now())
  const exact = await rig.exact.order('result', {}, ReadersResult)
  const crowd = await rig.crowd.order('result', {}, ReadersResult)
  return {
    'until another one follows (s)': round((next.openedAt - killedAt) / 1e6, 2),
    'longest silence of a reader (s)': round(exact.longestSilence / 1000, 2),
    'readers that came back': crowd.reconnects + exact.reconnects,
    ...lostAndDoubled(published, exact, crowd),
  }
}

async function measureAway(rig: Rig, ms: number): Promise<Row> {
  const { upstream, engine } = rig
  const publishing = upstream.order('publish', { perSecond: 100, ms: ms + 5000 }, z.number())
  await sleep(2000)
  await engine?.kill()
  await sleep(ms)
  await engine?.start()
  const backAt = performance.now()
  const published = await publishing
  const seconds = await untilAll(rig, published, backAt)
  const exact = await rig.exact.order('result', {}, ReadersResult)
  const crowd = await rig.crowd.order('result', {}, ReadersResult)
  return {
    'all readers have all after its return (s)': round(seconds),
    'readers that came back': crowd.reconnects + exact.reconnects,
    ...lostAndDoubled(published, exact, crowd),
  }
}

function lostAndDoubled(published: number, exact: ReadersResult, crowd: ReadersResult): Row {
  return {
    'builds lost to a reader, at most': published - Math.min(exact.fewest, crowd.fewest),
    'builds given twice': exact.doubled + Math.max(0, crowd.most - published),
    'builds out of order, gaps': exact.disordered + exact.gaps,
  }
}

/** Seconds since an instant until every reader has so many builds; a minute at most. */
async function untilAll({ crowd, exact }: Rig, count: number, since: number): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const results = await Promise.all(
      [crowd, exact].map((readers) => readers.order('result', {}, ReadersResult)),
    )
    const isOver = performance.now() - startedAt > 60_000
    if (isOver || results.every(({ fewest }) => fewest >= count)) break
    await sleep(100)
  }
  return (performance.now() - since) / 1000
}

async function followerOf(proxies: readonly Proxy[]): Promise<Proxy> {
  for (const proxy of proxies) {
    const metrics = await fetch(`${proxy.url}/metrics`, {
      headers: { authorization: `Bearer ${proxy.tokens[0] ?? ''}` },
    })
    if (/^sightline_live_follows(?:\{.*\})? 1$/m.test(await metrics.text())) return proxy
  }
  throw new Error('no proxy says that it follows the build server')
}

async function until(
  upstream: Role,
  isSo: (state: UpstreamState) => boolean,
): Promise<UpstreamState> {
  const startedAt = performance.now()
  for (;;) {
    const state = await stateOf(upstream)
    if (isSo(state)) return state
    if (performance.now() - startedAt > 60_000) throw new Error('not within a minute')
    await sleep(20)
  }
}

function stateOf(upstream: Role): Promise<UpstreamState> {
  return upstream.order('state', {}, UpstreamState)
}

function print(title: string, columns: readonly string[], rows: readonly Row[]): void {
  const cells = (values: readonly (string | number)[]): string =>
    values.map((value) => String(value).padStart(12)).join('')
  process.stdout.write(`\n${title}\n${' '.repeat(46)}${cells(columns)}\n`)
  for (const name of Object.keys(rows[0] ?? {})) {
    process.stdout.write(`  ${name.padEnd(44)}${cells(rows.map((row) => row[name] ?? ''))}\n`)
  }
}

function given(name: string, otherwise: number): number {
  const found = process.argv.find((each) => each.startsWith(`--${name}=`))
  return found === undefined ? otherwise : Number(found.split('=')[1])
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits))
}
