// Before all others: some of them make digests as they are loaded.
import './node/globals.ts'
import { Hono } from 'hono'
import { pino } from 'pino'
import type { Clock } from '../protocol/clock.ts'
import { reasonOf } from '../protocol/parsed-text.ts'
import { problem, problemJson } from '../protocol/problem.ts'
import { pages } from '../server/proxy/pages.ts'
import type { ProxyEnv } from '../server/proxy/sessions.ts'
import { startDemoServer } from './demo-server.ts'
import { createSaver, isKept, type KeptState, readKept, writeKept } from './kept-state.ts'
import { openSqliteWasm } from './sqlite.ts'

// The service worker of the static demo (docs/demo.md): it serves the dashboard's page, its files, and
// everything that the proxy answers.

/** What the build puts in: the page, the files beside it, and a name that changes with any of them. */
declare const sightlineDemo: {
  readonly page: string
  readonly files: readonly string[]
  readonly build: string
  readonly version: string
}

interface LifeEvent {
  readonly waitUntil: (work: Promise<unknown>) => void
}
interface FetchEvent extends LifeEvent {
  readonly request: Request
  readonly respondWith: (answer: Promise<Response>) => void
}
declare const self: {
  readonly addEventListener: ((
    type: 'install' | 'activate',
    run: (event: LifeEvent) => void,
  ) => void) &
    ((type: 'fetch', run: (event: FetchEvent) => void) => void)
  readonly skipWaiting: () => Promise<void>
  readonly clients: { readonly claim: () => Promise<void> }
  readonly registration: { readonly scope: string }
}

const clock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => {
      clearTimeout(timer)
    }
  },
}
const logger = pino({ level: 'error' })
const scope = new URL(self.registration.scope)
const { page, files, build, version } = sightlineDemo
const cacheName = `sightline-demo ${scope.pathname} ${build}`
const wasm = 'sqlite3.wasm'

self.addEventListener('install', (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(cacheName)
      await cache.add(new Request(new URL(wasm, scope), { cache: 'reload' }))
      await self.skipWaiting()
    })(),
  )
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      const own = cacheName.slice(0, -build.length)
      const old = (await caches.keys()).filter((name) => name.startsWith(own) && name !== cacheName)
      // The one before stays: pages that are open still load its parts.
      for (const name of old.slice(0, -1)) await caches.delete(name)
      await self.clients.claim()
    })(),
  )
  void server()
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (url.origin !== scope.origin) return
  const path = pathOf(url)
  const file = path.slice(1)
  // Those of the version before, too: a page that is open still needs them.
  if (files.includes(file) || path.startsWith('/assets/')) event.respondWith(fileAt(file))
  else if (request.mode === 'navigate') event.respondWith(pageAt(path, url))
  else event.respondWith(answer(request, path, url))
})

/** The address as the proxy knows it: the page requests the proxy's below the root, wherever it lies. */
function pathOf({ pathname }: URL): string {
  return pathname.startsWith(scope.pathname)
    ? `/${pathname.slice(scope.pathname.length)}`
    : pathname
}

/** A file from the cache, or from the host and then kept. */
async function fileAt(file: string): Promise<Response> {
  const address = new URL(file, scope)
  const kept = await caches.match(address)
  if (kept !== undefined) return kept
  const response = await fetch(address)
  if (response.ok) await (await caches.open(cacheName)).put(address, response.clone())
  return response
}

const shell = new Hono<ProxyEnv>()
shell.get('*', pages(pageFiles()))

/** The page at any address that a person opens; `index.html` is what the host shows before this. */
async function pageAt(path: string, url: URL): Promise<Response> {
  if (path === '/index.html') return Response.redirect(scope.href)
  const asked = new URL(path + url.search, url.origin)
  return shell.fetch(new Request(asked, { headers: { accept: 'text/html' } }))
}

function pageFiles() {
  const identity = new TextEncoder().encode(page.replaceAll('__BASE__', scope.pathname))
  const type = 'text/html; charset=utf-8'
  return new Map([
    ['/index.html', { type, etag: '', hashed: false, identity, gzip: null, brotli: null }],
  ])
}

let running: ReturnType<typeof startDemoServer> | undefined

/** The proxy, started with the first request after the browser has started this worker. */
function server(): ReturnType<typeof startDemoServer> {
  running ??= start()
  running.catch(() => {
    running = undefined
  })
  return running
}

async function start(): ReturnType<typeof startDemoServer> {
  const [binary, kept] = await Promise.all([
    fileAt(wasm).then((response) => response.arrayBuffer()),
    readKept(scope.pathname).catch(keepsNothing),
  ])
  if (kept?.build === build) {
    try {
      return await startOn(binary, kept)
    } catch (error) {
      keepsNothing(error)
    }
  }
  return startOn(binary, undefined)
}

async function startOn(
  binary: ArrayBuffer,
  kept: KeptState | undefined,
): ReturnType<typeof startDemoServer> {
  let save = (): void => undefined
  const dialect = await openSqliteWasm(binary, (table) => {
    if (isKept(table)) save()
  })
  const options = { dialect, clock, random: () => Math.random(), logger, version }
  const demo = await startDemoServer({ ...options, host: scope.host, kept })
  const write = async (): Promise<void> => {
    await writeKept(scope.pathname, { build, ...(await demo.state()) })
  }
  save = createSaver(clock, write, keepsNothing)
  save()
  return demo
}

/** The demo works all the same; it only begins anew with the next worker. */
function keepsNothing(error: unknown): undefined {
  logger.error({ err: error }, 'the browser keeps no state of the demo')
}

async function answer(request: Request, path: string, url: URL): Promise<Response> {
  try {
    const { fetch } = await server()
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
    return await fetch(
      new Request(new URL(path + url.search, url.origin), {
        method: request.method,
        headers: request.headers,
        body: hasBody ? await request.arrayBuffer() : null,
        signal: request.signal,
      }),
    )
  } catch (error) {
    logger.error({ err: error }, 'the demo failed')
    const why = reasonOf(error)
    const detail = `The demo can't run in this browser: ${why}`
    return new Response(JSON.stringify(problem(503, 'demo', 'Demo unavailable', detail)), {
      status: 503,
      headers: { 'content-type': problemJson },
    })
  }
}
