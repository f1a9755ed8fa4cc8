import './trusted-types.ts'
import './styles.css'
import { MantineProvider } from '@mantine/core'
import { type ReactElement, type ReactNode, startTransition, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { createBrowserFeed } from '../data/live/feed-store.ts'
import { createStore } from '../data/core/store.ts'
import { createRequest } from '../data/core/request.ts'
import {
  createScreenCredential,
  createSession,
  serverClock,
  type Tabs,
} from '../data/core/session.ts'
import { type Services, ServicesContext } from '../data/core/services.ts'
import { type Clock, steadyTime } from '../../protocol/clock.ts'
import type { Loss } from '../../protocol/status-report.ts'
import { basePath } from '../ui/base-path.ts'
import { createPreferenceStore, PreferenceContext } from '../ui/device-preferences.ts'
import { keepFocus } from '../ui/keep-focus.ts'
import { createKeyRegistry, KeyContext } from '../ui/keys.tsx'
import { colorSchemeManager, cssVariablesResolver, theme } from '../ui/theme.ts'
import { createTicker, TickerContext } from '../ui/time.tsx'
import { AppRoutes, preload } from './routes.tsx'

/** The one place of the dashboard that makes the real clock, randomness, storage and connections. */
const deviceClock: Clock = {
  now: steadyTime(Date.now, () => performance.now()),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => {
      clearTimeout(timer)
    }
  },
}
const random = (): number => Math.random()
const isOnline = (): boolean => navigator.onLine
const ask: typeof fetch = (input, init) => fetch(input, init)

const screen = createScreenCredential(storage())
// A browser that keeps nothing denies locks, too: each tab is alone there.
const tabs: Tabs | undefined =
  'locks' in navigator && storage() !== undefined
    ? { locks: navigator.locks, openChannel: (name) => new BroadcastChannel(name) }
    : undefined
const path = location.pathname.slice(basePath.length - 1)
/** Whether the page was opened as a wall; it is loaded anew to become anything else. */
const isWall = /^\/wall(\/[^/]*\/?)?$/.test(path)
const session = createSession({ fetch: ask, clock: deviceClock, isOnline, screen, tabs, isWall })
// A wall keeps the difference itself, with what it shows after a reload in an outage.
const clock = isWall ? deviceClock : serverClock(deviceClock, session)
const request = createRequest({ fetch: ask, session, clock, isOnline })
const feed = createBrowserFeed({ session, clock, random, tabs, isWall })
const services: Services = {
  clock,
  random,
  fetch: ask,
  isOnline,
  screen,
  session,
  request,
  feed,
  losses: createStore<readonly Loss[]>([], { clock }),
  ofPages: once(async () =>
    (await import('./page-services.ts')).createPageServices(services, storage(), tabs),
  ),
  ofBuilds: once(async () => (await import('./build-services.ts')).createBuildServices(services)),
}
const preferences = createPreferenceStore(storage())
window.addEventListener('storage', preferences.reload)
const keys = createKeyRegistry()
const ticker = createTicker(clock, session.proxyNow, () => {
  const { clockDifference, lastHeardAt } = feed.getSnapshot()
  return lastHeardAt === undefined ? session.proxyNow() : clock.now() + clockDifference
})
const schemes = colorSchemeManager(preferences)

keepFocus(clock)
// Requested while the code loads: all that a page shows waits for it. Why there is none is in its state.
session.current().catch(() => undefined)
const root = document.getElementById('root')
// Until all that the first render needs is loaded, the frame of index.html stays.
const loaded = Promise.all([
  preload(path, services).catch(() => undefined),
  applyStyles(),
  takeBack().catch(() => undefined),
])
void loaded.then(() => {
  if (root === null) return
  const app = (
    <StrictMode>
      <Providers>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariablesResolver}
          colorSchemeManager={schemes}
          defaultColorScheme="auto"
          getStyleNonce={styleNonce}
        >
          <BrowserRouter basename={basePath}>
            <AppRoutes isWall={isWall} />
          </BrowserRouter>
        </MantineProvider>
      </Providers>
    </StrictMode>
  )
  // In slices, between which the browser answers.
  startTransition(() => {
    createRoot(root).render(app)
  })
})

function Providers({ children }: { children: ReactNode }): ReactElement {
  return (
    <PreferenceContext value={preferences}>
      <TickerContext value={ticker}>
        <KeyContext value={keys}>
          <ServicesContext value={services}>{children}</ServicesContext>
        </KeyContext>
      </TickerContext>
    </PreferenceContext>
  )
}

/** Makes it with the first call, for all; what could not be loaded is loaded anew with the next one. */
function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let kept: Promise<Made> | undefined
  return () => {
    if (kept !== undefined) return kept
    const made = (kept = make())
    // As React itself notes it: `use` of what is there already doesn't suspend.
    void made.then(
      (value) => Object.assign(made, { status: 'fulfilled', value }),
      () => {
        kept = undefined
      },
    )
    return made
  }
}

/**
 * Applies the styles that the page names for later (vite.config.ts), once they are there: in their place,
 * before those of pages. Where they can't be loaded, the application is drawn without.
 */
async function applyStyles(): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="stylesheet"][media="print"]')
  if (link === null) return
  if (link.sheet === null) {
    await new Promise((resolve) => {
      link.addEventListener('load', resolve)
      link.addEventListener('error', resolve)
    })
  }
  link.media = 'all'
}

/** What was left in this tab, if anything, is there before the page is drawn. Rejects where storage is blocked. */
async function takeBack(): Promise<void> {
  if (
    location.hash.startsWith('#to=') ||
    ['drafts', 'hash', 'left-by'].some((name) => `sightline.${name}` in sessionStorage)
  ) {
    await (await import('./sign-in.tsx')).takeBack(session)
  }
}

/** What the proxy wrote into this page, so that Mantine's style elements are let through. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}

/** A browser that is told to keep nothing throws at the mere mention. */
function storage(): Storage | undefined {
  try {
    return localStorage
  } catch {
    return undefined
  }
}
