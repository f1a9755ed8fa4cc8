import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { type Logger, pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock, type ManualClock } from '../protocol/manual-clock.test-support.ts'
import { ProxyConfig } from '../protocol/proxy-config.ts'
import { Session } from '../protocol/session.ts'
import { startApp } from './app.ts'
import { readConfig } from './config.ts'
import { rawAnswer, startRawServer } from './raw-server.test-support.ts'
import { openDatabase } from './store/open-database.ts'
import { lastPosition } from './store/build-listing.ts'
import { takeLock } from './store/process-lock.ts'
import { startPlainServer } from './proxy/plain-server.test-support.ts'

test('a start that fails says nothing of requests that it cuts off by that', async () => {
  // Asked for an access token first, it never answers.
  const silent = await startPlainServer(() => undefined)
  const settings = {
    SIGHTLINE_PORT: silent.url.port,
    SIGHTLINE_BUILD_DATA_URL: silent.url.origin,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: 'a-key',
    SIGHTLINE_GOVERNOR_URL: silent.url.origin,
  }
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const log: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line) => log.push(line) })
  let said: unknown
  startWith(settings, { clock, logger }).catch((error: unknown) => {
    said = error
  })
  await expect
    .poll(() => {
      clock.advance(1000)
      return String(said)
    })
    .toContain('is already in use. Stop the other process,')
  expect(log).toEqual([])
  await silent.close()
})

test('a port in use is reported before any data of the demo is made', async () => {
  const other = await startPlainServer(() => undefined)
  onTestFinished(() => other.close())
  const folder = await mkdtemp(join(tmpdir(), 'sightline-port-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const url = `file:${join(folder, 's.db')}`
  for (const setting of ['SIGHTLINE_PORT', 'SIGHTLINE_OPS_PORT', 'SIGHTLINE_EMBEDDED_PORT']) {
    const settings = { SIGHTLINE_DATABASE_URL: url, [setting]: other.url.port }
    await expect(startWith(settings)).rejects.toThrow(
      `already in use. Stop the other process, or set ${setting}.`,
    )
  }
  const database = await openDatabase(url)
  onTestFinished(() => database.close())
  expect(await lastPosition(database)).toBe(0)
})

test("a database that fails while the demo's data is made ends the start with a sentence", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-damaged-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const url = `file:${join(folder, 's.db')}`
  const database = await openDatabase(url)
  await sql`pragma writable_schema = on`.execute(database.kysely)
  // As if what was written there were of another table.
  await sql`update sqlite_schema set rootpage = (select rootpage from sqlite_schema where type = 'index' limit 1)
    where name = 'builds'`.execute(database.kysely)
  await database.close()
  await expect(startWith({ SIGHTLINE_DATABASE_URL: url })).rejects.toThrow(
    "Sightline can't use its database. ",
  )
})

/** Starts the product with these settings; `file` is what its configuration file says. */
async function startWith(
  environment: Record<string, string>,
  {
    file = '',
    clock = createManualClock(Date.UTC(2026, 0, 5)),
    logger = pino({ level: 'silent' }),
  }: { file?: string; clock?: ManualClock; logger?: Logger } = {},
) {
  const read = readConfig({
    environment: { SIGHTLINE_PORT: '0', SIGHTLINE_DATABASE_URL: 'memory:', ...environment },
    flags: [],
    readFile: () => file,
  })
  if (!read.ok) throw new Error(read.mistakes.join(' '))
  return startApp({
    config: read.config,
    clock,
    random: () => 0.5,
    logger,
    version: '1',
    staticRoot: fileURLToPath(new URL('embedded/', import.meta.url)),
  })
}

async function configFor(environment: Record<string, string>) {
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const app = await startWith(environment, { clock })
  onTestFinished(() => app.close())
  const created = await fetch(`${app.url}/session`, { method: 'POST' })
  const { token } = Session.parse(await created.json())
  const ask = async (path: string): Promise<Response> =>
    fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  return { app, clock, config: ProxyConfig.parse(await (await ask('/config')).json()), ask }
}

test('nothing made up stands beside a real build server', async () => {
  const server = await startRawServer((_request, socket) => socket.end(rawAnswer(404)))
  onTestFinished(server.close)
  const { config, ask } = await configFor({ SIGHTLINE_BUILD_DATA_URL: server.url.origin })
  expect(config.upstreams).toMatchObject({
    buildData: { kind: 'server' },
    governor: { kind: 'none' },
  })
  expect([config.packages, config.boards, config.walls]).toEqual([[], [], []])
  expect(config.tips).toBeUndefined()
  expect(config.trustedKeys).toEqual({})
  const refused = await ask('/upstream/governor/packages/oci/a/1/sha256:0/attestations/af:x/y')
  expect(await refused.json()).toMatchObject({ type: 'urn:sightline:problem:no-governor' })
})

test('nor beside a real policy service, where the feed says that no build server is configured', async () => {
  const server = await startRawServer((_request, socket) => socket.end(rawAnswer(404)))
  onTestFinished(server.close)
  const { config, ask } = await configFor({ SIGHTLINE_GOVERNOR_URL: server.url.origin })
  expect(config.upstreams).toMatchObject({
    buildData: { kind: 'none', origin: null },
    governor: { kind: 'server' },
  })
  expect(config.walls).toEqual([])
  const refused = await ask('/upstream/build-data/api/builds')
  expect([refused.status, await refused.json()]).toMatchObject([
    404,
    { type: 'urn:sightline:problem:no-build-server' },
  ])
  expect((await ask('/readyz')).status).toBe(200)
  const feed = await ask('/live/builds?since=0')
  const reader = feed.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('"backlog":0')) text += (await reader?.read())?.value ?? ''
  expect(text).toContain('"upstream":"none"')
  expect(text).toContain('No build server is configured.')
  expect(text).not.toContain('event: Gap')
  await reader?.cancel()
})

