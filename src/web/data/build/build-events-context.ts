import { createContext, useContext, useSyncExternalStore } from 'react'
import type { OpenBuildEvents } from './build-events-pool.ts'
import type { BuildEvents, BuildEventsView } from './build-events.ts'

/** The way to the events of builds that the entry (web/app) made. */
export const BuildEventsContext = createContext<OpenBuildEvents | undefined>(undefined)

/** The events of a build. Throws an Error outside a BuildEventsContext. */
export function useBuildEvents(buildId: string): BuildEvents {
  const open = useContext(BuildEventsContext)
  if (open === undefined) throw new Error('useBuildEvents needs a BuildEventsContext above it')
  return open(buildId)
}

/** How the reading of these events stands; renders again as it goes on. */
export function useBuildEventsView(events: BuildEvents): BuildEventsView {
  return useSyncExternalStore(events.subscribe, events.getSnapshot)
}
