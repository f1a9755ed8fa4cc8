import { createContext, useContext, useSyncExternalStore } from 'react'
import { isPublishing, type Publisher, type PublishView } from './publish-run.ts'

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

/** Whether a publication is going on; results that come do not render it again. */
export function useIsPublishing(publisher: Publisher): boolean {
  return useSyncExternalStore(publisher.subscribe, () =>
    isPublishing(publisher.getSnapshot().state),
  )
}

/** The last publication where the service refused it; results that come do not render it again. */
export function useRefusedPublication(publisher: Publisher): PublishView | undefined {
  return useSyncExternalStore(publisher.subscribe, () => {
    const view = publisher.getSnapshot()
    return view.state.is === 'refused' ? view : undefined
  })
}
