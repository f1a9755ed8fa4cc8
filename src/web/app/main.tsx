import './styles.css'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { createEvaluateBoard, createLookUpEvaluations } from '../data/board/board-requests.ts'
import { createBoardStorage } from '../data/board/board-cells.ts'
import { createBoards } from '../data/board/board-run.ts'
import { startBuildWorker } from '../data/build/build-worker-line.ts'
import { createBrowserFeed } from '../data/live/feed-store.ts'
import { createBuildSearches } from '../data/builds/build-search.ts'
import { createSendScan, createPolicyScans } from '../data/scans/policy-scan.ts'
import { createSendPublication, createPublisher } from '../data/publish/publisher.ts'
import { createRequest, createStreamedRequest } from '../data/core/request.ts'
import { createScreenCredential, createSession } from '../data/core/session.ts'
import { type Services, ServicesContext } from '../data/core/services.ts'
import type { Clock } from '../../protocol/clock.ts'
import { isRetryable, ProblemError } from '../../protocol/problem.ts'
import { createPreferenceStore, PreferenceContext } from '../ui/device-preferences.ts'
import { createKeyRegistry, KeyContext } from '../ui/keys.tsx'
import { colorSchemeManager, cssVariablesResolver, theme } from '../ui/theme.ts'
import { createTicker, TickerContext } from '../ui/time.tsx'
import { routesOf } from './routes.tsx'
import { createBuildEventsPool } from '../data/build/build-events.ts'

/** The one place of the dashboard that makes the real clock, randomness, storage and connections. */
const clock: Clock = {
  now: () => Date.now(),
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
const session = createSession({ fetch: ask, clock, isOnline, screen })
const request = createRequest({ fetch: ask, session, clock, isOnline })
/** Whether the page was opened as a wall; it is loaded anew to become anything else. */
const isWall = /^\/wall(?:\/|$)/.test(location.pathname)
const feed = createBrowserFeed({ session, clock, random, isWall })
const buildEvents = createBuildEventsPool({
  fetch: ask,
  session,
  clock,
  random,
  isOnline,
  startWorker: startBuildWorker,
})
const buildSearches = createBuildSearches({ request, clock, random, feed })
const streamed = createStreamedRequest({ fetch: ask, session, clock, isOnline })
const policyScans = createPolicyScans({
  send: createSendScan(streamed),
  clock,
  random,
})
const publisher = createPublisher({ send: createSendPublication(streamed), clock })
const boards = createBoards({
  evaluate: createEvaluateBoard(streamed, clock),
  lookUp: createLookUpEvaluations(request, session.proxyNow),
  storage: createBoardStorage(storage()),
  // Only on pages that are served securely.
  locks: 'locks' in navigator ? navigator.locks : undefined,
  clock,
  random,
})
const services: Services = {
  clock,
  random,
  fetch: ask,
  isOnline,
  screen,
  session,
  request,
  feed,
  buildEvents,
  searches: buildSearches,
  scans: policyScans,
  publisher,
  boards,
}
window.addEventListener('storage', ({ key }) => {
  boards.hear(key)
})
window.addEventListener('pagehide', boards.save)
const queries = new QueryClient({
  defaultOptions: { queries: { retry: shouldRetry, refetchOnWindowFocus: false } },
})
const preferences = createPreferenceStore(storage())
window.addEventListener('storage', preferences.reload)
const keys = createKeyRegistry()
const ticker = createTicker(clock)
const schemes = colorSchemeManager(preferences)
const router = createBrowserRouter(routesOf({ isWall }))

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Providers>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariablesResolver}
          colorSchemeManager={schemes}
          defaultColorScheme="auto"
          getStyleNonce={styleNonce}
        >
          <RouterProvider router={router} />
        </MantineProvider>
      </Providers>
    </StrictMode>,
  )
}

function Providers({ children }: { children: ReactNode }): ReactElement {
  return (
    <PreferenceContext value={preferences}>
      <TickerContext value={ticker}>
        <KeyContext value={keys}>
          <QueryClientProvider client={queries}>
            <ServicesContext value={services}>{children}</ServicesContext>
          </QueryClientProvider>
        </KeyContext>
      </TickerContext>
    </PreferenceContext>
  )
}

/** Twice more where that may help; the screen says so when it did not. */
function shouldRetry(failures: number, error: Error): boolean {
  return failures < 2 && error instanceof ProblemError && isRetryable(error.status)
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
