import type { ReactElement } from 'react'
import { Link, useLocation } from 'react-router'
import { readAttestationUri } from '../../../protocol/package-address.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { StoredAttestation } from './stored-attestation.tsx'

/** A stored attestation at its own address; an address that cannot be one is said so at once. */
export function StoredAttestationPage(): ReactElement {
  const { pathname } = useLocation()
  const address = readAttestationUri(pathname)
  if (address !== undefined) return <StoredAttestation key={pathname} address={address} />
  return (
    <EmptyState title="This is not the address of an attestation." heading="h1">
      <p>
        Such an address ends in the digest of the package, “attestations”, a store and an id:
        …/sha256:4f2f…/attestations/s3:release/…. It may have been cut when it was copied.
      </p>
      <p>
        <Link to="/decode">Decode an attestation</Link>
      </p>
    </EmptyState>
  )
}
