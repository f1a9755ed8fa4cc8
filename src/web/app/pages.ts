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
      Component: (await import('../features/package/packages-page.tsx')).PackagesPage,
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
    path: '/decode',
    label: 'Decode',
    key: 'd',
    load: async () => ({
      Component: (await import('../features/attestation/decode-page.tsx')).DecodePage,
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
    path: '/builds/:buildId',
    label: 'Build',
    load: async () => ({ Component: (await import('../features/build/build-page.tsx')).BuildPage }),
  },
  ...['/packages/:type/:name/:version', '/packages/:type/:namespace/:name/:version'].flatMap(
    (path) => [
      {
        path,
        label: 'Package',
        load: async () => ({
          Component: (await import('../features/package/package-page.tsx')).PackagePage,
        }),
      },
      {
        path: `${path}/policy-scans/:scan`,
        label: 'Policy scan',
        load: async () => ({
          Component: (await import('../features/package/scan-page.tsx')).ScanPage,
        }),
      },
    ],
  ),
  ...['/packages/:type', '/packages/:type/:namespace'].map((above) => ({
    path: `${above}/:name/:version/:digest/attestations/:instance/:id`,
    label: 'Attestation',
    load: async () => ({
      Component: (await import('../features/attestation/stored-attestation-page.tsx'))
        .StoredAttestationPage,
    }),
  })),
]
