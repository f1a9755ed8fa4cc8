import { Button, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactElement,
  type ReactNode,
  use,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { type AttestationAddress, readAttestationUri } from '../../../protocol/package-address.ts'
import { useRunner } from '../../data/attestation/attestation-runner.ts'
import {
  createEvidenceChecks,
  type EvidenceChecks,
  type EvidenceSignature as SignatureFound,
  type EvidenceSubject,
} from '../../data/scans/evidence-checks.ts'
import { useTrustedKeys } from '../../domain/attestation/trusted-keys.ts'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { VisuallyHidden } from '../../ui/text.tsx'
import { watchScreen } from '../../ui/near-screen.tsx'
import { usePrinting } from '../../ui/printing.ts'
import { useServices } from '../../data/core/services.ts'

/** Who signed an attestation; checked when it is on the screen, and nothing waits for it. */
export function EvidenceSignature({ uri }: { uri: string }): ReactElement | null {
  const query = use(EvidenceContext)
  const address = useMemo(() => readAttestationUri(uri), [uri])
  if (query === undefined || address === undefined) return null
  return <Signature query={query} address={address} />
}

function Signature({
  query,
  address,
}: {
  query: EvidenceQuery
  address: AttestationAddress
}): ReactElement {
  const place = useRef<HTMLSpanElement>(null)
  const client = useQueryClient()
  const isPrinting = usePrinting()
  const [isSeen, setSeen] = useState(
    () => client.getQueryData(query(address).queryKey) !== undefined,
  )
  useEffect(() => {
    const element = place.current
    if (element === null) return
    return watchScreen(element, 0, (isNear) => {
      // Once it is known it stays, on paper too; what scrolled away before its turn is let go of.
      const { queryKey } = query(address)
      setSeen(isNear || client.getQueryData(queryKey) !== undefined)
    })
  }, [query, address, client])
  const status = client.getQueryState(query(address).queryKey)?.status ?? 'pending'
  // Its line is kept free, so that nothing moves away when it is checked.
  return (
    <small ref={place} style={{ display: 'block', minHeight: '1lh' }}>
      {isSeen || (isPrinting && status !== 'pending') ? (
        <Checked query={query} address={address} isSeen={isSeen} />
      ) : (
        <Text span inherit c="dimmed" data-paper-only>
          signature not checked yet
        </Text>
      )}
    </small>
  )
}

function Checked({
  query,
  address,
  isSeen,
}: {
  query: EvidenceQuery
  address: AttestationAddress
  isSeen: boolean
}): ReactElement {
  // What is on paper alone was checked for it, and isn't requested again.
  const { data, error, isFetching, refetch } = useQuery({ ...query(address), enabled: isSeen })
  if (data === undefined && error === null) {
    return (
      <Text span inherit c="dimmed">
        <span data-screen-only>checking signature</span>
        <span data-paper-only>signature not checked yet</span>
      </Text>
    )
  }
  if (data === undefined) {
    return (
      <>
        <Mark {...failedWords(error)} />{' '}
        <Button
          size="compact-xs"
          variant="default"
          data-screen-only
          aria-disabled={isFetching}
          onClick={() => {
            if (!isFetching) void refetch()
          }}
        >
          {isFetching ? 'Checking…' : 'Try again'}
        </Button>
      </>
    )
  }
  const subject = subjectWords(data.subject)
  return (
    <>
      <Mark {...signatureWords(data.signature)} />
      {subject !== undefined && (
        <>
          {' '}
          <Mark {...subject} />
        </>
      )}
    </>
  )
}

function Mark({ tone, word, more }: SignatureWords): ReactElement {
  return (
    <span title={more}>
      <StatusMark tone={tone} word={word} />
      {more !== '' && <VisuallyHidden>{more}</VisuallyHidden>}
    </span>
  )
}

/** What an attestation comes to as evidence of the package of the page. */
type EvidenceQuery = (address: AttestationAddress) => ReturnType<EvidenceChecks['query']>

/** How the evidence below is checked; undefined while nobody knows which keys count. */
const EvidenceContext = createContext<EvidenceQuery | undefined>(undefined)

/**
 * Lets the evidence of the package with this SHA-256 be checked, by one worker that ends when the page
 * is left.
 */
export function EvidenceScope({
  sha256,
  children,
}: {
  sha256: string
  children: ReactNode
}): ReactElement {
  const { request } = useServices()
  const { keys, sigstore, isKnown } = useTrustedKeys()
  const runner = useRunner()
  const query = useMemo(() => {
    if (!isKnown) return undefined
    const checks = createEvidenceChecks(request, runner, { keys, sigstore })
    return (address: AttestationAddress) => checks.query(address, sha256)
  }, [request, runner, keys, sigstore, isKnown, sha256])
  return <EvidenceContext value={query}>{children}</EvidenceContext>
}

/**
 * What checks the signature of the attestation at a URI beforehand and keeps what it finds, good or
 * bad; undefined while nobody knows which keys count.
 */
export function useSignatureCheck(): ((uri: string) => Promise<void>) | undefined {
  const query = use(EvidenceContext)
  const client = useQueryClient()
  return useMemo(
    () =>
      query === undefined
        ? undefined
        : async (uri) => {
            const address = readAttestationUri(uri)
            if (address === undefined) return
            // What could not be loaded is read from the query where it is shown.
            await client.query(query(address)).catch(() => undefined)
          },
    [query, client],
  )
}

/** What a signature or a subject comes to in a few words, and what that means; `more` is a sentence or empty. */
export interface SignatureWords {
  readonly tone: StatusTone
  readonly word: string
  readonly more: string
}

/** The words for a signature that was judged. */
function signatureWords(signature: SignatureFound): SignatureWords {
  switch (signature.is) {
    case 'valid': {
      const [first = '', ...others] = signature.by.map((name) => visibleText(name))
      const and = others.length === 0 ? '' : ` and ${others.length} more`
      return { tone: 'good', word: `${validText(signature)}, ${first}${and}`, more: '' }
    }
    case 'untrusted':
      return {
        tone: 'waiting',
        word: `${validText(signature)}, signer not trusted`,
        more: visibleText(signature.reason),
      }
    case 'other-form':
      return {
        tone: 'waiting',
        word: 'signature in another form',
        more: visibleText(signature.reason),
      }
    case 'unknown-key':
      return {
        tone: 'waiting',
        word: 'signature not verified: unknown signer',
        more: 'No trusted key verifies it: it was changed after signing, or another key made it. Open the attestation to add the key if you know whose it is.',
      }
    case 'not-valid':
      return { tone: 'bad', word: 'signature not valid', more: visibleText(signature.reason) }
    case 'unsigned':
      return { tone: 'bad', word: 'not signed', more: 'Anyone may have written it.' }
    case 'not-checked':
      return { tone: 'waiting', word: 'signature not checked', more: signature.reason }
  }
}

function validText({ verified, all }: { verified: number; all: number }): string {
  return verified < all ? `${verified} of ${all} signatures valid` : 'signature valid'
}

/** What is to be said of what an attestation is about: nothing, where that is its package. */
function subjectWords(subject: EvidenceSubject): SignatureWords | undefined {
  switch (subject) {
    case 'package':
      return undefined
    case 'another':
      return {
        tone: 'bad',
        word: 'about another artifact',
        more: 'None of its subjects has the digest of this package.',
      }
    case 'nothing':
      return { tone: 'bad', word: 'about nothing', more: 'It has no subject.' }
    case 'not-compared':
      return {
        tone: 'waiting',
        word: 'subject not compared',
        more: 'It has no digest to compare with the SHA-256 of this package, or its type is unknown.',
      }
  }
}

/** The words for an attestation that could not be looked at. */
function failedWords(error: Error): SignatureWords {
  return { tone: 'waiting', word: 'signature not checked', more: failedReason(error) }
}

function failedReason({ message }: Error): string {
  return `Can't load the attestation: ${message}`
}
