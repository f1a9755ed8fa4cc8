import type { ReactElement } from 'react'
import { Link, useParams } from 'react-router'
import { isBuildId } from '../../../protocol/build-id.ts'
import { EmptyState } from '../../ui/page.tsx'
import { BuildScreen } from './build-screen.tsx'

/** What happened in one build; an id that cannot be one is said so before anything is asked. */
export function BuildPage(): ReactElement {
  const { buildId = '' } = useParams()
  if (isBuildId(buildId)) return <BuildScreen key={buildId} buildId={buildId} />
  return (
    <EmptyState title="This is not a build id." heading="h1">
      <p>
        The address says “{buildId}”, but a build id has 13 lower-case letters and digits, such as
        k3j7x2m4q7a4c. It may have been cut when it was copied.
      </p>
      <p>
        <Link to="/">All builds of the feed</Link>
      </p>
    </EmptyState>
  )
}
