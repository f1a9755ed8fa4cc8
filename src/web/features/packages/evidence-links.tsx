import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { attestationPath, readAttestationUri } from '../../../protocol/package-address.ts'
import type { PolicyResult } from '../../../protocol/policy-result.ts'
import { OutsidePlace } from '../../ui/outside-place.tsx'
import { shortenMiddle } from '../../ui/shorten-middle.ts'
import { SourceLinks } from '../../domain/build-table/source-links.tsx'
import { Unseen } from '../../ui/unseen.tsx'
import { EvidenceSignature } from './evidence-signature.tsx'
import css from './policy-evidence.module.css'

/** Where the evidence of a result is: the attestation, the build it is from, and their pages. */
export function EvidenceLinks({ result }: { result: PolicyResult }): ReactElement {
  const { attestationUri, sourcedFromUri } = result
  if (attestationUri === null && sourcedFromUri === null) {
    return <p className={`${css.links ?? ''} ${css.dim ?? ''}`}>no attestation</p>
  }
  return (
    <p className={css.links}>
      {attestationUri !== null && (
        <>
          <AttestationLink uri={attestationUri} />
          <EvidenceSignature uri={attestationUri} />
        </>
      )}
      {sourcedFromUri !== null && <SourceLinks uri={sourcedFromUri} />}
    </p>
  )
}

function AttestationLink({ uri }: { uri: string }): ReactElement {
  const address = readAttestationUri(uri)
  if (address === undefined) return <OutsidePlace uri={uri} text="Attestation" />
  return (
    <Link to={attestationPath(address)} data-attestation-uri={uri}>
      Attestation{' '}
      <code title={address.id}>
        <span aria-hidden="true">{shortenMiddle(address.id)}</span>
        <Unseen>{address.id}</Unseen>
      </code>
    </Link>
  )
}
