import { type ComponentType, createElement, lazy, type ReactElement, useState } from 'react'
import { useLocation } from 'react-router'
import { type Services, useServices } from '../data/core/services.ts'

/** A part of the services that is loaded when it is needed. */
type Needed = 'ofPages' | 'ofBuilds'

/** A page: where it lives, how navigation calls it, and what shows it. */
export interface Page extends Loadable {
  readonly path: string
  readonly label: string
  /** Pressed after "g" it leads there. */
  readonly key: string
  /**
   * The job that it is for: pages of one stand together. Those of `you` stand behind the user, and in the
   * header only while they are shown.
   */
  readonly group: 'builds' | 'packages' | 'decode' | 'wall' | 'you'
  /** What it can't be drawn without: loaded with it (services.ts#Services). */
  readonly needs?: readonly Needed[]
  /** Whether it stands alone, without the navigation and all else that is around pages. */
  readonly isBare?: true
}

/** It has two addresses. */
const wallPage = page(async () => (await import('../features/wall/wall-page.tsx')).WallPage, [])

/** Every page that exists: routes, navigation, keys and command palette are made from this table. */
export const pages: readonly Page[] = [
  {
    path: '/',
    label: 'Feed',
    key: 'f',
    group: 'builds',
    ...loadable(async () => (await import('../features/feed/feed-page.tsx')).FeedPage),
  },
  {
    path: '/builds',
    label: 'Builds',
    key: 'b',
    group: 'builds',
    ...page(
      async () => (await import('../features/builds/builds-page.tsx')).BuildsPage,
      ['ofPages', 'ofBuilds'],
    ),
  },
  {
    path: '/tests',
    label: 'Tests',
    key: 't',
    group: 'builds',
    ...page(
      async () => (await import('../features/tests/tests-page.tsx')).TestsPage,
      ['ofPages', 'ofBuilds'],
    ),
  },
  {
    path: '/packages',
    label: 'Packages',
    key: 'p',
    group: 'packages',
    ...page(async () => (await import('../features/packages/packages-page.tsx')).PackagesPage),
  },
  {
    path: '/board',
    label: 'Boards',
    key: 'r',
    group: 'packages',
    ...page(async () => (await import('../features/board/boards-page.tsx')).BoardsPage),
  },
  {
    path: '/waivers',
    label: 'Waivers',
    key: 'v',
    group: 'packages',
    ...page(async () => (await import('../features/waivers/waivers-page.tsx')).WaiversPage),
  },
  {
    path: '/publish',
    label: 'Publish',
    key: 'u',
    group: 'packages',
    ...page(
      async () => (await import('../features/publish/publish-page.tsx')).PublishPage,
      ['ofPages', 'ofBuilds'],
    ),
  },
  {
    path: '/decode',
    label: 'Decode',
    key: 'd',
    group: 'decode',
    ...page(async () => (await import('../features/decode/decode-page.tsx')).DecodePage, []),
  },
  {
    path: '/walls',
    label: 'Walls',
    key: 'w',
    group: 'wall',
    ...page(async () => (await import('../features/wall/walls-page.tsx')).WallsPage),
  },
  {
    path: '/activity',
    label: 'Activity',
    key: 'a',
    group: 'you',
    ...page(async () => (await import('../features/activity/activity-page.tsx')).ActivityPage),
  },
  {
    path: '/status',
    label: 'Status',
    key: 's',
    group: 'you',
    ...page(async () => (await import('../features/status/status-page.tsx')).StatusPage),
  },
]

/** A page that no key leads to. */
type DetailPage = Omit<Page, 'key' | 'group'> & Partial<Pick<Page, 'group'>>

/** Pages of one thing, which are reached from others: they stand in no navigation. */
export const detailPages: readonly DetailPage[] = [
  {
    path: '/board/:name',
    label: 'Release board',
    ...page(async () => (await import('../features/board/board-page.tsx')).BoardPage),
  },
  {
    path: '/builds/:buildId',
    label: 'Build',
    ...page(
      async () => (await import('../features/build-page/build-page.tsx')).BuildPage,
      ['ofPages', 'ofBuilds'],
    ),
  },
  { path: '/wall', label: 'Wall', isBare: true, ...wallPage },
  { path: '/wall/:name', label: 'Wall', isBare: true, ...wallPage },
  ...['/walls/edit', '/walls/edit/:name'].map((path) => ({
    path,
    label: 'Edit wall',
    ...page(async () => (await import('../features/wall/edit-page.tsx')).EditWallPage),
  })),
  {
    path: '/tokens',
    label: 'Tokens',
    group: 'you',
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
function page(from: Load, needs: readonly Needed[] = ['ofPages']): Loadable & Pick<Page, 'needs'> {
  const loaded = loadable(async (services) => {
    const [{ Queries }, Content] = await Promise.all([
      import('../data/core/queries.tsx'),
      from(),
      ...needs.map((needed) => services[needed]()),
    ])
    return () => createElement(Queries, { children: createElement(Content) })
  })
  return { ...loaded, from, needs }
}

/** A component whose code is loaded with its first use, or before. */
interface Loadable {
  /** Imports its module: by its text the build knows what the proxy names in the page (scripts/page-chunks.ts). */
  readonly from: unknown
  readonly Page: ComponentType
  /** Begins to load it with what it needs, not one after the other; resolves when it can be shown at once. */
  readonly load: (services: Pick<Services, Needed>) => Promise<unknown>
}

/** Takes away the bar (styles.css) of a page that was opened and isn't there yet. */
export function endOpening(): void {
  document.documentElement.classList.remove('opening')
}

/**
 * As `lazy` of React, but what is loaded already is shown at once. A lazy component always suspends
 * first, and once a fallback was shown React holds back what follows for 300 ms.
 */
export function loadable(
  load: (services: Pick<Services, Needed>) => Promise<ComponentType>,
): Loadable {
  let loaded: ComponentType | undefined
  const start: typeof load = async (services) => (loaded = await load(services))
  let later: ComponentType = () => null
  let openedBy: string | undefined

  /** Opened once more it is loaded anew, and no sooner: React draws one opening several times, and keeps nothing of it before it is there. */
  function opened(by: string, services: Services): ComponentType {
    if (by !== openedBy) {
      later = lazy(async () => {
        document.documentElement.classList.add('opening')
        // Back to the page that still stands changes nothing that React would notice.
        addEventListener('popstate', endOpening)
        return { default: await start(services) }
      })
    }
    openedBy = by
    return later
  }

  return {
    Page: function Page(): ReactElement {
      const services = useServices()
      const { key } = useLocation()
      const [Content] = useState<ComponentType>(() => loaded ?? opened(key, services))
      return createElement(Content)
    },
    load: start,
    from: load,
  }
}
