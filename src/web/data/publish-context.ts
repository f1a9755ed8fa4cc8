import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Publisher, PublishView } from './publish-run.ts'

/** The publications of the tab, which the entry (web/app) made. */
export const PublisherContext = createContext<Publisher | undefined>(undefined)

/** Where publications are started. Throws an Error outside a PublisherContext. */
export function usePublisher(): Publisher {
  const publisher = useContext(PublisherContext)
  if (publisher === undefined) throw new Error('usePublisher needs a PublisherContext above it')
  return publisher
}

/** How the last publication stands; it renders again as that goes on. */
export function usePublishView(publisher: Publisher): PublishView {
  return useSyncExternalStore(publisher.subscribe, publisher.getSnapshot)
}
