import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { buildOfSource } from './build-of-source.ts'
import { ExternalPlace } from '../../ui/external-link.tsx'

/**
 * What an attestation was made from (`sourcedFromUri`, docs/services.md#policy-result): the build
 * here, and the server's own page.
 */
export function SourceLinks({ uri }: { uri: string }): ReactElement {
  const build = buildOfSource(uri)
  return (
    <>
      {build !== undefined && (
        <Link to={`/builds/${build}`} data-build-id={build}>
          Build <code>{build}</code>
        </Link>
      )}
      <ExternalPlace uri={uri} text="Source" />
    </>
  )
}
