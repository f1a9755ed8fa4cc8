import { useQuery } from '@tanstack/react-query'
import type { ReactElement, ReactNode } from 'react'
import { Link } from 'react-router'
import { configQuery } from '../../data/core/server-config.ts'
import { useServices } from '../../data/core/services.ts'
import { EmptyState } from '../../ui/page.tsx'

/** A page that the policy service answers; where none is connected, how to connect one. */
export function PolicyServiceScope({ children }: { children: ReactNode }): ReactNode {
  const { data } = useQuery(configQuery(useServices().request))
  return data?.upstreams.governor.kind === 'none' ? <NotConnected /> : children
}

function NotConnected(): ReactElement {
  return (
    <EmptyState
      title="No policy service is connected."
      heading="h1"
      action={<Link to="/status">Status of the connected servers</Link>}
    >
      <p>
        Packages are evaluated, and attestations are published and stored, by a policy service such
        as Develocity Provenance Governor.
      </p>
      <p>
        To connect one, your administrator sets <code>SIGHTLINE_GOVERNOR_URL</code> and{' '}
        <code>SIGHTLINE_GOVERNOR_BASIC</code> or <code>SIGHTLINE_GOVERNOR_BEARER</code>, then
        restarts Sightline.
      </p>
    </EmptyState>
  )
}
