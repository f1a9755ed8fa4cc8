import {
  notifyManager,
  type Query,
  QueryClient,
  QueryClientProvider,
  type QueryFilters,
  type QueryKey,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import {
  type ReactElement,
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useSyncExternalStore,
} from 'react'
import * as z from 'zod/mini'
import type { ChangeTopic } from '../../../protocol/live-change.ts'
import { isRetryable, ProblemError } from '../../../protocol/problem.ts'
import { shouldRetry } from './attempts.ts'
import type { Request } from './request.ts'
import { usePageServices, useServices } from './services.ts'
import { useStore } from './store.ts'

/** What all pages keep of the server's responses, for as long as the tab is open. */
const queries = new QueryClient({
  defaultOptions: {
    // Offline it is said at once what fails, and nothing is sent later that somebody gave up meanwhile.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      refetchOnWindowFocus: false,
      retry: shouldRetry,
    },
  },
})

/**
 * Keeps why a query failed until it is answered: the library drops that as soon as a query without data is
 * tried again, so that an error and "Loading…" would alternate for as long as a server is away.
 */
export function keepErrors(client: QueryClient): void {
  const failures = new WeakMap<Query, Error>()
  const cache = client.getQueryCache()
  cache.subscribe((event) => {
    const query = cache.get(event.query.queryHash)
    if (event.type !== 'updated' || query === undefined) return
    const { type } = event.action
    if (type === 'error' && query.state.error !== null) failures.set(query, query.state.error)
    if (type === 'success') failures.delete(query)
    const error = failures.get(query)
    if (type === 'fetch' && error !== undefined && query.state.error === null) {
      query.setState({ error, status: 'error' })
    }
  })
}

keepErrors(queries)

/** What is below it may use react-query; not around all pages, so that the feed needn't load the library. */
export function Queries({ children }: { children: ReactNode }): ReactElement {
  useSignedIn(() => {
    // What was refused meanwhile is loaded now.
    void queries.invalidateQueries()
  })
  const hasFailed = useSyncExternalStore(onQueryChange, isAnyFailed)
  return (
    <QueryClientProvider client={queries}>
      {hasFailed && <RetryOnRecovery retry={retryQueries} />}
      {children}
    </QueryClientProvider>
  )
}

/** Calls `act` when somebody has signed in. */
function useSignedIn(act: () => void): void {
  const isSignedOut = useStore(useServices().session.state, ({ is }) => is === 'signed-out')
  const wasSignedOut = useRef(isSignedOut)
  const onSignIn = useEffectEvent(act)
  useEffect(() => {
    if (wasSignedOut.current && !isSignedOut) onSignIn()
    wasSignedOut.current = isSignedOut
  }, [isSignedOut])
}

/**
 * Tries again what is no query and failed with `fault`, once Sightline or a server behind it works again or somebody has
 * signed in, as `Queries` does for queries. `of` is what failed: as long as all is well it is tried again only once.
 */
export function RetryFailed({
  fault,
  of,
  retry,
}: {
  fault: ProblemError | undefined
  of: object
  retry: () => void
}): ReactElement | null {
  useSignedIn(() => {
    if (fault?.status === 401) retry()
  })
  if (fault === undefined || !mayRecover(fault)) return null
  return (
    <RetryOnRecovery
      retry={(isRecovery) => {
        if (!isRecovery && (triedOnce.has(of) || !shouldRetry(0, fault))) return
        if (!isRecovery) triedOnce.add(of)
        retry()
      }}
    />
  )
}

/** What is no query and was tried again while all was well. */
const triedOnce = new WeakSet<object>()

/**
 * Retries what failed once Sightline or a server behind it works again: most of it failed for that, and the
 * outage may be over when it is first looked for (no recovery was seen then). What failed for another reason
 * stays as it is from then on, so that nothing flickers while it is read.
 */