test('the terminal learns how the build server stands from the one stream, and sends nothing for it', async () => {
  const server = await startRawServer(({ target }, socket) => {
    if (!target.startsWith('/build-export/v2/')) socket.end(rawAnswer(404))
    else socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: beat\n\n')
  })
  onTestFinished(server.close)
  const { app } = await configFor({ SIGHTLINE_BUILD_DATA_URL: server.url.origin })
  expect(await Promise.all(app.servers)).toEqual([
    `Build server ${server.url.origin}: reachable, export stream v2.`,
  ])
  expect(server.requests.map(({ target }) => target)).toEqual([
    '/build-export/v2/builds/since/now?stream',
  ])
})

test('the terminal learns how the policy service stands from one request, and operators from a port of their own', async () => {
  const server = await startRawServer((_request, socket) => socket.end(rawAnswer(401)))
  onTestFinished(server.close)
  const { app } = await configFor({
    SIGHTLINE_GOVERNOR_URL: server.url.origin,
    SIGHTLINE_GOVERNOR_BEARER: 'canary-key',
    SIGHTLINE_OPS_PORT: '0',
  })
  const [line = '', ...more] = await Promise.all(app.servers)
  expect(more).toEqual([])
  expect(line).toContain(`Policy service ${server.url.origin}: `)
  expect(line).toContain("rejects Sightline's credentials")
  expect(line).not.toContain('canary')
  const ready = await fetch(`${app.opsUrl ?? ''}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'degraded' }])
  expect((await fetch(`${app.opsUrl ?? ''}/config`)).status).toBe(404)
})

test('who ends says so at once, and goes on answering until balancers have looked elsewhere', async () => {
  const { app, clock, ask } = await configFor({ ...withoutDemo, SIGHTLINE_OPS_PORT: '0' })
  const ops = app.opsUrl ?? ''
  expect((await ask('/config')).headers.get('connection')).toBe('keep-alive')
  expect((await fetch(`${ops}/readyz`)).status).toBe(200)
  const feed = await ask('/live/builds?since=now')
  let heard = ''
  const read = (async () => {
    const pieces = feed.body?.pipeThrough(new TextDecoderStream()) ?? []
    for await (const piece of pieces) heard += piece
  })()
  let isClosed = false
  const closed = app.close(5000).then(() => {
    isClosed = true
  })
  const ready = await Promise.all([fetch(`${ops}/readyz`), ask('/readyz')])
  expect(ready.map(({ status }) => status)).toEqual([503, 503])
  expect(await ready[0].json()).toMatchObject({ status: 'not-ready' })
  const answered = await ask('/config')
  expect([answered.status, answered.headers.get('connection')]).toEqual([200, 'close'])
  await expect
    .poll(() => {
      if (!heard.includes('"upstream":"live"')) return 'not yet'
      return [heard.includes('retry: 1125'), isClosed]
    })
    .toEqual([false, false])
  await expect
    .poll(() => {
      clock.advance(1000)
      return isClosed
    })
    .toBe(true)
  await Promise.all([read, closed])
  expect(heard).toContain('retry: 1125')
  await expect(fetch(`${ops}/healthz`)).rejects.toThrow('fetch failed')
})

test('a second proxy on one database file says what it cannot do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-two-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const url = `file:${folder}/some.db`
  const alone = await configFor({ ...withoutDemo, SIGHTLINE_DATABASE_URL: url })
  expect(alone.app.warnings).toEqual([])
  await alone.app.close()
  const other = await openDatabase(url)
  onTestFinished(() => other.close())
  const lock = await takeLock(other, 'proxy')
  const { app } = await configFor({ ...withoutDemo, SIGHTLINE_DATABASE_URL: url })
  const sentence = 'Another Sightline process was using the database file'
  expect(app.warnings).toEqual([expect.stringContaining(sentence)])
  await lock?.release()
})

const withoutDemo = { SIGHTLINE_EMBEDDED_BUILDS: '0', SIGHTLINE_EMBEDDED_RATE: '0' }

test('a page that was signed in with an access token ends with the start that does not know it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-app-'))
  const tokens = ['slt_first-token-of-ann', 'slt_second-token-of-bob']
  const start = (known: readonly string[]) => {
    const users = known.map((token, at) => {
      const sha256 = createHash('sha256').update(token).digest('hex')
      const days = 'created: 2026-01-01, expires: 2026-02-01'
      return `  - {name: user ${at}, role: viewer, tokens: [{sha256: ${sha256}, prefix: slt_abc, ${days}}]}`
    })
    const settings = {
      SIGHTLINE_DATABASE_URL: `file:${join(folder, 'x.db')}`,
      SIGHTLINE_BUILD_DATA_URL: 'http://127.0.0.1:9',
      SIGHTLINE_SIGN_IN: 'tokens',
      SIGHTLINE_SESSION_SECRET: 'x'.repeat(32),
      SIGHTLINE_CONFIG: 'sightline.yaml',
    }
    return startWith(settings, { file: ['users:', ...users].join('\n') })
  }
  const first = await start(tokens)
  const sessions = await Promise.all(
    tokens.map(async (token) => {
      const body = JSON.stringify({ token })
      const answer = await fetch(`${first.url}/session`, { method: 'POST', body })
      return Session.parse(await answer.json()).token
    }),
  )
  await first.close()
  const second = await start(tokens.slice(0, 1))
  const statuses = sessions.map(async (token) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${second.url}/config`, { headers })).status
  })
  expect(await Promise.all(statuses)).toEqual([200, 401])
  await second.close()
  await rm(folder, { recursive: true })
})
