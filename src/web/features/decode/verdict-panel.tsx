import type { ReactElement, ReactNode } from 'react'
import { StatusShape } from '../../ui/status-mark.tsx'
import type { VerdictLine } from './verdict-lines.ts'
import css from './decode.module.css'

/** The three verdicts on an attestation, never one tick for all. */
export interface Verdicts {
  readonly signature: VerdictLine
  readonly signer: VerdictLine
  readonly subject: VerdictLine
}

/** The three verdicts in words, each with what can be done about it. */
export function VerdictPanel({
  verdicts,
  signerAction,
  subjectAction,
}: {
  verdicts: Verdicts
  signerAction?: ReactNode
  subjectAction?: ReactNode
}): ReactElement {
  return (
    <section aria-label="Verdicts">
      <dl className={css.verdictPanelPanel}>
        <Line name="Signature" line={verdicts.signature} />
        <Line name="Signer" line={verdicts.signer} action={signerAction} />
        <Line name="Subject" line={verdicts.subject} action={subjectAction} />
      </dl>
    </section>
  )
}

function Line({
  name,
  line,
  action,
}: {
  name: string
  line: VerdictLine
  action?: ReactNode
}): ReactElement {
  return (
    <div className={css.verdictPanelLine} data-tone={line.tone} data-verdict={name.toLowerCase()}>
      <dt>{name}</dt>
      <dd>
        <StatusShape tone={line.tone} />
        <span>
          <strong className={css.word} data-tone={line.tone}>
            {line.word}:
          </strong>{' '}
          {line.sentence} {action}
        </span>
      </dd>
    </div>
  )
}

/** The three verdicts in a word each, for beside whatever is shown of the attestation. */
export function VerdictStrip({ verdicts }: { verdicts: Verdicts }): ReactElement {
  const { signature, signer, subject } = verdicts
  return (
    <span className={css.strip} aria-hidden="true">
      {[
        ['Signature', signature] as const,
        ['Signer', signer] as const,
        ['Subject', subject] as const,
      ].map(([name, { tone, word }]) => (
        <span key={name} className={css.small} data-tone={tone} title={`${name}: ${word}`}>
          <StatusShape tone={tone} />
          {name.toLowerCase()} {word}
        </span>
      ))}
    </span>
  )
}
