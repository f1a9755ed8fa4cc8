import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { Trust } from '../../data/wall/wall-trust.ts'
import { createWallWatch } from '../../data/wall/wall-watch.ts'
import { useServices } from '../../data/core/services.ts'

/** How far what the wall shows can be believed; while it is shown, the feed is kept alive. */
export function useTrust(): Trust {
  const { feed, clock, fetch, isOnline } = useServices()
  const watch = useMemo(
    () => createWallWatch({ feed, clock, fetch, isOnline }),
    [feed, clock, fetch, isOnline],
  )
  const trust = useSyncExternalStore(watch.subscribe, watch.getSnapshot)
  const isSignedOut = trust.is === 'silent' && trust.side === 'session'
  const queries = useQueryClient()
  useEffect(() => {
    // Refused the configuration as well, the page shows a code instead of the wall.
    if (isSignedOut) void queries.invalidateQueries({ queryKey: ['config'] })
  }, [isSignedOut, queries])
  return trust
}
