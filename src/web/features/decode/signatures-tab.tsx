import type { ReactElement } from 'react'
import type { Envelope, EnvelopeSignature } from '../../../attestation/envelope.ts'
import { type Fingerprint, matchingFingerprint } from '../../../attestation/fingerprints.ts'
import { describeAlgorithm } from '../../../attestation/key-algorithm.ts'
import type { SignatureVerdict } from '../../../attestation/signature-verdict.ts'
import { pemOf } from '../../../attestation/trusted-key.ts'
import { visibleText } from '../../../attestation/visible-text.ts'
import type { Inspection } from '../../data/attestation/attestation-jobs.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { opensslCommand } from './check-commands.ts'
import { CommandLine } from './command-line.tsx'
import { NamedRows } from './fact-rows.tsx'
import factsCss from './facts.module.css'
import css from './item-view.module.css'
import { LongList } from './long-list.tsx'
import { opensslSignature } from './openssl-signature.ts'
import { PartButtons } from './part-buttons.tsx'
import { keyIdWords, originWords, wordsOf } from './signature-words.ts'
import { Visible } from './visible.tsx'

/** Every signature with its own verdict. */
export function SignaturesTab({
  envelope,
  inspection,
}: {
  envelope: Envelope | undefined
  inspection: Inspection | undefined
}): ReactElement {
  if (envelope === undefined) {
    return (
      <p>This is no envelope: there are no signatures, and nothing vouches for what it says.</p>
    )
  }
  if (envelope.signatures.length === 0) {
    return <p>The envelope has no signatures: anybody may have written it.</p>
  }
  return (
    <LongList
      label="Signatures"
      length={envelope.signatures.length}
      estimate={260}
      item={(index) => {
        const signature = envelope.signatures[index]
        return (
          signature && (
            <SignatureCard
              signature={signature}
              verdict={inspection?.verdicts[index]}
              prints={inspection?.fingerprints[index] ?? []}
            />
          )
        )
      }}
    />
  )
}

function SignatureCard({
  signature,
  verdict,
  prints,
}: {
  signature: EnvelopeSignature
  verdict: SignatureVerdict | undefined
  prints: readonly Fingerprint[]
}): ReactElement {
  const number = signature.index + 1
  const { keyid = '', sig, sigText } = signature
  const { tone, word } =
    verdict === undefined ? ({ tone: 'waiting', word: 'being checked' } as const) : wordsOf(verdict)
  return (
    <article className={css.card} data-keyid={keyid} aria-label={`Signature ${number}: ${word}`}>
      <header className={css.cardHead}>
        <strong>Signature {number}</strong>
        <StatusMark tone={tone} word={word} />
        {sig !== undefined && (
          <PartButtons
            what={`signature ${number}`}
            fileName={`signature-${number}.bin`}
            content={() => opensslSignature(sig, verdict?.proof)}
            copied={() => sigText}
          />
        )}
      </header>
      {verdict !== undefined && <p className={css.text}>{visibleText(verdict.reason)}</p>}
      {verdict?.hints.map(({ code, message }) => (
        <p key={code} className={css.text}>
          <StatusMark tone="info" word="Hint:" /> {visibleText(message)}
        </p>
      ))}
      <NamedRows rows={rowsOf(signature, verdict)} />
      {prints.length > 0 && <Fingerprints keyid={keyid} prints={prints} />}
      {verdict !== undefined && <ByHand verdict={verdict} />}
    </article>
  )
}

function rowsOf(
  { keyid, sig }: EnvelopeSignature,
  verdict: SignatureVerdict | undefined,
): readonly (readonly [string, ReactElement | string | undefined])[] {
  const key = verdict?.key
  const proof = verdict?.proof
  return [
    [
      'Key id',
      keyid === undefined ? (
        'none; it is only a hint anyway'
      ) : (
        <span key="keyid" className={factsCss.copied}>
          <code className={factsCss.code}>
            <Visible text={keyid} most={300} />
          </code>
          <CopyButton text={keyid} what={`key id ${visibleText(keyid.slice(0, 80))}`} />
        </span>
      ),
    ],
    ['Its form', keyid === undefined || verdict === undefined ? undefined : keyIdWords(verdict)],
    [
      'Key',
      key && (
        <span key="key">
          “{visibleText(key.name)}”, {describeAlgorithm(key.algorithm)}, {originWords[key.origin]}{' '}
          <PartButtons
            what={`key ${visibleText(key.name)}`}
            fileName={`key-${(verdict.index + 1).toString()}.pem`}
            content={() => pemOf(key)}
            copied={() => pemOf(key)}
          />
        </span>
      ),
    ],
    ['Algorithm', proof?.algorithm],
    [
      'Written as',
      proof &&
        `${proof.form}${proof.isWrapped ? ' inside a Sigstore message signature' : ''}${proof.namespace === undefined ? '' : `, for ${visibleText(proof.namespace)}`}`,
    ],
    ['Length', sig && `${sig.length} bytes`],
  ]
}

function Fingerprints({
  keyid,
  prints,
}: {
  keyid: string
  prints: readonly Fingerprint[]
}): ReactElement {
  const equal = keyid === '' ? undefined : matchingFingerprint(keyid, prints)
  return (
    <details>
      <summary>Every form of the key’s fingerprint</summary>
      <ul className={css.prints}>
        {prints.map((print, at) => (
          <li key={at}>
            <span className={css.dim}>{print.label}</span>
            <code className={factsCss.code}>{print.value}</code>
            {print === equal && <StatusMark tone="info" word="equals the key id" />}
          </li>
        ))}
      </ul>
    </details>
  )
}

function ByHand({ verdict }: { verdict: SignatureVerdict }): ReactElement | null {
  const command = opensslCommand(verdict)
  if (command === undefined) return null
  return (
    <details>
      <summary>Check by hand</summary>
      <CommandLine {...command} />
      {verdict.proof?.form === 'P1363' && (
        <p className={css.dim}>
          This signature is written as r||s, which openssl does not read: its download is the DER of
          it.
        </p>
      )}
    </details>
  )
}
