import { Flex, Paper, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import { certificateFor } from '../../../attestation/keys/candidates.ts'
import type { Envelope, EnvelopeSignature } from '../../../attestation/decode/envelope.ts'
import { type Fingerprint, matchingFingerprint } from '../../../attestation/keys/fingerprints.ts'
import { identityOf } from '../../../attestation/keys/identity.ts'
import { describeAlgorithm } from '../../../attestation/keys/key-algorithm.ts'
import { pae } from '../../../attestation/signatures/pae.ts'
import type { SignatureVerdict } from '../../../attestation/signatures/signature-verdict.ts'
import { pemOf } from '../../../attestation/keys/trusted-key.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Inspection } from '../../data/attestation/attestation-jobs.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { cosignCommand, opensslCommand, opensslSignature } from './check-commands.ts'
import { LongList } from './long-list.tsx'
import { CommandLine, Copied, NamedRows, PartButtons, Visible } from './tab-parts.tsx'
import css from './decode.module.css'
import { keyIdWords, originWords, wordsOf } from './verdict-lines.ts'

/** Every signature with its own verdict. */
export function SignaturesTab({
  envelope,
  inspection,
}: {
  envelope: Envelope | undefined
  inspection: Inspection | undefined
}): ReactElement {
  if (envelope === undefined) {
    return <p>This isn't an envelope, so it has no signatures.</p>
  }
  if (envelope.signatures.length === 0) {
    return <p>The envelope has no signatures, so anyone may have written it.</p>
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
  const hints = verdict?.hints.filter(({ message }) => message !== verdict.reason) ?? []
  const { tone, word } =
    verdict === undefined ? ({ tone: 'waiting', word: 'being checked' } as const) : wordsOf(verdict)
  return (
    <Paper
      component="article"
      withBorder
      p={12}
      mb={8}
      bg="var(--surface-panel)"
      data-keyid={keyid}
      aria-label={`Signature ${number}: ${word}`}
    >
      <Flex component="header" wrap="wrap" align="center" gap="4px 12px">
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
      </Flex>
      {verdict !== undefined && <Text maw="80ch">{visibleText(verdict.reason)}</Text>}
      {hints.map(({ code, message }) => (
        <Text key={code} maw="80ch">
          <StatusMark tone="info" word="Hint:" /> {visibleText(message)}
        </Text>
      ))}
      <NamedRows rows={rowsOf(signature, verdict)} />
      {prints.length > 0 && <Fingerprints keyid={keyid} prints={prints} />}
      {verdict !== undefined && <ByHand verdict={verdict} />}
    </Paper>
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
        "none (it's only a hint)"
      ) : (
        <Copied key="keyid">
          <Text component="code" inherit ff="monospace">
            <Visible text={keyid} most={300} />
          </Text>
          <CopyButton text={keyid} what={`key id ${visibleText(keyid, 80)}`} />
        </Copied>
      ),
    ],
    [
      'Key id format',
      keyid === undefined || verdict === undefined ? undefined : keyIdWords(verdict),
    ],
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
      'Signature format',
      proof &&
        `${proof.form}${proof.isWrapped ? ' inside a Sigstore message signature' : ''}${proof.namespace === undefined ? '' : `, for ${visibleText(proof.namespace)}`}`,
    ],
    ['Length', sig && countOf(sig.length, 'byte')],
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
      <summary>All fingerprints of the key</summary>
      <ul className={css.list}>
        {prints.map((print, at) => (
          <Flex component="li" direction="column" key={at} pt={4}>
            <Text span inherit c="dimmed">
              {print.label}
            </Text>
            <Text component="code" inherit ff="monospace">
              {print.value}
            </Text>
            {print === equal && <StatusMark tone="info" word="equals the key id" />}
          </Flex>
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
        <Text inherit c="dimmed">
          This signature has the form r||s, which OpenSSL doesn't read. The download contains its
          DER form.
        </Text>
      )}
    </details>
  )
}

/** So much of the payload is shown within the signed message, bytes. */
const shownBytes = 600

/** The exact message that signatures are made over, and how to check them elsewhere. */
export function SignedTab({
  item,
  inspection,
}: {
  item: DecodedItem
  inspection: Inspection | undefined
}): ReactElement {
  const { envelope, statement } = item
  if (envelope === undefined) return <p>Nothing was signed: this isn't an envelope.</p>
  if (envelope.unverifiable !== undefined) return <p>{envelope.unverifiable}</p>
  const { payload, payloadType } = envelope
  const length = inspection?.signed.length
  const typeLength = new TextEncoder().encode(payloadType).length
  const start = new TextDecoder().decode(payload.subarray(0, shownBytes))
  const verdict =
    inspection?.verdicts.find(({ key }) => key !== undefined) ?? inspection?.verdicts[0]
  const [signature] = envelope.signatures
  const certificate = signature && certificateFor(envelope, signature)
  const commands = [
    verdict && opensslCommand(verdict),
    cosignCommand(
      envelope,
      statement?.predicateType,
      verdict,
      certificate === undefined ? undefined : identityOf(certificate),
    ),
  ].filter((command) => command !== undefined)
  return (
    <>
      <Flex component="section" direction="column" gap={8}>
        <Text component="h2" fw={600}>
          The signed message
        </Text>
        <Text maw="80ch">
          A DSSE signature covers the “pre-authentication encoding” of the payload: a fixed prefix,
          then the type and the payload, each with its length in bytes.
        </Text>
        <pre
          className={`${css.scroller} ${css.code} ${css.block}`}
          aria-label="Signed message"
          tabIndex={0}
        >
          <Text span inherit c="dimmed">
            DSSEv1
          </Text>{' '}
          <b>{typeLength}</b> <Visible text={payloadType} /> <b>{payload.length}</b>{' '}
          <Visible text={start} />
          {payload.length > shownBytes && (
            <Text span inherit c="dimmed">
              {' '}
              … and {countOf(payload.length - shownBytes, 'byte')} more
            </Text>
          )}
        </pre>
        <PartButtons
          what="signed message"
          fileName="message.pae"
          content={() => pae(payloadType, payload)}
          copied={() => new TextDecoder().decode(pae(payloadType, payload))}
        />
        <NamedRows
          rows={[
            ['Message', length === undefined ? undefined : countOf(length, 'byte')],
            ['SHA-256', <Hash key="message" value={inspection?.signed.sha256} />],
            ['Payload type', <Visible key="type" text={payloadType} />],
            ['Payload', countOf(payload.length, 'byte')],
            ['Its SHA-256', <Hash key="payload" value={inspection?.signed.payloadSha256} />],
          ]}
        />
      </Flex>
      <Flex component="section" direction="column" gap={8} id="by-hand">
        <Text component="h2" fw={600}>
          Check by hand
        </Text>
        <Text maw="80ch">
          Download the files from this page: message.pae here, key and signature from the
          “Signatures” tab, and the envelope (attestation.json) above.
        </Text>
        {commands.map((command) => (
          <CommandLine key={command.label} {...command} />
        ))}
        {verdict?.key === undefined && (
          <Text inherit c="dimmed">
            OpenSSL needs the key. Add it, or get it from its owner.
          </Text>
        )}
      </Flex>
    </>
  )
}

function Hash({ value }: { value: string | undefined }): ReactElement {
  if (value === undefined)
    return (
      <>not available: cryptography isn't available on this page, or checking hasn't finished</>
    )
  return (
    <Copied>
      <Text component="code" inherit ff="monospace">
        {value}
      </Text>
      <CopyButton text={value} what="hash" />
    </Copied>
  )
}
