import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { ExternalPlace } from '../../ui/external-link.tsx'
import { isBuildId } from '../../../protocol/build-message.ts'

/** An attestation's source (`sourcedFromUri`, docs/services.md#policy-result): the build here and at its server. */
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

/** The id in a `sourcedFromUri` whose path ends in `/s/` and one (docs/services.md#build-page-links). */
export function buildOfSource(uri: string): string | undefined {
  const [path = ''] = uri.split(/[?#]/)
  const id = /\/s\/([^/]+)\/?$/.exec(path)?.[1] ?? ''
  return isBuildId(id) ? id : undefined
}
