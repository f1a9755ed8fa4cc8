import { Anchor, Box, Button, Group, Text } from '@mantine/core'
import { memo, type ReactElement, useContext, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { causesOf } from '../../../policy/failure-causes.ts'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import {
  type PassedCount,
  type PolicyChange,
  statusChangeText,
} from '../../../policy/run-difference.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { PolicyStatus } from '../../../protocol/policy-result.ts'
import { versionOf } from '../../../protocol/package-address.ts'
import { shortText } from '../../../protocol/untrusted-text.ts'
import { useServices, useSessionUser } from '../../data/core/services.ts'
import { approvalBlock, endVerb } from '../../domain/waiver/waiver-draft.ts'
import { WaiverMark } from '../../domain/waiver/waiver-mark.tsx'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { DrawnNear } from '../../ui/near-screen.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { PolicyEvidence, ShowMore } from './policy-evidence.tsx'
import { changeWords, statusTones, statusWords, unknownWord } from './policy-words.ts'
import page from '../../ui/page.module.css'
import css from './scan-page.module.css'
import { RowWaiversContext } from './waivers.tsx'

/** The reader of Markdown is loaded with the first policy that fails. */
const Remediation = lazyPart(async () => (await import('./remediation.tsx')).Remediation, {
  waiting: ({ text }) => <div className={css.text}>{text}</div>,
})

/** About as high as one with a remediation and some evidence, px. */
const bodyHeight = 240

/** More of how to fix it nobody reads, in characters. */
const longestRemediation = 20_000

/** A name is to be read at a glance, in characters; exports have all of it. */
const longestName = 200

/** One policy: how it came out, why, and what to do. Failing ones are open, and one alone. */
export const PolicyRow = memo(function PolicyRow({
  group,
  change,
  before,
  statusBefore,
  severity,
  words,
  chosen,
  isOnly,
  wholeSearch,
  onLabel,
}: {
  group: PolicyGroup
  change: PolicyChange | undefined
  /** What passed in the run that it is compared with, where it was not the same. */
  before: PassedCount | undefined
  /** How it came out there, where that was not the same. */
  statusBefore: PolicyStatus | undefined
  /** The label that is shown in the line itself. */
  severity: string | undefined
  words: ReadonlyMap<string, string>
  chosen: readonly (readonly [name: string, value: string])[]
  /** The page is narrowed to it. */
  isOnly: boolean
  /** The query of the page's address without what narrows the policies. */
  wholeSearch: string
  onLabel: (name: string, value: string) => void
}): ReactElement {
  const { status, name, kind, passed, evaluated, description, remediation, labels } = group
  const fails = status === 'unsatisfied' || status === 'unknown'
  // What made a long recorded run fail may not be stored.
  const isUnguided =
    remediation.trim() === '' && group.results.some((result) => result.status === 'unsatisfied')
  const weight = severity === undefined ? undefined : labels[severity]
  return (
    <details
      className={page.row}
      data-policy-uri={group.policyUri}
      data-status={status}
      open={fails || isOnly}
    >
      <summary className={css.line}>
        <StatusMark tone={statusTones[status]} word={statusOf(group)} />
        <strong>{shortText(name, longestName)}</strong>
        <Text span inherit c="dimmed">
          {shortText(kind, longestName)}
        </Text>
        <span>
          {evaluated === 0
            ? ''
            : `${countText(passed)} of ${countOf(evaluated, 'attestation')} passed`}
          {before !== undefined && (
            <Text span inherit c="dimmed">
              {' '}
              ({countText(before.passed)} of {countText(before.evaluated)} before)
            </Text>
          )}
        </span>
        <span>{weight}</span>
        <Text span inherit fw={600} c={changeInks[change ?? ''] ?? 'inherit'} data-change={change}>
          {change === undefined || change === 'unchanged' ? '' : changeWords[change]}
          {statusBefore !== undefined && (
            <Text component="span" display="block" fw={400} fz="xs" c="dimmed">
              {statusChangeText(statusBefore, status)}
            </Text>
          )}
        </Text>
        <WaiverLine group={group} />
      </summary>
      <DrawnNear height={bodyHeight}>
        <div className={css.body}>
          {description.trim() !== '' && <Text maw="76ch">{description}</Text>}
          {isUnguided && <Text c="dimmed">The policy service gave no guidance.</Text>}
          {fails && remediation.trim() !== '' && (
            <Box
              component="section"
              miw={0}
              maw="84ch"
              p="var(--space-2) var(--space-3)"
              bg="var(--info-surface)"
              style={{ borderLeft: '3px solid var(--info)' }}
              aria-label={`How to fix ${name}`}
            >
              <Text component="h3" fw={600} mb={4}>
                How to fix
              </Text>
              <Remediation text={shortText(remediation, longestRemediation)} />
              <Causes group={group} />
            </Box>
          )}
          <PolicyLabels group={group} words={words} chosen={chosen} onLabel={onLabel} />
          <WaiverActions group={group} />
          <PolicyEvidence group={group} />
          {!isOnly && (
            <Anchor
              component={Link}
              to={{
                search: `${wholeSearch}&${String(new URLSearchParams({ policy: group.key }))}`,
              }}
              aria-label={`Link to this policy, ${name}`}
              fz="xs"
              data-screen-only
            >
              Link to this policy
            </Anchor>
          )}
        </div>
      </DrawnNear>
    </details>
  )
})

const changeInks: Readonly<Partial<Record<PolicyChange | '', string>>> = {
  'newly-failing': 'var(--bad-ink)',
  fixed: 'var(--good-ink)',
}

const causesAtFirst = 8
/** A millisecond of work; all results are in the evidence. */
const mostLookedThrough = 500

/** What the details of its failing results name, beside what to do about it. */
function Causes({ group: { name, results, status } }: { group: PolicyGroup }): ReactElement | null {
  const [isWhole, setWhole] = useState(false)
  const causes = useMemo(() => {
    const found = new Set<string>()
    let looked = 0
    for (const result of results) {
      if (result.status !== status) continue
      for (const one of causesOf(result.details)) found.add(one)
      looked += 1
      if (looked === mostLookedThrough) break
    }
    return [...found]
  }, [results, status])
  if (causes.length === 0) return null
  const shown = isWhole ? causes : causes.slice(0, causesAtFirst)
  return (
    <>
      <Text component="h3" fw={600} mt={8} mb={4}>
        Found
      </Text>
      <Box component="ul" m={0} pl="var(--space-4)" aria-label={`Found by ${name}`}>
        {shown.map((cause) => (
          <li key={cause}>{visibleText(cause)}</li>
        ))}
      </Box>
      {shown.length < causes.length && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => {
            setWhole(true)
          }}
        >
          {countText(causes.length - shown.length)} more
        </Button>
      )}
    </>
  )
}

