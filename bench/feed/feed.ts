/**
 * A million builds from socket bytes through the Feed to snapshots, beside a loop that does nothing
 * but JSON.parse on the same bytes. The server is a process of its own, so that it is not measured;
 * beside the time by the clock stands the processor time, which other work on the machine leaves
 * alone.
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createFeed } from '../../src/web/data/live/feed-store.ts'
import { createLiveSource } from '../../src/web/data/live/stream-source.ts'
import { createSession } from '../../src/web/data/core/session.ts'
import { batchedStream } from './builds-sample.ts'
import { measurePage } from './page.ts'

const builds = 1_000_000
const atOnce = 1000
const rounds = 5

if (process.send === undefined) await measure()
else await serve()

async function serve(): Promise<void> {
  const pieces = [...batchedStream(builds, atOnce)].map((text) => Buffer.from(text))
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          token: 'bench',
          expiresAt: Date.now() + 3_600_000,
          user: { name: 'bench', roles: ['viewer'] },
        }),
      )
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void (async () => {
      for (const piece of pieces) {
        if (!response.write(piece)) await once(response, 'drain')
      }
      if (request.url === '/bytes') response.end()
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  process.send?.(`http://127.0.0.1:${String(port)}`)
}

async function measure(): Promise<void> {
  const server = fork(fileURLToPath(import.meta.url))
  const origin = await new Promise<string>((resolve) => {
    server.once('message', (message) => {
      resolve(typeof message === 'string' ? message : '')
    })
  })
  Object.assign(globalThis, {
    window: { setTimeout, clearTimeout },
    document: { removeEventListener: () => undefined },
  })

  const bare: Cost[] = []
  const whole: Cost[] = []
  let peak = 0
  let snapshots = 0
  for (let round = 0; round < rounds; round++) {
    globalThis.gc?.()
    bare.push(await costOf(() => readBare(origin)))
    globalThis.gc?.()
    whole.push(
      await costOf(async () => {
        const result = await readThroughFeed(origin)
        snapshots = result.snapshots
        peak = Math.max(peak, result.peakBytes)
      }),
    )
  }
  server.kill()

  const share = medianOf(bare, 'seconds') / medianOf(whole, 'seconds')
  const processorShare = medianOf(bare, 'processor') / medianOf(whole, 'processor')
  say(`builds                    ${builds.toLocaleString('en-US')} in messages of ${atOnce}`)
  say(`bare JSON.parse           ${line(bare)}`)
  say(`Feed to snapshots         ${line(whole)}`)
  say(`share of the bare speed   ${percent(share)} by the clock   goal: 50 %`)
  say(`                          ${percent(processorShare)} by processor time`)
  say(`snapshots published       ${snapshots}, the last one up to 0.2 s after the last byte`)
  say(`peak memory of the Feed   ${(peak / 1e6).toFixed(0)} MB resident`)
  if (Math.max(share, processorShare) < 0.5) process.exitCode = 1
  if (!(await measurePage(say))) process.exitCode = 1
}

/** What a piece of work took: seconds by the clock, and of the processor on all threads. */
interface Cost {
  readonly seconds: number
  readonly processor: number
}

async function costOf(work: () => Promise<void>): Promise<Cost> {
  const begin = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - begin) / 1000, processor: (user + system) / 1e6 }
}

/** Reads the bytes, finds each message and parses it: nothing is checked, nothing kept. */
async function readBare(origin: string): Promise<void> {
  const { body } = await fetch(`${origin}/bytes`)
  const decoder = new TextDecoder()
  let rest = ''
  let count = 0
  for await (const chunk of body ?? []) {
    const text = rest + decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (text.startsWith('data: ', start)) {
        const parsed: unknown = JSON.parse(text.slice(start + 6, end))
        if (Array.isArray(parsed)) count += parsed.length
      }
      start = end + 1
    }
    rest = text.slice(start)
  }
  if (count !== builds) throw new Error(`the bare loop read ${count} builds`)
}

async function readThroughFeed(origin: string): Promise<{ snapshots: number; peakBytes: number }> {
  const clock = {
    now: () => Date.now(),
    after: (ms: number, callback: () => void) => {
      const timer = setTimeout(callback, ms)
      return () => {
        clearTimeout(timer)
      }
    },
  }
  const send: typeof fetch = (input, init) =>
    fetch(new URL(input instanceof Request ? input.url : input, origin), init)
  const isOnline = (): boolean => true
  const feed = createFeed({
    clock,
    graceMs: 0,
    source: createLiveSource({
      fetch: send,
      clock,
      random: Math.random,
      isOnline,
      session: createSession({ fetch: send, clock, isOnline }),
    }),
  })
  let snapshots = 0
  let peakBytes = 0
  await new Promise<void>((resolve) => {
    const stop = feed.subscribe(() => {
      snapshots += 1
      peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
      const { newest, dropped } = feed.getSnapshot()
      if (newest < builds) return
      if (dropped !== builds - 100_000) throw new Error(`the Feed dropped ${dropped} builds`)
      stop()
      resolve()
    })
  })
  return { snapshots, peakBytes }
}

function medianOf(costs: readonly Cost[], what: keyof Cost): number {
  return costs.map((cost) => cost[what]).sort((a, b) => a - b)[costs.length >> 1] ?? NaN
}

function line(costs: readonly Cost[]): string {
  const seconds = medianOf(costs, 'seconds')
  const all = costs.map((cost) => cost.seconds)
  return [
    `${seconds.toFixed(2)} s (${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)})`,
    `${(builds / seconds / 1e6).toFixed(2)} M builds/s`,
    `processor ${medianOf(costs, 'processor').toFixed(2)} s`,
  ].join('   ')
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
