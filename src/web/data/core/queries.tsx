import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react'
import { shouldRetry } from './attempts.ts'
import { useServices } from './services.ts'
import { useStore } from './store.ts'

/** What all pages keep of the server's responses, for as long as the tab is open. */
const queries = new QueryClient({
  defaultOptions: { queries: { retry: shouldRetry, refetchOnWindowFocus: false } },
})

/**
 * What is below it may use react-query. It stands around each page and dialog that does, and not around
 * all of them, so that the feed is shown before the library is loaded.
 */
export function Queries({ children }: { children: ReactNode }): ReactElement {
  const isSignedOut = useStore(useServices().session.state, ({ is }) => is === 'signed-out')
  const wasSignedOut = useRef(isSignedOut)
  useEffect(() => {
    // What was refused meanwhile is loaded now.
    if (wasSignedOut.current && !isSignedOut) void queries.invalidateQueries()
    wasSignedOut.current = isSignedOut
  }, [isSignedOut])
  const hasFailed = useSyncExternalStore(onQueryChange, isAnyFailed)
  return (
    <QueryClientProvider client={queries}>
      {hasFailed && <RetryWhenLive />}
      {children}
    </QueryClientProvider>
  )
}

/**
 * Loads what failed once the connection is back: most of it failed for the same reason. Only there when
 * something failed, as listening to the feed opens its stream.
 */
function RetryWhenLive(): null {
  const isLive = useStore(useServices().feed, ({ connection }) => connection.state === 'live')
  const wasLive = useRef(isLive)
  useEffect(() => {
    if (isLive && !wasLive.current) {
      void queries.refetchQueries(failed, { cancelRefetch: false })
    }
    wasLive.current = isLive
  }, [isLive])
  return null
}

const failed = {
  type: 'active',
  predicate: ({ state }: { state: { status: string } }) => state.status === 'error',
} as const

const onQueryChange = (listener: () => void) => queries.getQueryCache().subscribe(listener)
const isAnyFailed = (): boolean => queries.getQueryCache().findAll(failed).length > 0
