import type { ComponentType } from 'react'

/** A page: where it lives, how navigation calls it, and where its code is. */
export interface Page {
  readonly path: string
  readonly label: string
  /** Pressed after "g" it leads there. */
  readonly key: string
  readonly load: () => Promise<{ readonly Component: ComponentType }>
}

/** Every page that exists: routes, navigation, keys and command palette are made from this table. */
export const pages: readonly Page[] = [
  {
    path: '/',
    label: 'Feed',
    key: 'f',
    load: async () => ({ Component: (await import('../features/feed/feed-page.tsx')).FeedPage }),
  },
  {
    path: '/status',
    label: 'Status',
    key: 's',
    load: async () => ({
      Component: (await import('../features/status/status-page.tsx')).StatusPage,
    }),
  },
]

/** Pages of one thing, which are reached from others: they stand in no navigation. */
export const detailPages: readonly Omit<Page, 'key'>[] = [
  {
    path: '/builds/:buildId',
    label: 'Build',
    load: async () => ({ Component: (await import('../features/build/build-page.tsx')).BuildPage }),
  },
]
