/**
 * A million builds of a build list through `sightline export` of the built product: how fast, and whether its memory grows.
 * The server is a process of its own and makes its pages as they are asked for. `--builds=1000000`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { listenOnLoopback } from '../hub/loopback.ts'
import { serveOrders, startRole } from '../hub/role.ts'

const start = Date.UTC(2026, 0, 1)

if (process.argv[2] === 'server') serve()
else await measure(Number(/--builds=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 1_000_000))

async function measure(builds: number): Promise<void> {
  const server = startRole(fileURLToPath(import.meta.url), 'server')
  const port = await server.order('start', { builds }, z.number())
  const folder = mkdtempSync(join(tmpdir(), 'sightline-export-'))
  const output = join(folder, 'builds.ndjson')
  const words = ['--since', '2025-12-31', '--output', output, '--state', join(folder, 'state')]
  const begun = performance.now()
  const child = spawn(process.execPath, ['dist/cli/main.js', 'export', ...words], {
    env: { PATH: process.env.PATH, SIGHTLINE_URL: `http://127.0.0.1:${port}` },
    stdio: 'inherit',
  })
  const memory: number[] = []
  const looking = setInterval(() => {
    const megabytes = memoryOf(child.pid)
    if (megabytes !== undefined) memory.push(megabytes)
  }, 500)
  await once(child, 'exit')
  clearInterval(looking)
  const seconds = (performance.now() - begun) / 1000
  const at = (share: number): string =>
    `${(memory[Math.floor((memory.length - 1) * share)] ?? 0).toFixed(0)} MB`
  console.log(
    `  ${builds} builds in ${seconds.toFixed(0)} s, ${(builds / seconds).toFixed(0)} a second`,
  )
  console.log(
    `  memory after a quarter, half, all   ${at(0.25)}, ${at(0.5)}, ${at(1)}; at most ${Math.max(...memory).toFixed(0)} MB`,
  )
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** What a process holds for itself (Linux only). */
function memoryOf(pid: number | undefined): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid ?? ''}/status`, 'utf8')
    return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1000
  } catch {
    return undefined
  }
}

/** The session and the build list of a Sightline server, see docs/services.md#build-list. */
function serve(): void {
  let builds = 0
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://server')
    response.writeHead(200, { 'content-type': 'application/json' })
    if (pathname === '/session') {
      const expiresAt = Date.now() + 86_400_000
      response.end(
        JSON.stringify({ token: 'a-session', expiresAt, user: { name: 'x', roles: [] } }),
      )
      return
    }
    const from = searchParams.get('fromBuild')
    const first = from === null ? 0 : Number(from.slice(1)) + 1
    const count = Math.max(0, Math.min(Number(searchParams.get('maxBuilds')), builds - first))
    const page = Array.from({ length: count }, (_, at) => summary(first + at))
    response.end(`[${page.join()}]`)
  })
  serveOrders({
    start: (given) => {
      builds = Number(given.builds)
      return listenOnLoopback(server)
    },
  })
}

function summary(place: number): string {
  const availableAt = start + place * 1000
  const model = {
    rootProjectName: `project-${place % 50}`,
    requestedTasks: ['build', 'test'],
    hasFailed: place % 7 === 0,
    tags: ['CI', 'main'],
    values: [{ name: 'Git branch', value: 'main' }],
    buildStartTime: availableAt - 60_000,
    buildDuration: 60_000,
    environment: { username: 'ci' },
  }
  return JSON.stringify({
    id: `b${String(place).padStart(12, '0')}`,
    availableAt,
    buildToolType: 'gradle',
    buildToolVersion: '9.2.0',
    buildAgentVersion: '4.2.2',
    models: { gradleAttributes: { model } },
  })
}
