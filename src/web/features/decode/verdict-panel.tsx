import { Flex, Text } from '@mantine/core'
import type { ReactElement, ReactNode, Ref } from 'react'
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
  ref,
  verdicts,
  signerAction,
  subjectAction,
}: {
  ref?: Ref<HTMLElement>
  verdicts: Verdicts
  signerAction?: ReactNode
  subjectAction?: ReactNode
}): ReactElement {
  return (
    <section ref={ref} aria-label="Verdicts">
      <dl className={`${css.rows} ${css.verdicts}`}>
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
    <div
      style={{ borderLeftColor: `var(--${line.tone})` }}
      data-tone={line.tone}
      data-verdict={name.toLowerCase()}
    >
      <dt>{name}</dt>
      <Flex component="dd" gap={8} align="flex-start">
        <StatusShape tone={line.tone} />
        <span>
          <Text component="strong" inherit fw={600} c={`var(--${line.tone}-ink)`}>
            {line.word}:
          </Text>{' '}
          {line.sentence} {action}
        </span>
      </Flex>
    </div>
  )
}

/** The three verdicts in a word each, for where the verdicts themselves are out of sight. */
export function VerdictStrip({
  verdicts,
  isHidden,
}: {
  verdicts: Verdicts
  isHidden: boolean
}): ReactElement {
  const { signature, signer, subject } = verdicts
  return (
    <Flex
      component="span"
      className={css.strip}
      wrap="wrap"
      align="center"
      gap="0 12px"
      py={4}
      fz="xs"
      aria-hidden="true"
      style={{ visibility: isHidden ? 'hidden' : undefined }}
    >
      {[
        ['Signature', signature] as const,
        ['Signer', signer] as const,
        ['Subject', subject] as const,
      ].map(([name, { tone, word }]) => (
        <Flex
          key={name}
          component="span"
          align="baseline"
          gap={4}
          c={`var(--${tone}-ink)`}
          title={`${name}: ${word}`}
        >
          <StatusShape tone={tone} />
          {name.toLowerCase()} {word}
        </Flex>
      ))}
    </Flex>
  )
}
