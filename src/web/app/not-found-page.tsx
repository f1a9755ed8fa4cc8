import type { ReactElement } from 'react'
import { Link, useLocation } from 'react-router'
import { EmptyState } from '../ui/page.tsx'
import { pages } from './pages.ts'

/** At an address that leads nowhere: says so, and where one can go from here. */
export function NotFoundPage(): ReactElement {
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
