/**
 * How long it takes from a build that a raw build server announces until a raw webhook has the alert,
 * beside 40 builds a second of 50 projects, one of which turns red or green every second. The wait of
 * the server itself stands beside it: from the announcement until the product asked what the build
 * was. `node scripts/bench.mjs alerts --seconds=60`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { start } from '../feed/product.ts'

const option = process.argv.find((word) => word.startsWith('--seconds='))
const seconds = Number(option?.split('=')[1] ?? 60)
const perSecond = 40
const projects = Array.from({ length: 50 }, (_, index) => `project-${index}`)

interface Announced {
  readonly id: string
  readonly at: number
  readonly project: string
  readonly hasFailed: boolean
}

const announced: Announced[] = []
const streams = new Set<ServerResponse>()
/** When the product asked for the attributes of a build. */
const askedAt = new Map<string, number>()
/** The alert that is waited for, by project and mark, and when the build that causes it was announced. */
const awaited = new Map<string, number>()
const delays: number[] = []
const asking: number[] = []

const folder = mkdtempSync(join(tmpdir(), 'sightline-bench-alerts-'))
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://server')
  if (url.pathname.startsWith('/build-export/v2/builds/')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    streams.add(response)
    response.once('close', () => streams.delete(response))
  } else if (url.pathname === '/api/builds') {
    const query = url.searchParams.get('query') ?? ''
    const project = /project:"?([\w-]+)/.exec(query)?.[1]
    const from = announced.findIndex(({ id }) => id === url.searchParams.get('fromBuild')) + 1
    const most = Number(url.searchParams.get('maxBuilds') ?? 100)
    const isReversed = url.searchParams.get('reverse') === 'true'
    const found = (isReversed ? announced.toReversed() : announced.slice(from)).filter(
      (build) =>
        (project === undefined || build.project === project) &&
        (!query.includes('buildOutcome:failed') || build.hasFailed),
    )
    if (query === '') note(found.slice(0, most))
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(found.slice(0, most).map(summary)))
  } else if (url.pathname.startsWith('/api/builds/')) {
    const build = announced.find(({ id }) => id === url.pathname.split('/')[3])
    if (build === undefined) response.writeHead(404).end()
    else {
      note([build])
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(summary(build)))
    }
  } else if (url.pathname.endsWith('/events')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end()
  } else response.writeHead(404).end()
})
const hook = createServer((request, response) => {
  let body = ''
  request.on('data', (part: Buffer) => (body += part.toString()))
  request.on('end', () => {
    response.writeHead(200).end()
    const { text } = z.object({ text: z.string() }).parse(JSON.parse(body))
    const key = /^(?:✕|✓) project-\d+/u.exec(text)?.[0] ?? ''
    const at = awaited.get(key)
    if (at === undefined) return
    awaited.delete(key)
    delays.push(performance.now() - at)
  })
})

function note(builds: readonly Announced[]): void {
  for (const { id, at } of builds) {
    if (askedAt.has(id)) continue
    askedAt.set(id, performance.now())
    asking.push(performance.now() - at)
  }
}

function summary({ id, at, project, hasFailed }: Announced): object {
  const availableAt = epoch(at)
  const model = {
    rootProjectName: project,
    requestedTasks: ['build'],
    hasFailed,
    tags: ['CI'],
    values: [{ name: 'Git branch', value: 'main' }],
    buildStartTime: availableAt - 60_000,
    buildDuration: 60_000,
    environment: { username: 'ci' },
  }
  return {
    id,
    availableAt,
    buildToolType: 'gradle',
    buildToolVersion: '9.2.0',
    buildAgentVersion: '4.2.2',
    models: { gradleAttributes: { model } },
  }
}

function epoch(at: number): number {
  return Math.round(performance.timeOrigin + at)
}

function announce(project: string, hasFailed: boolean): void {
  const id = `b${announced.length.toString(36).padStart(12, '0')}`
  const at = performance.now()
  announced.push({ id, at, project, hasFailed })
  const tool = { toolType: 'gradle', toolVersion: '9.2.0', agentVersion: '4.2.2' }
  const data = JSON.stringify({ buildId: id, timestamp: epoch(at), ...tool })
  for (const stream of streams) stream.write(`id: ${id}\nevent: Build\ndata: ${data}\n\n`)
}

async function listening(one: Server): Promise<string> {
  one.listen(0, '127.0.0.1')
  await once(one, 'listening')
  const address = one.address()
  return `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

const [source, receiver] = [await listening(server), await listening(hook)]
const config = join(folder, 'sightline.yaml')
writeFileSync(config, `alerts: { everyProject: true, webhookHosts: ["${receiver}"] }\n`)
const product = await start([], {
  SIGHTLINE_PORT: '0',
  SIGHTLINE_BUILD_DATA_URL: `http://${source}`,
  SIGHTLINE_BUILD_DATA_ACCESS_KEY: 'a-key-of-the-bench',
  SIGHTLINE_CONFIG: config,
  SIGHTLINE_WEBHOOK_URL: `http://${receiver}/alerts`,
})
while (streams.size === 0) await sleep(50)
// Every project is well first: what was red before nobody hears of.
for (const project of projects) announce(project, false)
await sleep(3000)
const isRed = new Set<string>()
const begun = performance.now()
for (let sent = 0; performance.now() - begun < seconds * 1000; sent++) {
  const due = begun + (sent * 1000) / perSecond
  if (due > performance.now()) await sleep(due - performance.now())
  const turn = sent % perSecond === 0
  const turning = projects[(sent / perSecond) % projects.length] ?? ''
  const project = turn ? turning : (projects[(sent * 7) % projects.length] ?? '')
  if (turn) {
    if (isRed.has(project)) isRed.delete(project)
    else isRed.add(project)
    awaited.set(`${isRed.has(project) ? '✕' : '✓'} ${project}`, performance.now())
  }
  announce(project, isRed.has(project))
}
await sleep(3000)
await product.stop()
server.closeAllConnections()
server.close()
hook.close()
rmSync(folder, { recursive: true })

const rows = {
  'builds announced': announced.length,
  'turned red or green': delays.length + awaited.size,
  'alerts received': delays.length,
  'until the build was asked for, p50 / p95 (ms)': `${quantile(asking, 0.5)} / ${quantile(asking, 0.95)}`,
  'until the webhook has the alert, p50 / p95 / longest (ms)': `${quantile(delays, 0.5)} / ${quantile(delays, 0.95)} / ${quantile(delays, 1)}   goal: 2000`,
}
for (const [name, value] of Object.entries(rows)) {
  process.stdout.write(`  ${name.padEnd(60)} ${value}\n`)
}
if (awaited.size > 0 || quantile(delays, 1) > 2000) process.exitCode = 1

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
