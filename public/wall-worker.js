/*
 * Lets walls open while the proxy is away: keeps the page of `/wall` and the files it consists of,
 * and nothing else. No answer of the proxy that holds data and no token ever passes through here: only
 * pages below `/wall` and files of the built client are looked at, everything else is the browser's.
 */
const scope = globalThis
const store = 'wall-shell-2'
const page = '/wall'
/** How long the proxy may take to serve the page before the kept one is shown, ms. */
const patienceMs = 3000

scope.addEventListener('install', () => {
  void scope.skipWaiting()
})

scope.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([scope.clients.claim(), dropOthers()]))
})

scope.addEventListener('message', (event) => {
  const { type, entry, files } = event.data ?? {}
  if (type !== 'keep' || !isShellFile(entry) || !Array.isArray(files)) return
  event.waitUntil(keep(entry, files.filter(isShellFile)))
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
    event.respondWith(fileOf(url.pathname))
  }
})

function isShellFile(path) {
  return (
    typeof path === 'string' &&
    /^\/(?:assets\/[\w.-]+|icon-\w+\.svg|(?:no-eval|frame)\.js)$/.test(path)
  )
}

/**
 * The page as the proxy has it, so that a new release is there at once; the kept one where there is no answer in time, or one that
 * comes from something in front that has lost the proxy. Who is led to a sign-in page is led there.
 */
async function pageOf(request) {
  const old = await kept(page)
  if (old === undefined) return fetch(request)
  try {
    const response = await within(patienceMs, fetch(request))
    const isAnswer = response.ok || response.type === 'opaqueredirect'
    return isAnswer || [401, 403].includes(response.status) ? response : old
  } catch {
    return old
  }
}

function within(ms, answer) {
  return new Promise((resolve, reject) => {
    answer.then(resolve, reject)
    setTimeout(() => {
      reject(new Error('No answer in time.'))
    }, ms)
  })
}

/** Files carry their content in their name: one that is kept is the right one. Those loaded later are kept, too. */
async function fileOf(path) {
  const old = await kept(path)
  if (old !== undefined) return old
  const response = await fetch(path)
  if (isFile(response)) {
    const copy = response.clone()
    const cache = await scope.caches.open(store)
    // Where the device is full, the file is only not kept.
    await cache.put(path, copy).catch(() => undefined)
  }
  return response
}

/** A page in place of a file is one of something in front. */
function isFile({ ok, headers }) {
  return ok && !/^text\/html/i.test(headers.get('content-type') ?? '')
}

async function kept(path) {
  const cache = await scope.caches.open(store)
  return cache.match(path, { ignoreVary: true })
}

/**
 * Keeps these files and then, once all of them are there, the page that begins with `entry`: page and files are always of one
 * release, whenever the power is cut. Those of other releases are dropped last.
 */
async function keep(entry, files) {
  const cache = await scope.caches.open(store)
  for (const path of new Set([entry, ...files])) {
    if ((await kept(path)) !== undefined) continue
    const response = await fetch(path)
    if (!isFile(response)) return
    await cache.put(path, response)
  }
  const request = { headers: { accept: 'text/html' }, cache: 'no-store', redirect: 'error' }
  const response = await fetch(page, request)
  const isEntryOf = async (one) => (await one.text()).includes(`"${entry}"`)
  // Meanwhile another release may be served, or a sign-in page.
  if (!response.ok || !(await isEntryOf(response.clone()))) return
  const before = await kept(page)
  await cache.put(page, response)
  if (before === undefined || (await isEntryOf(before))) return
  const wanted = new Set([page, entry, ...files])
  for (const old of await cache.keys()) {
    if (!wanted.has(new URL(old.url).pathname)) await cache.delete(old)
  }
}

async function dropOthers() {
  for (const name of await scope.caches.keys()) {
    if (name.startsWith('wall-shell-') && name !== store) await scope.caches.delete(name)
  }
}
