import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { ExternalPlace } from '../../ui/external-link.tsx'
import { isBuildId } from '../../../protocol/build-message.ts'

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

/**
 * The build whose page a `sourcedFromUri` is: its path ends in `/s/` and the id
 * (docs/services.md#build-page-links).
 */
export function buildOfSource(uri: string): string | undefined {
  const [path = ''] = uri.split(/[?#]/)
  const id = /\/s\/([^/]+)\/?$/.exec(path)?.[1] ?? ''
  return isBuildId(id) ? id : undefined
}
