import type { ReactElement } from 'react'
import { certificateFor } from '../../../attestation/envelope-keys.ts'
import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import { identityOf } from '../../../attestation/identity.ts'
import { pae } from '../../../attestation/pae.ts'
import type { Inspection } from '../../data/attestation/attestation-jobs.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { cosignCommand, opensslCommand } from './check-commands.ts'
import { CommandLine } from './command-line.tsx'
import { NamedRows } from './fact-rows.tsx'
import factsCss from './facts.module.css'
import css from './item-view.module.css'
import { PartButtons } from './part-buttons.tsx'
import { Visible } from './visible.tsx'

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
  if (envelope === undefined) return <p>Nothing was signed: this is no envelope.</p>
  if (envelope.unverifiable !== undefined) return <p>{envelope.unverifiable}</p>
  const { payload, payloadType } = envelope
  const length = inspection?.signed.length
  const typeLength = inspection?.signed.typeLength ?? new TextEncoder().encode(payloadType).length
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
      <section className={css.section}>
        <h2>The signed message</h2>
        <p className={css.text}>
          A DSSE signature is not made over the payload alone, but over its “pre-authentication
          encoding”: a fixed word, then type and payload, each with its length in bytes.
        </p>
        <pre className={css.pae} aria-label="Signed message" tabIndex={0}>
          <span className={css.dim}>DSSEv1</span> <b>{typeLength}</b> <Visible text={payloadType} />{' '}
          <b>{payload.length}</b> <Visible text={start} />
          {payload.length > shownBytes && (
            <span className={css.dim}>
              {' '}
              … and {countOf(payload.length - shownBytes, 'byte')} more
            </span>
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
            ['Message', length === undefined ? undefined : `${countText(length)} bytes`],
            ['SHA-256', <Hash key="message" value={inspection?.signed.sha256} />],
            ['Payload type', <Visible key="type" text={payloadType} />],
            ['Payload', `${countText(payload.length)} bytes`],
            ['Its SHA-256', <Hash key="payload" value={inspection?.signed.payloadSha256} />],
          ]}
        />
      </section>
      <section className={css.section} id="by-hand">
        <h2>Check by hand</h2>
        <p className={css.text}>
          The files are those that this page downloads: message.pae here; key and signature from the
          tab “Signatures”; the envelope as attestation.json from above.
        </p>
        {commands.map((command) => (
          <CommandLine key={command.label} {...command} />
        ))}
        {verdict?.key === undefined && (
          <p className={css.dim}>
            For openssl the key has to be known: add it, or get it from its owner.
          </p>
        )}
      </section>
    </>
  )
}

function Hash({ value }: { value: string | undefined }): ReactElement {
  if (value === undefined) return <>not known: this page may not use cryptography, or is not done</>
  return (
    <span className={factsCss.copied}>
      <code className={factsCss.code}>{value}</code>
      <CopyButton text={value} what="hash" />
    </span>
  )
}