/** A status that this client does not know is shown in the server's words. */
function statusOf({ status, results }: PolicyGroup): string {
  if (status !== 'unknown') return statusWords[status]
  const text = results.find((result) => result.status === 'unknown')?.statusText ?? ''
  return `${unknownWord(text)} (${statusWords.unknown})`
}

/** A policy has a handful; where a service writes a thousand, they are drawn on demand. */
const drawnAtFirst = 24

/** The labels of a policy; pressing one shows the policies that have it. */
function PolicyLabels({
  group: { name, labels },
  words,
  chosen,
  onLabel,
}: {
  group: PolicyGroup
  words: ReadonlyMap<string, string>
  chosen: readonly (readonly [name: string, value: string])[]
  onLabel: (name: string, value: string) => void
}): ReactElement | null {
  const [drawn, setDrawn] = useState(drawnAtFirst)
  const all = Object.entries(labels)
  if (all.length === 0) return null
  return (
    <Group role="group" aria-label={`Labels of ${name}`} gap={4}>
      {all.slice(0, drawn).map(([label, value]) => (
        <button
          key={label}
          type="button"
          className={css.label}
          title={`Filter by label ${label}=${value}`}
          aria-pressed={chosen.some((one) => one[0] === label && one[1] === value)}
          onClick={() => {
            onLabel(label, value)
          }}
        >
          <Text span inherit c="dimmed">
            {words.get(label) ?? label}
          </Text>{' '}
          {value}
        </button>
      ))}
      {all.length > drawn && (
        <ShowMore
          left={all.length - drawn}
          noun="label"
          onMore={() => {
            setDrawn(drawn + 100)
          }}
        />
      )}
    </Group>
  )
}

/** In the line of a policy: that it is waived, beside its status. */
function WaiverLine({ group }: { group: PolicyGroup }): ReactElement | null {
  const { waived, waiting } = useContext(RowWaiversContext)
  const waiver = waived.get(group.key) ?? waiting.get(group.key)
  return waiver === undefined || group.status !== 'unsatisfied' ? null : (
    <span className={css.waiver}>
      <WaiverMark waiver={waiver} />
    </span>
  )
}

/** Below a policy that fails: what can be done about its waiver, by those who may. */
function WaiverActions({ group }: { group: PolicyGroup }): ReactElement | null {
  const { waived, waiting, elsewhere, change, subject } = useContext(RowWaiversContext)
  const user = useSessionUser()
  const { proxyNow } = useServices().session
  if (change === undefined || group.status !== 'unsatisfied') return null
  const { name } = group
  const waiter = waiting.get(group.key)
  const waiver = waived.get(group.key) ?? waiter
  const verb = waiver === undefined ? 'End' : endVerb([waiver], user?.name, proxyNow())
  const offered = waiver === undefined ? elsewhere.get(group.key) : undefined
  return (
    <Group gap={8}>
      {waiver === undefined ? (
        <PermittedButton
          permission="waive"
          subject={subject}
          variant="default"
          aria-label={`Waive ${name}…`}
          onClick={() => {
            change.onGive(group)
          }}
        >
          Waive…
        </PermittedButton>
      ) : (
        <PermittedButton
          permission="waive"
          subject={subject}
          variant="default"
          aria-label={`${verb} waiver for ${name}…`}
          onClick={() => {
            change.onEnd(waiver)
          }}
        >
          {verb} waiver…
        </PermittedButton>
      )}
      {waiter !== undefined && waiver === waiter && (
        <PermittedButton
          permission="waive"
          subject={subject}
          blocked={approvalBlock(waiter, user)}
          aria-label={`Approve waiver for ${name}`}
          onClick={() => {
            change.onApprove(waiter)
          }}
        >
          Approve
        </PermittedButton>
      )}
      {offered !== undefined && (
        <>
          <span>
            Version {versionOf(offered.packagePath)} is <WaiverMark waiver={offered} />
          </span>
          <PermittedButton
            permission="waive"
            subject={subject}
            variant="default"
            aria-label={`Carry over the waiver for ${name}`}
            onClick={() => {
              change.onCarry(group, offered)
            }}
          >
            Carry over
          </PermittedButton>
          <PermittedButton
            permission="waive"
            subject={subject}
            variant="default"
            aria-label={`Carry over the waiver for ${name}…`}
            onClick={() => {
              change.onGive(group, offered)
            }}
          >
            Carry over…
          </PermittedButton>
        </>
      )}
    </Group>
  )
}
