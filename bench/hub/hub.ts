/**
 * The live hub beside a bare Node fan-out that writes each message to each reader, in one run. Source,
 * server and readers are processes of their own; delays are from the source to the reader. On a
 * machine with few cores the three share them: the processor time is the server's own.
 */
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { LoadResult, serveAsLoad } from './load-role.ts'
import { type Role, startRole } from './role.ts'
import { serveAsServer, ServerState } from './server-role.ts'
import { type Source, startSource } from './source.ts'

type Kind = 'bare' | 'hub'
type Row = Record<string, string | number>

/** Everything that one measurement needs, all of it fresh. */
interface Rig {
  readonly source: Source
  readonly server: Role
  readonly load: Role
  /** A few readers that time what they get, undisturbed by the others. */
  readonly probe: Role
  readonly port: number
}

const role = process.argv[2]
if (role === 'hub' || role === 'bare') serveAsServer(role)
else if (role === 'load') serveAsLoad()
else await measureAll()

async function measureAll(): Promise<void> {
  await both('100 builds/s to 2,000 readers for 10 s', measureSteady)
  await both('1,000 readers come back at once, 1,000 others reading 100 builds/s', measureStorm)
  await both('20 readers that read nothing and 100 that do, 1.5 MB/s for 12 s', measureStalled)
  await both('10,000 streams opened and closed, 200 at a time', measureChurn)
}

async function both(title: string, measure: (rig: Rig) => Promise<Row>): Promise<void> {
  const rows: Record<Kind, Row> = {
    bare: await inRig('bare', measure),
    hub: await inRig('hub', measure),
  }
  process.stdout.write(`\n${title}\n`)
  for (const name of Object.keys(rows.hub)) {
    const cells = [String(rows.bare[name] ?? ''), String(rows.hub[name] ?? '')]
    process.stdout.write(
      `  ${name.padEnd(44)} bare ${cells[0]?.padStart(10) ?? ''}   hub ${cells[1]?.padStart(10) ?? ''}\n`,
    )
  }
}

async function inRig(kind: Kind, measure: (rig: Rig) => Promise<Row>): Promise<Row> {
  const file = fileURLToPath(import.meta.url)
  const source = await startSource()
  const server = startRole(file, kind)
  const load = startRole(file, 'load')
  const probe = startRole(file, 'load')
  try {
    const port = await server.order('start', { sourcePort: source.port }, z.number())
    while (source.streams() === 0) await sleep(20)
    return await measure({ source, server, load, probe, port })
  } finally {
    await Promise.all([server.stop(), load.stop(), probe.stop()])
    source.stop()
  }
}

async function measureSteady({ source, server, load, probe, port }: Rig): Promise<Row> {
  const idle = await server.order('state', { collect: true }, ServerState)
  // Among the others in the order of the server, so that neither its first nor its last are timed.
  for (let batch = 0; batch < 20; batch++) {
    await load.order('open', { port, count: 98, atOnce: 98 }, z.number())
    await probe.order('open', { port, count: 2, atOnce: 2, timed: true }, z.number())
  }
  const full = await server.order('state', { collect: true }, ServerState)
  await source.publish(100, 2000)
  await sleep(500)
  await load.order('reset', {}, z.null())
  await probe.order('reset', {}, z.null())
  const before = await server.order('state', {}, ServerState)
  const startedAt = performance.now()
  const sent = await source.publish(100, 10_000)
  await sleep(300)
  const seconds = (performance.now() - startedAt) / 1000
  const after = await server.order('state', {}, ServerState)
  await sleep(1000)
  const result = await load.order('result', {}, LoadResult)
  const timed = await probe.order('result', {}, LoadResult)
  const delivered = result.delivered + timed.delivered
  const processorMs = after.processorMs - before.processorMs
  return {
    'delivered a second': Math.round(delivered / 10),
    'delivered of all (%)': round((100 * delivered) / (sent * 2000), 2),
    'delay p50 (ms)': round(timed.p50),
    'delay p99 (ms)': round(timed.p99),
    'processor (% of one core)': round(processorMs / seconds / 10),
    'processor per 1,000 delivered (ms)': round((1000 * processorMs) / delivered, 2),
    'heap per reader (kB)': round((1024 * (full.heap - idle.heap)) / 2000),
    'memory without readers (MB)': Math.round(idle.rss),
    'memory at most (MB)': Math.round(after.maxRss),
  }
}

async function measureStorm({ source, server, load, probe, port }: Rig): Promise<Row> {
  await probe.order('open', { port, count: 1, atOnce: 1, timed: true }, z.number())
  await load.order('open', { port, count: 999, atOnce: 100 }, z.number())
  await source.publish(100, 2000)
  await sleep(300)
  const { lastId } = await probe.order('result', {}, LoadResult)
  const publishing = source.publish(100, 8000)
  await sleep(1000)
  const storm = { port, count: 1000, atOnce: 1000, lastEventId: lastId }
  const ms = await load.order('open', storm, z.number())
  await publishing
  const state = await server.order('state', {}, ServerState)
  return {
    'all 1,000 served after (ms)': Math.round(ms),
    'readers afterwards': state.readers,
    'requests to the upstream': source.requests(),
  }
}

async function measureStalled({ source, server, load, probe, port }: Rig): Promise<Row> {
  await load.order('open', { port, count: 95, atOnce: 95 }, z.number())
  await probe.order('open', { port, count: 5, atOnce: 5, timed: true }, z.number())
  // Fills the ring, which is there with and without stalled readers.
  await source.publish(4000, 3000, 900)
  await sleep(500)
  const before = await server.order('state', { collect: true }, ServerState)
  await load.order('open', { port, count: 20, atOnce: 20, reads: false }, z.number())
  await sleep(500)
  await load.order('reset', {}, z.null())
  await probe.order('reset', {}, z.null())
  const sent = await source.publish(1500, 12_000, 900)
  const after = await server.order('state', {}, ServerState)
  await sleep(1000)
  const results = await Promise.all(
    [load, probe].map((readers) => readers.order('result', {}, LoadResult)),
  )
  return {
    'readers left of 120': after.readers,
    'readers that got all': results.reduce(
      (sum, { most, complete }) => sum + (most === sent ? complete : 0),
      0,
    ),
    'memory more than before (MB)': Math.round(after.maxRss - before.rss),
    'delay p99 of the others (ms)': round(results[1]?.p99 ?? 0),
  }
}

async function measureChurn({ source, server, load, port }: Rig): Promise<Row> {
  await load.order('churn', { port, count: 1000, atOnce: 200 }, z.null())
  await sleep(500)
  const before = await server.order('state', { collect: true }, ServerState)
  const publishing = source.publish(100, 5000)
  const startedAt = performance.now()
  await load.order('churn', { port, count: 10_000, atOnce: 200 }, z.null())
  const seconds = (performance.now() - startedAt) / 1000
  await publishing
  await sleep(1000)
  const after = await server.order('state', { collect: true }, ServerState)
  return {
    'streams a second': Math.round(10_000 / seconds),
    'readers left': after.readers,
    'sockets and timers more than before': after.resources - before.resources,
    'heap more than before (MB)': round(after.heap - before.heap),
    'memory more than before (MB)': Math.round(after.rss - before.rss),
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits))
}
