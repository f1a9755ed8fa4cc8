import { Component, lazy, type ReactElement, type ReactNode, Suspense, useEffect } from 'react'
import { Link, matchPath, Outlet, Route, Routes, useLocation } from 'react-router'
import { EmptyState } from '../ui/page.tsx'
import { detailPages, pages } from './pages.ts'

const all = [...pages, ...detailPages]

const Shell = lazy(async () => ({ default: (await import('./shell.tsx')).Shell }))
const NotFoundPage = lazy(async () => ({
  default: (await import('./not-found-page.tsx')).NotFoundPage,
}))

/** Begins to load what stands at `pathname`, at once and not one after the other. */
export function preload(pathname: string): void {
  const page = all.find(({ path }) => matchPath(path, pathname) !== null)
  if (page?.isBare !== true) void import('./shell.tsx')
  void page?.load()
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
        <Route element={isWall ? <LoadAnew /> : <Shell />}>
          <Route element={<Guard />}>
            {all
              .filter(({ isBare }) => isBare !== true)
              .map(({ path, Page }) => (
                <Route key={path} path={path} element={<Page />} />
              ))}
            <Route path="*" element={<NotFoundPage />} />
          </Route>
        </Route>
      </Route>
    </Routes>
  )
}

/** What is below it may load, and may break. While the code of a page loads nothing is shown. */
function Guard(): ReactElement {
  const { pathname } = useLocation()
  return (
    <ErrorBoundary path={pathname}>
      <Suspense>
        <Outlet />
      </Suspense>
    </ErrorBoundary>
  )
}

/** Shows a failure in place of what is below, until another path is opened. */
class ErrorBoundary extends Component<
  { readonly path: string; readonly children: ReactNode },
  { readonly error?: unknown; readonly hasFailed: boolean }
> {
  override state = { hasFailed: false, error: undefined }

  static getDerivedStateFromError(error: unknown): { error: unknown; hasFailed: boolean } {
    return { error, hasFailed: true }
  }

  override componentDidUpdate({ path }: { readonly path: string }): void {
    if (this.state.hasFailed && path !== this.props.path) this.setState({ hasFailed: false })
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <ErrorPage error={this.state.error} /> : this.props.children
  }
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
      title="Can’t show this page."
      action={
        <Link to={useLocation()} reloadDocument>
          Reload
        </Link>
      }
    >
      <p>
        Something on this page failed, or Sightline was updated. Reload the page. If that doesn’t
        help, send the technical details to your administrator.
      </p>
      <details>
        <summary>Technical details</summary>
        <pre>{error instanceof Error ? (error.stack ?? error.message) : String(error)}</pre>
      </details>
    </EmptyState>
  )
}
