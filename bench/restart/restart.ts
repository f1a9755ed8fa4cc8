/**
 * Three processes on one PostgreSQL database behind nginx are restarted one after the other, by
 * SIGTERM, while readers follow builds that come 100 times a second. What each reader got is compared
 * with what the build server announced. `node scripts/bench.mjs restart`; the number of readers is in
 * the environment variable READERS.
 */
import { join } from 'node:path'
import { missingPrograms, startBehindNginx } from '../../e2e/behind-nginx.ts'
import { person } from '../../e2e/people.ts'
import { start } from '../feed/product.ts'
import { openReader, type Reader } from './reader.ts'

const readerCount = Number(process.env.READERS ?? 500)
const ratePerSecond = 100

const missing = await missingPrograms()
if (missing === undefined) await measure()
else process.stdout.write(`  ${missing}\n`)

async function measure(): Promise<void> {
  // A session may have 100 streams.
  const people = Array.from({ length: Math.ceil(readerCount / 90) }, (_, index) =>
    person(`reader${index}`, 'viewer'),
  )
  const key = 'the-key-of-the-build-server'
  const source = await start(['embedded'], {
    SIGHTLINE_EMBEDDED_PORT: '0',
    SIGHTLINE_EMBEDDED_BUILDS: '0',
    SIGHTLINE_EMBEDDED_RATE: String(ratePerSecond),
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
  })
  const product = await startBehindNginx({
    count: 3,
    people,
    settings: { SIGHTLINE_BUILD_DATA_URL: source.url, SIGHTLINE_BUILD_DATA_ACCESS_KEY: key },
  })
  const announced = openReader({
    url: join(source.url, '/build-export/v2/builds/since/now?stream').replace(':/', '://'),
    token: key,
  })
  const readers: Reader[] = []
  for (let at = 0; at < readerCount; at += 1) {
    const { token = '' } = people[at % people.length] ?? {}
    readers.push(openReader({ url: `${product.url}/live/builds?since=now`, token }))
    if (at % 25 === 0) await sleep(50)
  }
  await until(() => readers.every((reader) => reader.ids().length > 0))
  for (const reader of readers) reader.resetWait()
  const begunAt = Date.now()
  const steps: string[] = []
  for (const one of product.processes) {
    const at = Date.now()
    const code = await one.end()
    const endedAfter = Date.now() - at
    await one.start()
    await until(
      async () => (await fetch(`${one.opsUrl}/readyz`).catch(() => undefined))?.ok === true,
    )
    steps.push(`exit ${String(code)} after ${endedAfter} ms, ready after ${Date.now() - at} ms`)
  }
  await sleep(3000)
  const seconds = (Date.now() - begunAt) / 1000
  const truth = announced.ids()
  const results = readers.map((reader) => compared(reader.ids(), truth))
  const waits = readers.map((reader) => reader.longestWaitMs()).sort((a, b) => a - b)
  const sum = (pick: (result: Compared) => number): number =>
    results.reduce((total, result) => total + pick(result), 0)
  const rows: Record<string, string | number> = {
    readers: readerCount,
    'builds in that time': Math.round(seconds * ratePerSecond),
    'seconds for three restarts': Math.round(seconds),
    'builds received by all readers': sum(({ received }) => received),
    lost: sum(({ lost }) => lost),
    doubled: sum(({ doubled }) => doubled),
    'out of order': sum(({ disordered }) => disordered),
    'connections of a reader': average(readers.map((reader) => reader.connections())),
    'refused connections, all readers': counted(readers.flatMap((one) => one.refusals())),
    'longest wait of a reader, median (ms)': waits[Math.floor(waits.length / 2)] ?? 0,
    'longest wait of any reader (ms)': waits.at(-1) ?? 0,
  }
  for (const [name, value] of Object.entries(rows)) {
    process.stdout.write(`  ${name.padEnd(44)} ${String(value).padStart(10)}\n`)
  }
  for (const step of steps) process.stdout.write(`  ${step}\n`)
  for (const reader of [announced, ...readers]) reader.close()
  await product.stop()
  await source.stop()
}

interface Compared {
  readonly received: number
  readonly lost: number
  readonly doubled: number
  readonly disordered: number
}

/** From the first to the last build that a reader got, against all that were announced. */
function compared(got: readonly string[], truth: readonly string[]): Compared {
  const place = new Map(truth.map((id, at) => [id, at]))
  const places = got.flatMap((id) => place.get(id) ?? [])
  const different = new Set(places)
  const first = places[0] ?? 0
  const last = places.reduce((most, at) => Math.max(most, at), first)
  return {
    received: got.length,
    lost: last - first + 1 - different.size,
    doubled: places.length - different.size,
    disordered: places.filter((at, index) => index > 0 && at < (places[index - 1] ?? 0)).length,
  }
}

function counted(texts: readonly string[]): string {
  return [...new Set(texts)]
    .map((text) => `${texts.filter((other) => other === text).length} x ${text}`)
    .join(', ')
}

function average(values: readonly number[]): string {
  return (values.reduce((total, value) => total + value, 0) / values.length).toFixed(1)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 600; looks += 1) {
    if (await holds()) return
    await sleep(100)
  }
  throw new Error('waited for a minute in vain')
}
