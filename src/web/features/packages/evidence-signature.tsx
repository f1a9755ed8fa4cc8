import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, use, useEffect, useMemo, useRef, useState } from 'react'
import { type AttestationAddress, readAttestationUri } from '../../../protocol/package-address.ts'
import type { EvidenceChecks } from '../../data/scans/evidence-checks.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { Unseen } from '../../ui/unseen.tsx'
import { watchScreen } from '../../ui/watch-screen.ts'
import { EvidenceContext } from './evidence-scope.tsx'
import css from './policy-evidence.module.css'
import { failedWords, signatureWords } from './signature-words.ts'

/** Who signed an attestation; checked when it is on the screen, and nothing waits for it. */
export function EvidenceSignature({ uri }: { uri: string }): ReactElement | null {
  const checks = use(EvidenceContext)
  const address = useMemo(() => readAttestationUri(uri), [uri])
  if (checks === undefined || address === undefined) return null
  return <Signature checks={checks} address={address} />
}

function Signature({
  checks,
  address,
}: {
  checks: EvidenceChecks
  address: AttestationAddress
}): ReactElement {
  const place = useRef<HTMLSpanElement>(null)
  const client = useQueryClient()
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    return watchScreen(element, 0, (isNear) => {
      // Once it is known it stays, on paper too; what scrolled away before its turn is let go of.
      const { queryKey } = checks.query(address)
      setSeen(isNear || client.getQueryData(queryKey) !== undefined)
    })
  }, [checks, address, client])
  return (
    <span ref={place} className={css.signature}>
      {isSeen ? (
        <Checked checks={checks} address={address} />
      ) : (
        <span className={css.dim} data-paper-only>
          signature not looked at
        </span>
      )}
    </span>
  )
}

function Checked({
  checks,
  address,
}: {
  checks: EvidenceChecks
  address: AttestationAddress
}): ReactElement {
  const { data, error } = useQuery(checks.query(address))
  if (data === undefined && error === null) {
    return <span className={css.dim}>signature being checked</span>
  }
  const { tone, word, more } = data === undefined ? failedWords(error) : signatureWords(data)
  return (
    <span title={more}>
      <StatusMark tone={tone} word={word} />
      {more !== '' && <Unseen>{more}</Unseen>}
    </span>
  )
}
