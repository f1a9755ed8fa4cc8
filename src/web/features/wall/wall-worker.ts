const script = '/wall-worker.js'

/**
 * Starts the service worker of the walls (public/wall-worker.js) and tells it which files this page
 * consists of. Only for a built page: while it is developed its files change under their names.
 */
export async function startWallWorker(entry: string | undefined): Promise<void> {
  if (!('serviceWorker' in navigator) || entry?.startsWith('/assets/') !== true) return
  try {
    const registration = await navigator.serviceWorker.register(script, {
      scope: '/wall',
      updateViaCache: 'none',
    })
    await navigator.serviceWorker.ready
    registration.active?.postMessage({ type: 'keep', files: loadedFiles(entry) })
  } catch {
    // Not allowed here, as on plain HTTP: the wall works, but does not open without the proxy.
  }
}

/** The files of the built client that this page has loaded so far. */
function loadedFiles(entry: string): string[] {
  const loaded = performance
    .getEntriesByType('resource')
    .map(({ name }) => new URL(name, location.href))
    .filter(({ origin, pathname }) => origin === location.origin && isShell(pathname))
    .map(({ pathname }) => pathname)
  return [...new Set([entry, ...loaded])]
}

function isShell(path: string): boolean {
  return path.startsWith('/assets/') || /^\/(?:icon-\w+\.svg|no-eval\.js)$/.test(path)
}
