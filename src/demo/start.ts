// What a static host shows at every address before the demo's service worker answers there: it finds
// the folder of the demo, registers the worker and loads the page anew (docs/demo.md).

const reloadsKey = 'sightline-demo.reloads'

/** Loaded anew so often within this time, ms, something keeps the worker from answering. */
const mostReloads = 3
const within = 15_000

void start()

async function start(): Promise<void> {
  if (!('serviceWorker' in navigator)) {
    say(
      window.isSecureContext
        ? "This demo runs inside your browser, in a service worker, which this window doesn't allow. Open it in a normal window instead of a private one, or in another browser."
        : 'This demo runs inside your browser, in a service worker, which browsers allow on HTTPS and localhost only. Open it with https://.',
    )
    return
  }
  try {
    const folder = await findFolder()
    if (folder === undefined) {
      say("Nothing exists at this address, and the demo's files were not found above it.")
      return
    }
    const now = Date.now()
    const reloads = (sessionStorage.getItem(reloadsKey) ?? '')
      .split(' ')
      .filter((at) => at !== '' && now - Number(at) < within)
    if (reloads.length >= mostReloads) {
      say("The demo's service worker doesn't answer here. Reload the page to try again.")
      return
    }
    const registration = await navigator.serviceWorker.register(`${folder}worker.js`, {
      scope: folder,
      updateViaCache: 'none',
    })
    say('Downloading the demo (about 1 MB)…')
    await activated(registration)
    say('Starting the demo in your browser…')
    sessionStorage.setItem(reloadsKey, [...reloads, now].join(' '))
    location.reload()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    say(`The demo can't start in this browser: ${why}`)
  }
}

/** The folder of the demo: this page stands in it, or, as the host's 404 page, somewhere below it. */
async function findFolder(): Promise<string | undefined> {
  const parts = location.pathname.split('/').slice(1, -1)
  const folders = ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}/`)]
  // Nearly always the nearest: the hosts of the others would only report what they don't have.
  for (const folder of folders.reverse()) if (await isDemo(folder)) return folder
  return undefined
}

async function isDemo(folder: string): Promise<boolean> {
  try {
    const response = await fetch(`${folder}sightline-demo.json`)
    const marker: unknown = response.ok ? await response.json() : undefined
    return typeof marker === 'object' && marker !== null && 'sightlineDemo' in marker
  } catch {
    return false
  }
}

function activated(registration: ServiceWorkerRegistration): Promise<void> {
  const worker = registration.installing ?? registration.waiting ?? registration.active
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (worker?.state === 'activated') resolve()
      else if (worker?.state === 'redundant')
        reject(new Error("its service worker can't be set up"))
    }
    worker?.addEventListener('statechange', look)
    look()
  })
}

function say(sentence: string): void {
  const note = document.getElementById('note')
  if (note !== null) note.textContent = sentence
}

// A module of its own: its functions are no globals of other files.
export {}
