import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { ExternalPlace } from '../../ui/external-link.tsx'
import { isBuildId } from '../../../protocol/build-message.ts'
import { attestationPath, readAttestationUri } from '../../../protocol/package-address.ts'
import { shortenMiddle } from '../../ui/format.ts'
import { VisuallyHidden } from '../../ui/text.tsx'

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

/** The page of an attestation; what stands there if its URI is no address of one here is shown by `otherwise`. */
export function AttestationLink({
  uri,
  otherwise,
}: {
  uri: string
  otherwise: ReactElement
}): ReactElement {
  const address = readAttestationUri(uri)
  if (address === undefined) return otherwise
  return (
    <Link to={attestationPath(address)} data-attestation-uri={uri}>
      Attestation{' '}
      <code title={address.id}>
        <span aria-hidden="true">{shortenMiddle(address.id)}</span>
        <VisuallyHidden>{address.id}</VisuallyHidden>
      </code>
    </Link>
  )
}

/** The id in a `sourcedFromUri` whose path ends in `/s/` and one (docs/services.md#build-page-links). */
export function buildOfSource(uri: string): string | undefined {
  const [path = ''] = uri.split(/[?#]/)
  const id = /\/s\/([^/]+)\/?$/.exec(path)?.[1] ?? ''
  return isBuildId(id) ? id : undefined
}
