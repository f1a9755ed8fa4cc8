import { type ReactElement, Suspense, useEffect } from 'react'
import { Link, matchPath, Outlet, Route, Routes, useLocation } from 'react-router'
import type { Services } from '../data/core/services.ts'
import { EmptyState, ErrorBoundary } from '../ui/page.tsx'
import { detailPages, endOpening, loadable, pages } from './pages.ts'

const all = [...pages, ...detailPages]

const shell = loadable(async () => (await import('./shell.tsx')).Shell)
const notFound = loadable(async () => (await import('./not-found-page.tsx')).NotFoundPage)

/** Loads what stands at `pathname`, at once and not one after the other; resolves when all of it can be shown. */
export async function preload(
  pathname: string,
  services: Pick<Services, 'ofPages' | 'ofBuilds'>,
): Promise<void> {
  const page = all.find(({ path }) => matchPath(path, pathname) !== null)
  await Promise.all([
    (page ?? notFound).load(services),
    page?.isBare !== true && shell.load(services),
  ])
}

/**
 * The addresses of the dashboard. A page that breaks leaves the shell around it standing. What was
 * opened as a wall keeps little of the feed: the other pages are loaded anew from there.
 */
export function AppRoutes({ isWall }: { isWall: boolean }): ReactElement {
  return (
    <Routes>
      <Route element={<Guard />}>
        {all
          .filter(({ isBare }) => isBare === true)
          .map(({ path, Page }) => (
            <Route key={path} path={path} element={<Page />} />
          ))}
        <Route element={isWall ? <LoadAnew /> : <shell.Page />}>
          <Route element={<Guard />}>
            {all
              .filter(({ isBare }) => isBare !== true)
              .map(({ path, Page }) => (
                <Route key={path} path={path} element={<Page />} />
              ))}
            <Route path="*" element={<notFound.Page />} />
          </Route>
        </Route>
      </Route>
    </Routes>
  )
}

/** What is below it may load, and may break. While the code of a page loads the page before stays. */
function Guard(): ReactElement {
  const location = useLocation()
  useEffect(endOpening, [location])
  return (
    <ErrorBoundary of={location.pathname} fallback={(error) => <ErrorPage error={error} />}>
      <Suspense>
        <Outlet />
      </Suspense>
    </ErrorBoundary>
  )
}

function LoadAnew(): null {
  useEffect(() => {
    location.reload()
  }, [])
  return null
}

/** In place of a page that broke; all else goes on. Nothing of it is loaded now: that may be what failed. */
function ErrorPage({ error }: { error: unknown }): ReactElement {
  return (
    <EmptyState
      heading="h1"
      title="Can't show this page."
      action={
        <Link to={useLocation()} reloadDocument>
          Reload
        </Link>
      }
    >
      <p>
        Something on this page failed, or Sightline was updated. Reload the page. If that doesn't
        help, send the technical details to your administrator.
      </p>
      <details>
        <summary>Technical details</summary>
        <pre>{error instanceof Error ? (error.stack ?? error.message) : String(error)}</pre>
      </details>
    </EmptyState>
  )
}
