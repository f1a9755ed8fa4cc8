import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useEffect, useRef } from 'react'
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
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>
}
