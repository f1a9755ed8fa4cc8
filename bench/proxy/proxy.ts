/**
 * What Sightline passes on, beside nginx (`proxy_pass`, one worker) in the same run, with the same raw
 * upstream and the same raw client on loopback: a build's event stream of 1 GB, 1,000 small requests a
 * second for 10 s, and as many of them as go. `--mb=100` makes the stream shorter, `--seconds=3` the rest.
 * Both are measured by turns, three times; each figure is the median of its three.
 */
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { processorSeconds } from '../feed/processor-time.ts'
import { start } from '../feed/product.ts'
import { startRole } from '../hub/role.ts'
import { memoryHighWater, startNginx } from './nginx.ts'
import { drain, type Latencies, requests, type Target } from './raw-client.ts'
import { serveAsUpstream } from './raw-upstream.ts'

const given = (name: string, otherwise: number): number => {
  const found = process.argv.find((each) => each.startsWith(`--${name}=`))
  return found === undefined ? otherwise : Number(found.split('=')[1])
}

if (process.argv[2] === 'upstream') serveAsUpstream()
else await measure()

interface Measured {
  readonly mbPerSecond: number
  readonly streamSeconds: number
  readonly paced: Latencies
  readonly pacedProcessor: number
  readonly most: Latencies
  readonly mostProcessor: number
  readonly memory: number
}

interface Rows {
  readonly nginx: Measured[]
  readonly sightline: Measured[]
}

async function measure(): Promise<void> {
  const megabytes = given('mb', 1024)
  const ms = given('seconds', 10) * 1000
  const upstream = startRole(fileURLToPath(import.meta.url), 'upstream')
  const upstreamPort = await upstream.order('start', { bytes: megabytes * 1024 * 1024 }, z.number())
  const key = 'a-key-of-the-build-server-0123456789abcdef'
  const nginx = await startNginx(upstreamPort, `Bearer ${key}`)
  const sightline = await start([], {
    SIGHTLINE_PORT: '0',
    SIGHTLINE_BUILD_DATA_URL: `http://127.0.0.1:${upstreamPort}`,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
  })
  try {
    const session = await fetch(`${sightline.url}/session`, { method: 'POST' })
    const { token } = z.object({ token: z.string() }).parse(await session.json())
    const headers = `authorization: Bearer ${token}\r\naccept: text/event-stream\r\n`
    const ours = { port: Number(new URL(sightline.url).port), headers }
    const theirs = { port: nginx.port, headers }
    const prefix = '/upstream/build-data'
    const rows: Rows = { nginx: [], sightline: [] }
    for (let round = 0; round < 3; round++) {
      rows.nginx.push(await measureOne(theirs, '', nginx.pid, megabytes, ms))
      rows.sightline.push(await measureOne(ours, prefix, sightline.pid, megabytes, ms))
    }
    print(`an event stream of ${megabytes} MB`, rows, {
      'MB a second': ({ mbPerSecond }) => mbPerSecond,
      'processor (s)': ({ streamSeconds }) => streamSeconds,
    })
    print(`1,000 small requests a second for ${ms / 1000} s`, rows, {
      'requests a second': ({ paced }) => paced.perSecond,
      'p50 (ms)': ({ paced }) => paced.p50,
      'p99 (ms)': ({ paced }) => paced.p99,
      'processor per 1,000 (ms)': ({ paced, pacedProcessor }) =>
        (1_000_000 * pacedProcessor) / paced.count,
    })
    print(`small requests over 32 connections for ${ms / 1000} s`, rows, {
      'requests a second': ({ most }) => most.perSecond,
      'p50 (ms)': ({ most }) => most.p50,
      'p99 (ms)': ({ most }) => most.p99,
      'processor per 1,000 (ms)': ({ most, mostProcessor }) =>
        (1_000_000 * mostProcessor) / most.count,
    })
    print('memory', rows, { 'at most (MB)': ({ memory }) => memory })
  } finally {
    await Promise.all([sightline.stop(), nginx.stop(), upstream.stop()])
  }
}

async function measureOne(
  target: Target,
  prefix: string,
  pid: number,
  megabytes: number,
  ms: number,
): Promise<Measured> {
  const list = `${prefix}/api/builds?maxBuilds=10&sinceBuild=abcdefghijklm`
  // Whatever is compiled on first use is, before anything is timed.
  await requests(target, list, 1000)
  const processor = async <T>(work: () => Promise<T>): Promise<[T, number, number]> => {
    const before = processorSeconds(pid)
    const began = performance.now()
    const result = await work()
    return [result, processorSeconds(pid) - before, (performance.now() - began) / 1000]
  }
  const events = `${prefix}/build-export/v2/build/abcdefghijklm/events`
  const [, streamSeconds, seconds] = await processor(() => drain(target, events))
  const [paced, pacedProcessor] = await processor(() => requests(target, list, ms, 1000))
  const [most, mostProcessor] = await processor(() => requests(target, list, ms))
  const memory = memoryHighWater(pid)
  const mbPerSecond = megabytes / seconds
  return { mbPerSecond, streamSeconds, paced, pacedProcessor, most, mostProcessor, memory }
}

function print(
  title: string,
  rows: Rows,
  cells: Readonly<Record<string, (measured: Measured) => number>>,
): void {
  process.stdout.write(`\n${title}\n`)
  for (const [name, cell] of Object.entries(cells)) {
    const [theirs, ours] = [median(rows.nginx.map(cell)), median(rows.sightline.map(cell))]
    process.stdout.write(
      `  ${name.padEnd(28)} nginx ${theirs.toFixed(1).padStart(9)}   Sightline ${ours.toFixed(1).padStart(9)}   ratio ${(ours / theirs).toFixed(2)}\n`,
    )
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}
