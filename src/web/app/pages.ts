import { type ComponentType, createElement, lazy } from 'react'

/** A page: where it lives, how navigation calls it, and what shows it. */
export interface Page {
  readonly path: string
  readonly label: string
  /** Pressed after "g" it leads there. */
  readonly key: string
  readonly Page: ComponentType
  /** Begins to load it. */
  readonly load: () => Promise<unknown>
  /** Whether it stands alone, without the navigation and all else that is around pages. */
  readonly isBare?: true
}

/** It has two addresses. */
const wallPage = page(async () => (await import('../features/wall/wall-page.tsx')).WallPage)

/** Every page that exists: routes, navigation, keys and command palette are made from this table. */
export const pages: readonly Page[] = [
  {
    path: '/',
    label: 'Feed',
    key: 'f',
    ...bare(async () => (await import('../features/feed/feed-page.tsx')).FeedPage),
  },
  {
    path: '/builds',
    label: 'Builds',
    key: 'b',
    ...page(async () => (await import('../features/builds/builds-page.tsx')).BuildsPage),
  },
  {
    path: '/packages',
    label: 'Packages',
    key: 'p',
    ...page(async () => (await import('../features/packages/packages-page.tsx')).PackagesPage),
  },
  {
    path: '/board',
    label: 'Board',
    key: 'r',
    ...page(async () => (await import('../features/board/boards-page.tsx')).BoardsPage),
  },
  {
    path: '/waivers',
    label: 'Waivers',
    key: 'v',
    ...page(async () => (await import('../features/waivers/waivers-page.tsx')).WaiversPage),
  },
  {
    path: '/publish',
    label: 'Publish',
    key: 'u',
    ...page(async () => (await import('../features/publish/publish-page.tsx')).PublishPage),
  },
  {
    path: '/wall',
    label: 'Wall',
    key: 'w',
    isBare: true,
    ...wallPage,
  },
  {
    path: '/decode',
    label: 'Decode',
    key: 'd',
    ...page(async () => (await import('../features/decode/decode-page.tsx')).DecodePage),
  },
  {
    path: '/activity',
    label: 'Activity',
    key: 'a',
    ...page(async () => (await import('../features/activity/activity-page.tsx')).ActivityPage),
  },
  {
    path: '/status',
    label: 'Status',
    key: 's',
    ...page(async () => (await import('../features/status/status-page.tsx')).StatusPage),
  },
]

/** Pages of one thing, which are reached from others: they stand in no navigation. */
export const detailPages: readonly Omit<Page, 'key'>[] = [
  {
    path: '/board/:name',
    label: 'Release board',
    ...page(async () => (await import('../features/board/board-page.tsx')).BoardPage),
  },
  {
    path: '/builds/:buildId',
    label: 'Build',
    ...page(async () => (await import('../features/build-page/build-page.tsx')).BuildPage),
  },
  { path: '/wall/:name', label: 'Wall', isBare: true, ...wallPage },
  {
    path: '/tokens',
    label: 'Tokens',
    ...page(async () => (await import('../features/tokens/tokens-page.tsx')).TokensPage),
  },
  ...['/packages/:type/:name/:version', '/packages/:type/:namespace/:name/:version'].flatMap(
    (path) => [
      {
        path,
        label: 'Package',
        ...page(async () => (await import('../features/packages/packages-page.tsx')).PackagePage),
      },
      {
        path: `${path}/policy-scans/:scan`,
        label: 'Policy scan',
        ...page(async () => (await import('../features/packages/scan-page.tsx')).ScanPage),
      },
      {
        path: `${path}/policy-scans/:scan/runs`,
        label: 'Recorded runs',
        ...page(async () => (await import('../features/activity/runs-page.tsx')).RunsPage),
      },
      {
        path: `${path}/policy-scans/:scan/runs/:run`,
        label: 'Recorded run',
        ...page(
          async () => (await import('../features/packages/recorded-run-page.tsx')).RecordedRunPage,
        ),
      },
    ],
  ),
  ...['/packages/:type', '/packages/:type/:namespace'].map((above) => ({
    path: `${above}/:name/:version/:digest/attestations/:instance/:id`,
    label: 'Attestation',
    ...page(
      async () => (await import('../features/decode/stored-attestation.tsx')).StoredAttestationPage,
    ),
  })),
]

type Load = () => Promise<ComponentType>

/** A page that is loaded when it is opened, and that may use react-query. */
function page(load: Load): Pick<Page, 'Page' | 'load'> {
  return bare(async () => {
    const [{ Queries }, Content] = await Promise.all([import('../data/core/queries.tsx'), load()])
    return () => createElement(Queries, { children: createElement(Content) })
  })
}

/** The first page that most people see: without react-query. */
function bare(load: Load): Pick<Page, 'Page' | 'load'> {
  return { Page: lazy(async () => ({ default: await load() })), load }
}
