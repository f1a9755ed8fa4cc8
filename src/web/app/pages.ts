import type { ComponentType } from 'react'

/** A page: where it lives, how navigation calls it, and where its code is. */
export interface Page {
  readonly path: string
  readonly label: string
  /** Pressed after "g" it leads there. */
  readonly key: string
  readonly load: () => Promise<{ readonly Component: ComponentType }>
  /** Whether it stands alone, without the navigation and all else that is around pages. */
  readonly isBare?: true
}

/** A function: it is named twice, in the table of pages and among those of one thing. */
async function loadWall() {
  return { Component: (await import('../features/wall/wall-page.tsx')).WallPage }
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
    path: '/builds',
    label: 'Builds',
    key: 'b',
    load: async () => ({
      Component: (await import('../features/builds/builds-page.tsx')).BuildsPage,
    }),
  },
  {
    path: '/packages',
    label: 'Packages',
    key: 'p',
    load: async () => ({
      Component: (await import('../features/packages/packages-page.tsx')).PackagesPage,
    }),
  },
  {
    path: '/board',
    label: 'Board',
    key: 'r',
    load: async () => ({
      Component: (await import('../features/board/boards-page.tsx')).BoardsPage,
    }),
  },
  {
    path: '/publish',
    label: 'Publish',
    key: 'u',
    load: async () => ({
      Component: (await import('../features/publish/publish-page.tsx')).PublishPage,
    }),
  },
  {
    path: '/wall',
    label: 'Wall',
    key: 'w',
    isBare: true,
    load: loadWall,
  },
  {
    path: '/decode',
    label: 'Decode',
    key: 'd',
    load: async () => ({
      Component: (await import('../features/decode/decode-page.tsx')).DecodePage,
    }),
  },
  {
    path: '/activity',
    label: 'Activity',
    key: 'a',
    load: async () => ({
      Component: (await import('../features/activity/activity-page.tsx')).ActivityPage,
    }),
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
    path: '/board/:name',
    label: 'Release board',
    load: async () => ({
      Component: (await import('../features/board/board-page.tsx')).BoardPage,
    }),
  },
  {
    path: '/builds/:buildId',
    label: 'Build',
    load: async () => ({
      Component: (await import('../features/build-page/build-page.tsx')).BuildPage,
    }),
  },
  { path: '/wall/:name', label: 'Wall', isBare: true, load: loadWall },
  ...['/packages/:type/:name/:version', '/packages/:type/:namespace/:name/:version'].flatMap(
    (path) => [
      {
        path,
        label: 'Package',
        load: async () => ({
          Component: (await import('../features/packages/packages-page.tsx')).PackagePage,
        }),
      },
      {
        path: `${path}/policy-scans/:scan`,
        label: 'Policy scan',
        load: async () => ({
          Component: (await import('../features/packages/scan-page.tsx')).ScanPage,
        }),
      },
      {
        path: `${path}/policy-scans/:scan/runs`,
        label: 'Recorded runs',
        load: async () => ({
          Component: (await import('../features/activity/runs-page.tsx')).RunsPage,
        }),
      },
      {
        path: `${path}/policy-scans/:scan/runs/:run`,
        label: 'Recorded run',
        load: async () => ({
          Component: (await import('../features/packages/recorded-run-page.tsx')).RecordedRunPage,
        }),
      },
    ],
  ),
  ...['/packages/:type', '/packages/:type/:namespace'].map((above) => ({
    path: `${above}/:name/:version/:digest/attestations/:instance/:id`,
    label: 'Attestation',
    load: async () => ({
      Component: (await import('../features/decode/stored-attestation.tsx')).StoredAttestationPage,
    }),
  })),
]
