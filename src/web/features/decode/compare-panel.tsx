import { NativeSelect, Paper, Stack, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo, useState } from 'react'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import type { Change } from '../../../attestation/diff.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import {
  type AttestationAddress,
  attestationPath,
  readAttestationUri,
} from '../../../protocol/package-address.ts'
import type { AttestationRunner } from '../../data/attestation/attestation-runner.ts'
import { storedAttestationQuery } from '../../data/attestation/stored-attestation.ts'
import { countOf } from '../../../protocol/count.ts'
import { ProblemPanel } from '../../ui/problem.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { fileDrop } from './compared-digest.ts'
import css from './decode.module.css'
import { Findings, JobProgressBar, loadProblem, useInspection, useJob } from './inspection.tsx'
import { itemName } from './item-list.tsx'
import { LongList } from './long-list.tsx'
import type { TrustedKeys } from '../../domain/attestation/trusted-keys.ts'
import { signatureLine, signerLine } from './verdict-lines.ts'
import type { ViewAddress } from './view-address.ts'
import { Visible } from './tab-parts.tsx'
import { useServices } from '../../data/core/services.ts'

/** Another attestation: which of the same input, from 0, or what was pasted or chosen as a file. */
type Other = number | string | Blob

/** Compares the attestation with another one: pasted, from a file, stored, or from the same input. */
export function ComparePanel({
  item,
  items,
  runner,
  trusted,
  address: { needed, compare },
  onOther,
}: {
  item: DecodedItem
  /** All of the same input, this one among them. */
  items: readonly DecodedItem[]
  runner: AttestationRunner
  trusted: TrustedKeys
  address: ViewAddress
  /** What of it the address is to say. */
  onOther: (compare: string) => void
}): ReactElement {
  const [given, setGiven] = useState(() => otherIn(compare))
  // The address follows what is typed a moment later; any other change of it says what to show.
  const [linked, setLinked] = useState({ seen: compare, sent: compare })
  if (compare !== linked.seen) {
    setLinked({ seen: compare, sent: compare })
    if (compare !== linked.sent) setGiven(otherIn(compare))
  }
  function give(next: Other): void {
    setGiven(next)
    setLinked({ seen: compare, sent: inAddress(next) })
    onOther(inAddress(next))
  }
  const isOfInput = typeof given === 'number' && given < items.length && items[given] !== item
  const chosen = isOfInput ? given : undefined
  const input = typeof given === 'number' ? '' : given
  const address = addressIn(given)
  const stored = useQuery(storedAttestationQuery(useServices().request, address))
  const content = address === undefined ? input : (stored.data ?? '')
  const decoding = useJob(
    runner,
    useMemo(
      () => (content === '' ? undefined : ({ kind: 'decode', input: content } as const)),
      [content],
    ),
  )
  const decoded = decoding.state === 'done' ? decoding.result : undefined
  const other = chosen === undefined ? (decoded?.ok === true ? decoded : undefined) : items[chosen]
  return (
    <Paper
      component="section"
      withBorder
      p={12}
      bg="var(--surface-panel)"
      aria-label="Comparison"
      {...fileDrop(([first]) => {
        if (first !== undefined) give(first)
      })}
    >
      <Stack gap={8}>
        <Text component="h2" fw={600}>
          Compare with another attestation
        </Text>
        {items.length > 1 && (
          <NativeSelect
            aria-label="Another attestation in this input"
            value={chosen ?? ''}
            onChange={({ currentTarget: { value } }) => {
              give(value === '' ? '' : Number(value))
            }}
          >
            <option value="">Pasted below</option>
            {items.slice(0, 500).map((one, at) =>
              one === item ? null : (
                <option key={at} value={at}>
                  {`${at + 1}: ${itemName(one)}`}
                </option>
              ),
            )}
          </NativeSelect>
        )}
        {chosen === undefined && (
          <>
            <Textarea
              label="Paste the other attestation, drop a file, or enter the URL of a stored one"
              styles={{ input: { fontFamily: 'var(--font-mono)' } }}
              rows={3}
              spellCheck={false}
              value={typeof input === 'string' ? input.slice(0, 100_000) : ''}
              onChange={(event) => {
                give(event.currentTarget.value)
              }}
            />
            <input
              type="file"
              aria-label="File with the other attestation"
              onChange={(event) => {
                const file = event.currentTarget.files?.[0]
                if (file !== undefined) give(file)
              }}
            />
          </>
        )}
        {address !== undefined && stored.isPending && <p role="status">Loading the attestation…</p>}
        {stored.error !== null && (
          <ProblemPanel
            problem={loadProblem(stored.error)}
            retry={{ label: 'Try again', run: stored.refetch }}
          />
        )}
        <JobProgressBar job={decoding} />
        {decoding.state === 'failed' && <p role="alert">{decoding.reason}</p>}
        {decoded?.ok === false && chosen === undefined && (
          <Findings findings={decoded.mistakes} label="Problems of the other attestation" />
        )}
        {decoded?.ok === true && chosen === undefined && decoded.items.length > 1 && (
          <Text role="status">
            {`The other input has ${countOf(decoded.items.length, 'attestation')}. The first is compared; paste another one alone to compare that.`}
          </Text>
        )}
        {other !== undefined && <Comparison {...{ item, other, runner, trusted, needed }} />}
      </Stack>
    </Paper>
  )
}

