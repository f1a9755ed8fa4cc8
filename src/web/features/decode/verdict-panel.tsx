import { Button, Flex, Text, TextInput } from '@mantine/core'
import { type ReactElement, type ReactNode, type Ref, useRef, useState } from 'react'
import { StatusShape } from '../../ui/status-mark.tsx'
import type { Envelope } from '../../../attestation/decode/envelope.ts'
import { identityOf } from '../../../attestation/keys/identity.ts'
import { InlineSelect } from '../../ui/inline-select.tsx'
import type { VerdictLine } from './verdict-lines.ts'
import css from './decode.module.css'
import { readDigest } from './compared-digest.ts'
import { mostNeeded } from './view-address.ts'

/** The three verdicts on an attestation, never one tick for all. */
interface Verdicts {
  readonly signature: VerdictLine
  readonly signer: VerdictLine
  readonly subject: VerdictLine
}

/** The three verdicts in words, each with what can be done about it. */
export function VerdictPanel({
  ref,
  verdicts,
  signerAction,
}: {
  ref?: Ref<HTMLElement>
  verdicts: Verdicts
  signerAction: ReactNode
}): ReactElement {
  return (
    <section ref={ref} aria-label="Verdicts">
      <dl className={`${css.rows} ${css.verdicts}`}>
        <Line name="Signature" line={verdicts.signature} />
        <Line name="Signer" line={verdicts.signer} action={signerAction} />
        <Line name="Subject" line={verdicts.subject} />
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

/** What the subjects are compared with: a file of the reader's, or a digest that is named. */
export function SubjectTools({
  digest,
  onDigest,
  onFile,
}: {
  digest: string
  onDigest: (digest: string) => void
  onFile: (file: File) => void
}): ReactElement {
  const picker = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(digest)
  const [isMistake, setMistake] = useState(false)
  return (
    <Flex
      component="form"
      wrap="wrap"
      align="center"
      gap="4px 8px"
      aria-label="Compare subject"
      onSubmit={(event) => {
        event.preventDefault()
        const isFine = typed.trim() === '' || readDigest(typed) !== undefined
        setMistake(!isFine)
        if (isFine) onDigest(typed.trim())
      }}
      onDragOver={(event) => {
        event.preventDefault()
      }}
      onDrop={(event) => {
        const file = event.dataTransfer.files[0]
        if (file === undefined) return
        event.preventDefault()
        event.stopPropagation()
        onFile(file)
      }}
    >
      <Text span inherit c="dimmed">
        Compare with
      </Text>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label="File to compare the subject with"
        tabIndex={-1}
        onChange={(event) => {
          const input = event.currentTarget
          const file = input.files?.[0]
          if (file !== undefined) onFile(file)
          input.value = ''
        }}
      />
      <Button size="compact-xs" variant="default" onClick={() => picker.current?.click()}>
        Choose file…
      </Button>
      <TextInput
        flex="1 1 20ch"
        maw="72ch"
        styles={{ input: { fontFamily: 'var(--font-mono)' } }}
        value={typed}
        placeholder="or a digest: sha256:…"
        aria-label="Digest to compare the subject with"
        error={isMistake && 'Enter sha256: followed by 64 hexadecimal digits.'}
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
        }}
      />
      <Button size="compact-xs" variant="default" type="submit">
        Compare
      </Button>
    </Flex>
  )
}

/** What can be done about who signed: another key, and how many keys it takes. */
export function SignerActions({
  envelope,
  isSettled,
  needed,
  onNeeded,
  onAddKey,
}: {
  envelope: Envelope | undefined
  /** Nobody else needs to be trusted. */
  isSettled: boolean
  needed: number
  onNeeded: (needed: number) => void
  onAddKey: () => void
}): ReactElement | null {
  if (envelope === undefined) return null
  // The key of a short-lived certificate signs no second time: its signer is trusted by identity.
  const isKeyless = envelope.certificates.some((one) => identityOf(one)?.oidcIssuer !== undefined)
  const isChoice = needed > 1 || envelope.signatures.length > 1
  return (
    <>
      {!isSettled && !isKeyless && (
        <Button size="compact-xs" variant="default" onClick={onAddKey}>
          Add a key
        </Button>
      )}{' '}
      {isChoice && (
        <NeededKeys
          most={Math.max(needed, Math.min(mostNeeded, envelope.signatures.length))}
          needed={needed}
          onNeeded={onNeeded}
        />
      )}
    </>
  )
}

/** How many different trusted keys must have signed; a choice that the address keeps. */
function NeededKeys({
  most,
  needed,
  onNeeded,
}: {
  most: number
  needed: number
  onNeeded: (needed: number) => void
}): ReactElement {
  return (
    <InlineSelect
      label="Trusted keys needed"
      value={String(needed)}
      onChange={(value) => {
        onNeeded(Number(value))
      }}
    >
      {Array.from({ length: most }, (_, at) => (
        <option key={at} value={at + 1}>
          {at + 1}
        </option>
      ))}
    </InlineSelect>
  )
}
