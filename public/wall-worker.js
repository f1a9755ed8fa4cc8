/*
 * Lets walls open while the proxy is away: keeps the page of `/wall` and the files it consists of,
 * and nothing else. No answer of the proxy that holds data and no token ever passes through here: only
 * pages below `/wall` and files of the built client are looked at, everything else is the browser's.
 */
const scope = globalThis
const store = 'wall-shell-1'
const page = '/wall'
/** How long the proxy may take to serve the page before the kept one is shown, ms. */
const patienceMs = 5000

scope.addEventListener('install', () => {
  void scope.skipWaiting()
})

scope.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([scope.clients.claim(), dropOthers()]))
})

scope.addEventListener('message', (event) => {
  const { type, files } = event.data ?? {}
  if (type === 'keep' && Array.isArray(files)) event.waitUntil(keep(files.filter(isShellFile)))
})

scope.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== scope.location.origin) return
  if (request.mode === 'navigate') {
    if (url.pathname === page || url.pathname.startsWith(`${page}/`)) {
      event.respondWith(pageOf(request))
    }
  } else if (isShellFile(url.pathname)) {
    event.respondWith(fileOf(request))
  }
})

function isShellFile(path) {
  return typeof path === 'string' && /^\/(?:assets\/[\w.-]+|icon-\w+\.svg|no-eval\.js)$/.test(path)
}

/** The page as the proxy has it, so that a new release is there at once; the kept one without it. */
async function pageOf(request) {
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(patienceMs) })
    if (response.ok) {
      const copy = response.clone()
      const cache = await scope.caches.open(store)
      await cache.put(page, copy)
    } else if (response.status >= 500) {
      return (await kept(page)) ?? response
    }
    return response
  } catch (error) {
    const old = await kept(page)
    if (old !== undefined) return old
    throw error
  }
}

/** Files carry their content in their name: one that is kept is the right one. */
async function fileOf(request) {
  return (await kept(request)) ?? fetch(request)
}

async function kept(request) {
  const cache = await scope.caches.open(store)
  return cache.match(request)
}

/** Keeps exactly these files, and the page, which at the first visit has not passed through here. */
async function keep(files) {
  const cache = await scope.caches.open(store)
  const wanted = new Set([...files, page])
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (!wanted.has(pathname)) await cache.delete(request)
  }
  for (const path of wanted) {
    if ((await cache.match(path)) !== undefined) continue
    const headers = path === page ? { accept: 'text/html' } : {}
    const response = await fetch(path, { headers })
    if (response.ok) await cache.put(path, response)
  }
}

async function dropOthers() {
  for (const name of await scope.caches.keys()) {
    if (name.startsWith('wall-shell-') && name !== store) await scope.caches.delete(name)
  }
}
