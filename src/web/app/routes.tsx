import { redirectDocument, type RouteObject } from 'react-router'
import { ErrorPage } from './error-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
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