function RetryOnRecovery({ retry }: { retry: (isRecovery: boolean) => void }): null {
  const { request } = useServices()
  const { data, isError } = useQuery({
    queryKey: readinessKey,
    queryFn: ({ signal }) => request('/readyz', Readiness, { signal }),
    // Screens may not look at it: they keep what they show by other means.
    refetchInterval: ({ state: { error } }) =>
      error === null || shouldRetry(0, error) ? readinessMs : false,
    retry: false,
    gcTime: 0,
  })
  const health = isError ? 0 : data?.status === 'degraded' ? 1 : data === undefined ? undefined : 2
  const before = useRef(health)
  const act = useEffectEvent(retry)
  useEffect(() => {
    if (health === undefined) return
    const isRecovery = before.current !== undefined
    if (isRecovery ? health > (before.current ?? 0) : health === 2) act(isRecovery)
    before.current = health
  }, [health])
  return null
}

function retryQueries(isRecovery: boolean): void {
  void queries.refetchQueries(isRecovery ? failed : failedOnce(), { cancelRefetch: false })
}

/** What `GET /readyz` says (docs/reference/proxy-api.md). */
const Readiness = z.looseObject({ status: z.string() })
const readinessKey = ['readiness']
/** So soon after a recovery what failed is loaded, ms. */
const readinessMs = 5000

/** Whether it may go well once a server is there again, or accepts Sightline's user. */
function mayRecover(error: Error): boolean {
  return error instanceof ProblemError && isRetryable(error.status)
}

/** What an outage or a key that isn't accepted may have failed, but for the readiness itself. */
const failed: QueryFilters = {
  type: 'active',
  predicate: ({ state: { error }, queryKey }) =>
    error !== null && mayRecover(error) && queryKey[0] !== readinessKey[0],
}

/** Of what was tried again while all was well, how often it had been answered until then. */
const triedAgain = new WeakMap<Query, number>()

/** What has failed and wasn't tried again since it was answered last: it is now, and only once. */
function failedOnce(): QueryFilters {
  const once = new Set(
    queries
      .getQueryCache()
      .findAll(failed)
      .filter(
        (query) =>
          triedAgain.get(query) !== query.state.dataUpdateCount &&
          query.state.error !== null &&
          shouldRetry(0, query.state.error),
      ),
  )
  for (const query of once) triedAgain.set(query, query.state.dataUpdateCount)
  return { predicate: (query) => once.has(query) }
}

// Later, as a query that a component makes while it is drawn is a change.
const onQueryChange = (listener: () => void) =>
  queries.getQueryCache().subscribe(notifyManager.batchCalls(listener))
const isAnyFailed = (): boolean => queries.getQueryCache().findAll(failed).length > 0

/**
 * Requests what changes something. Where nobody is signed in it changes nothing, which is said in words that are still
 * true once somebody has signed in above the page.
 */
export function useAct(): Request {
  const { request } = useServices()
  return useCallback(
    async (...asked) => {
      try {
        return await request(...asked)
      } catch (error) {
        if (!(error instanceof ProblemError) || error.status !== 401) throw error
        const detail = 'You were signed out, so nothing was changed. Try again.'
        throw new ProblemError({ ...error.problem, detail }, { cause: error })
      }
    },
    [request],
  )
}

/** Posts what `requestOf` makes of its input. Whatever comes of it, the queries below `queryKey` are read anew. */
export function usePost<Schema extends z.core.$ZodType, Input>(
  queryKey: QueryKey,
  schema: Schema,
  requestOf: (input: Input) => readonly [path: string, body?: unknown],
): UseMutationResult<z.output<Schema>, Error, Input> {
  const act = useAct()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input) => {
      const [path, body] = requestOf(input)
      return act(path, schema, { method: 'POST', body })
    },
    onSuccess: () => client.invalidateQueries({ queryKey }),
    // A refusal is said at once.
    onError: () => void client.invalidateQueries({ queryKey }),
  })
}

/** Fetches a query again when something of a topic that `concerns` it has changed, or anything of the topic. */
export function useFreshQuery(
  topic: ChangeTopic,
  queryKey: QueryKey,
  concerns: (key: string) => boolean = () => true,
): void {
  const { changes } = usePageServices()
  const queries = useQueryClient()
  const heard = useEffectEvent((key: string | undefined) => {
    if (key === undefined || concerns(key)) void queries.invalidateQueries({ queryKey })
  })
  useEffect(() => changes.subscribe(topic, heard), [changes, topic])
}