/** The address of a stored attestation, where that is all that was given. */
function addressIn(input: Other): AttestationAddress | undefined {
  if (typeof input !== 'string' || input.length > 4_000 || /[\s{]/.test(input.trim()))
    return undefined
  return readAttestationUri(input.trim())
}

function otherIn(compare: string): Other {
  return /^[1-9]\d{0,4}$/.test(compare) ? Number(compare) - 1 : compare
}

/** What a link can say of it: nothing of what is pasted or in a file. */
function inAddress(other: Other): string {
  if (typeof other === 'number') return String(other + 1)
  const address = addressIn(other)
  return address === undefined ? '' : attestationPath(address)
}

function Comparison({
  item,
  other,
  runner,
  trusted,
  needed,
}: {
  item: DecodedItem
  other: DecodedItem
  runner: AttestationRunner
  trusted: TrustedKeys
  needed: number
}): ReactElement {
  const { checking } = useInspection(runner, other, trusted)
  const before = item.content.kind === 'json' ? item.content.tree : undefined
  const after = other.content.kind === 'json' ? other.content.tree : undefined
  const job = useJob(
    runner,
    useMemo(
      () => (before && after ? ({ kind: 'compare', before, after } as const) : undefined),
      [before, after],
    ),
  )
  const signature = signatureLine(other, checking)
  const signer = signerLine(other, checking, needed)
  return (
    <div>
      <p>
        The other one: {itemName(other)};{' '}
        <StatusMark tone={signature.tone} word={`signature ${signature.word}`} />,{' '}
        <StatusMark tone={signer.tone} word={`signer ${signer.word}`} />
      </p>
      <JobProgressBar job={job} />
      {job.state === 'idle' && <p>Can't compare them: a payload isn't JSON.</p>}
      {job.state === 'failed' && <p role="alert">{job.reason}</p>}
      {job.state === 'done' && <Changes changes={job.result} />}
      {job.state === 'done' && <RepeatedKeys of="this one" item={item} />}
      {job.state === 'done' && <RepeatedKeys of="the other one" item={other} />}
    </div>
  )
}

/** Of a key that stands twice in one object one value is compared. */
function RepeatedKeys({ of, item }: { of: string; item: DecodedItem }): ReactElement | null {
  const repeated = item.findings.filter(({ code }) => code === 'payload-duplicate-key')
  if (repeated.length === 0) return null
  return (
    <>
      <p role="status">{`Keys are repeated in ${of}. The last value of each was compared.`}</p>
      <Findings findings={repeated} label={`Repeated keys in ${of}`} />
    </>
  )
}

const kinds = {
  added: { tone: 'info', word: 'only in the other' },
  removed: { tone: 'waiting', word: 'only in this' },
  changed: { tone: 'none', word: 'differs' },
} as const

function Changes({ changes }: { changes: readonly Change[] }): ReactElement {
  if (changes.length === 0) {
    return <p role="status">No differences except order and formatting.</p>
  }
  return (
    <>
      <p role="status">
        <strong>{countOf(changes.length, 'difference')}.</strong>
      </p>
      <LongList
        label="Differences"
        length={changes.length}
        estimate={64}
        item={(index) => {
          const change = changes[index]
          return change && <ChangeItem change={change} />
        }}
      />
    </>
  )
}

function ChangeItem({ change }: { change: Change }): ReactElement {
  const { kind, path, before, after } = change
  return (
    <div className={css.item}>
      <div>
        <StatusMark {...kinds[kind]} />{' '}
        <code>{visibleText(path.join(' › '), 500) || 'the payload'}</code>
        {change.package !== undefined && <> {visibleText(change.package)}</>}
      </div>
      {before !== undefined && (
        <div className={css.code}>
          <Text span inherit c="dimmed">
            this{' '}
          </Text>{' '}
          <Visible text={before} most={600} />
        </div>
      )}
      {after !== undefined && (
        <div className={css.code}>
          <Text span inherit c="dimmed">
            other
          </Text>{' '}
          <Visible text={after} most={600} />
        </div>
      )}
    </div>
  )
}
