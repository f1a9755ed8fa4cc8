/**
 * 600 evaluations of a board through the proxy, at a service that takes 4, 16 or 64 requests at a time
 * and answers 429 to all beyond; each evaluation takes it a fixed time. Beside it, in the same run, what
 * a browser could do by itself with its six connections per host, one of which holds the live feed.
 * The ideal is work / limit.
 */
import { createServer, type Server } from 'node:http'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { z } from 'zod'
import { BoardRunLine, type BoardRunRequest, boardRunPath } from '../../src/protocol/board-run.ts'
import type { Clock } from '../../src/protocol/clock.ts'
import { ndjsonLine, readLines } from '../../src/protocol/ndjson.ts'
import { listen } from '../../src/server/listen.ts'
import { createProxy } from '../../src/server/proxy/proxy.ts'
import { signInAsLocalUser } from '../../src/server/proxy/sessions.ts'
import {
  createBuildDataUpstream,
  createGovernorUpstream,
} from '../../src/server/proxy/upstream/upstream.ts'
import { createUpstreamLog } from '../../src/server/proxy/upstream/upstream-log.ts'
import { createUpstreamClient } from '../../src/server/proxy/upstream/undici-upstream-client.ts'

const packages = 200
const scans = ['release', 'security', 'licences']
const serviceMs = 500
const goal = 1.2
/** Connections of a browser to one host, without the one of the live feed. */
const browserConnections = 5

const clock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    // Endings are kept for minutes, which nobody waits for at the end.
    const timer = setTimeout(callback, ms).unref()
    return () => {
      clearTimeout(timer)
    }
  },
}

/** A service with a limit; counts what it did. */
interface Service {
  readonly url: URL
  readonly counts: () => { readonly whole: number; readonly refused: number }
  readonly stop: () => void
}

process.stdout.write(
  `${packages * scans.length} evaluations of ${serviceMs} ms each; goal: under ${goal} x ideal\n`,
)
for (const limit of [4, 16, 64]) await measure(limit)

async function measure(limit: number): Promise<void> {
  const ideal = (packages * scans.length * serviceMs) / limit
  const service = await startService(limit)
  const seconds = await throughProxy(service)
  const { whole, refused } = service.counts()
  const bare = await knowingTheLimit(service, limit)
  service.stop()
  const factor = (seconds * 1000) / ideal
  const alone = (packages * scans.length * serviceMs) / Math.min(limit, browserConnections)
  if (factor >= goal) process.exitCode = 1
  process.stdout.write(
    `limit ${String(limit).padStart(2)}: ${seconds.toFixed(1)} s, ideal ${(ideal / 1000).toFixed(1)} s, ` +
      `${factor.toFixed(2)} x ${factor < goal ? '(met)' : '(NOT met)'}; evaluated ${whole}, ` +
      `refused ${refused}; knowing the limit ${bare.toFixed(1)} s (${((bare * 1000) / ideal).toFixed(2)} x); a browser by itself at best ${(alone / 1000).toFixed(1)} s (${(alone / ideal).toFixed(1)} x)\n`,
  )
}

/** Straight at the service, with exactly as many in flight as it takes: what this machine can do. */
async function knowingTheLimit({ url }: Service, limit: number): Promise<number> {
  const startedAt = performance.now()
  let left = packages * scans.length
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const response = await fetch(url, { method: 'POST', body: '{}' })
      await response.text()
    }
  }
  await Promise.all(Array.from({ length: limit }, lane))
  return (performance.now() - startedAt) / 1000
}

async function throughProxy(service: Service): Promise<number> {
  const logger = pino(
    { level: 'silent' },
    new Writable({
      write: (_chunk, _encoding, done) => {
        done()
      },
    }),
  )
  const log = createUpstreamLog(clock)
  const common = {
    kind: 'server',
    connect: createUpstreamClient,
    clock,
    log,
    version: '0',
    notice: () => undefined,
  } as const
  const credential = { kind: 'basic', userAndPassword: { reveal: () => 'a:b' } } as const
  const proxy = createProxy({
    upstreams: {
      buildData: createBuildDataUpstream({
        ...common,
        url: service.url,
        credential,
        exportBearer: 'raw',
        exportVersion: 'v2',
      }),
      governor: createGovernorUpstream({ ...common, url: service.url, credential }),
    },
    live: { handle: () => undefined, metrics: () => ({ gauges: {}, counters: {} }), history: 0 },
    clock,
    random: () => Math.random(),
    logger,
    version: '0',
    signIn: signInAsLocalUser,
    sessionSecret: 'a secret of the bench, long enough',
    allowedHosts: [],
    status: { log, exportVersion: 'v2', warnings: [] },
  })
  const { url, server, close } = await listen({ app: proxy.app, host: '127.0.0.1', port: 0, clock })
  const { token } = z
    .object({ token: z.string() })
    .parse(await (await fetch(`${url}/session`, { method: 'POST' })).json())
  const startedAt = performance.now()
  const response = await fetch(`${url}${boardRunPath}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(request()),
  })
  const done = new Set<number>()
  if (response.body !== null) {
    for await (const text of readLines(response.body)) {
      const line = BoardRunLine.parse(JSON.parse(text))
      if (line.is === 'done') done.add(line.cell)
    }
  }
  const seconds = (performance.now() - startedAt) / 1000
  if (done.size !== packages * scans.length)
    throw new Error(`only ${done.size} cells were answered`)
  server.closeAllConnections()
  await close()
  await proxy.close()
  return seconds
}

function request(): BoardRunRequest {
  const rows = Array.from({ length: packages }, (_, row) => row)
  return {
    packages: rows.map((row) => ({
      address: { type: 'oci', name: `app-${row}`, version: '1.0.0' },
      sha256: 'ab'.repeat(32),
      repositoryUrl: 'registry.example/shop',
    })),
    scans,
    cells: rows.flatMap((row) => scans.map((_scan, column): [number, number] => [row, column])),
    mostInFlight: 64,
    begunMsAgo: null,
  }
}

async function startService(limit: number): Promise<Service> {
  let inFlight = 0
  let whole = 0
  let refused = 0
  const answer = Array.from({ length: 10 }, (_, index) =>
    ndjsonLine({ policyUri: `/policies/BuildTool/p${index}`, status: 'satisfied', details: {} }),
  ).join('')
  const server: Server = createServer((incoming, response) => {
    incoming.resume()
    if (inFlight >= limit) {
      refused += 1
      response.writeHead(429).end()
      return
    }
    inFlight += 1
    setTimeout(() => {
      inFlight -= 1
      whole += 1
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(answer)
    }, serviceMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    counts: () => ({ whole, refused }),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
