import { Component, type ReactElement, type ReactNode, Suspense, useEffect } from 'react'
import { Link, Outlet, Route, Routes, useLocation } from 'react-router'
import { EmptyState } from '../ui/page.tsx'
import { ProblemPanel } from '../ui/problem.tsx'
import { detailPages, pages } from './pages.ts'
import { Shell } from './shell.tsx'

const all = [...pages, ...detailPages]

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

/** In place of a page that broke; all else goes on. */
function ErrorPage({ error }: { error: unknown }): ReactElement {
  return (
    <ProblemPanel
      problem={{
        title: 'Can’t show this page.',
        meaning:
          'Something on this page failed, or Sightline was updated. Reload the page. If that doesn’t help, send the technical details to your administrator.',
        detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }}
      retry={{
        label: 'Reload',
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
    <EmptyState heading="h1" title="Page not found.">
      <p>
        Nothing exists at <code>{pathname}</code>. The address may be mistyped, or the link may be
        for another version of Sightline. Available pages:
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
