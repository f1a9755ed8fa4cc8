import type { ReactElement } from 'react'
import { Link, redirectDocument, type RouteObject, useLocation, useRouteError } from 'react-router'
import { EmptyState } from '../ui/page.tsx'
import { ProblemPanel } from '../ui/problem.tsx'
import { detailPages, pages } from './pages.ts'
import { Shell } from './shell.tsx'

const all = [...pages, ...detailPages]

/**
 * The addresses of the dashboard. A page that breaks leaves the shell around it standing. What was
 * opened as a wall keeps little of the feed: the other pages are loaded anew from there.
 */
export function routesOf({ isWall }: { readonly isWall: boolean }): RouteObject[] {
  return [
    ...all
      .filter(({ isBare }) => isBare === true)
      .map(({ path, load }) => ({
        path,
        lazy: load,
        HydrateFallback: Nothing,
        ErrorBoundary: ErrorPage,
      })),
    {
      Component: Shell,
      HydrateFallback: Nothing,
      ErrorBoundary: ErrorPage,
      ...(isWall ? { loader: ({ request }) => redirectDocument(request.url) } : {}),
      children: [
        {
          ErrorBoundary: ErrorPage,
          children: [
            ...all
              .filter(({ isBare }) => isBare !== true)
              .map(({ path, load }) => ({ path, lazy: load })),
            { path: '*', Component: NotFoundPage },
          ],
        },
      ],
    },
  ]
}

/** While the code of the first page loads: too short to show anything. */
function Nothing(): null {
  return null
}

/** In place of a page that broke; all else goes on. */
function ErrorPage(): ReactElement {
  const error = useRouteError()
  return (
    <ProblemPanel
      problem={{
        title: 'This page could not be shown.',
        meaning:
          'Something in it went wrong, or a newer version of Sightline has taken its place. Loading it again most often helps; if it does not, the detail below is for whoever looks after Sightline.',
        detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }}
      retry={{
        label: 'Load again',
        run: () => {
          location.reload()
        },
      }}
    />
  )
}

/** At an address that leads nowhere: says so, and where one can go from here. */
function NotFoundPage(): ReactElement {
  const { pathname } = useLocation()
  return (
    <EmptyState heading="h1" title="There is no page at this address.">
      <p>
        Nothing lives at <code>{pathname}</code>. It may have been mistyped, or the link may be for
        another version of Sightline. These pages exist:
      </p>
      <ul>
        {pages.map(({ path, label }) => (
          <li key={path}>
            <Link to={path}>{label}</Link>
          </li>
        ))}
      </ul>
    </EmptyState>
  )
}
