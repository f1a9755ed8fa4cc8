import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { attestationPath, readAttestationUri } from '../../../protocol/package-address.ts'
import type { PolicyResult } from '../../../protocol/policy-result.ts'
import { shortenMiddle } from '../../ui/shorten-middle.ts'
import { Unseen } from '../../ui/unseen.tsx'
import { buildOfSource } from './build-of-source.ts'
import { webAddress } from '../../ui/web-address.ts'
import { OutsideLink } from '../../ui/outside-link.tsx'
import css from './policy-evidence.module.css'

/** Where the evidence of a result is: the attestation, the build it is from, and their pages. */
export function EvidenceLinks({ result }: { result: PolicyResult }): ReactElement {
  const { attestationUri, sourcedFromUri } = result
  if (attestationUri === null && sourcedFromUri === null) {
    return <p className={`${css.links ?? ''} ${css.dim ?? ''}`}>no attestation</p>
  }
  const build = sourcedFromUri === null ? undefined : buildOfSource(sourcedFromUri)
  return (
    <p className={css.links}>
      {attestationUri !== null && <AttestationLink uri={attestationUri} />}
      {build !== undefined && (
        <Link to={`/builds/${build}`} data-build-id={build}>
          Build <code>{build}</code>
        </Link>
      )}
      {sourcedFromUri !== null && <OutsidePlace uri={sourcedFromUri} text="Its source" />}
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

/** A place that has no page here: a link where it is one of the web, its text anyway. */
function OutsidePlace({ uri, text }: { uri: string; text: string }): ReactElement {
  const leads = webAddress(uri)
  return leads === undefined ? (
    <span>
      {text}: <code>{uri}</code>
    </span>
  ) : (
    <OutsideLink href={leads.href} host={leads.host} text={text} />
  )
}
