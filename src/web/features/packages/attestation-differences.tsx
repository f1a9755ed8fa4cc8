import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useMemo, useState } from 'react'
import type { ChangeInWords } from '../../../attestation/change-words.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { sentenceOf } from '../../../attestation/keys/trusted-key.ts'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { useRunner } from '../../data/attestation/attestation-runner.ts'
import { useServices } from '../../data/core/services.ts'
import {
  attestationDifferences,
  type AttestationDifferences,
  type ComparedSide,
  type TypeDifference,
} from '../../data/scans/attestation-differences.ts'
import { createEvidenceChecks } from '../../data/scans/evidence-checks.ts'
import { Notice } from '../../ui/notice.tsx'
import pageCss from '../../ui/page.module.css'
import { Section } from '../../ui/page.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import css from './scan-page.module.css'

/** So many differences of one kind are drawn at first. */
const drawnAtFirst = 12

/**
 * What the attestations of two runs say differently: fetched and compared when somebody wants to know,
 * with progress. `names` are what the two sides are called, such as "version 2.3.0".
 */
export function AttestationDifferencesView({
  before,
  after,
  names,
}: {
  before: readonly PolicyGroup[]
  after: readonly PolicyGroup[]
  names: Readonly<Record<ComparedSide, string>>
}): ReactElement {
  const { request } = useServices()
  const runner = useRunner()
  const [progress, setProgress] = useState({ done: 0, of: 0 })
  const [isCanceled, setCanceled] = useState(false)
  const uris = useMemo(() => ({ before: urisOf(before), after: urisOf(after) }), [before, after])
  const checks = useMemo(
    () => createEvidenceChecks(request, runner, { keys: [] }),
    [request, runner],
  )
  const queryKey = ['attestation-differences', uris]
  const client = useQueryClient()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      attestationDifferences({ checks, runner }, uris, {
        signal,
        onProgress: (done, of) => {
          setProgress({ done, of })
        },
      }),
    enabled: !isCanceled,
    retry: false,
    // What was read doesn't change; what couldn't be read may be read when this is opened again.
    staleTime: ({ state }) => ((state.data?.faults.length ?? 0) > 0 ? 0 : Infinity),
  })
  return (
    <Section title="What the attestations say differently">
      {data === undefined ? (
        <Group gap="8px 16px">
          {error === null && !isCanceled ? (
            <>
              <Text role="status">
                Reading attestations
                <span aria-hidden="true">
                  : {countText(progress.done)} of {countText(progress.of)}
                </span>
              </Text>
              <Progress
                w={160}
                size={6}
                value={(100 * progress.done) / Math.max(1, progress.of)}
                aria-label="Attestations read"
              />
              <Button
                variant="default"
                onClick={() => {
                  setCanceled(true)
                  void client.cancelQueries({ queryKey })
                }}
              >
                Cancel
              </Button>
            </>
          ) : (
            <>
              <Text role="status">
                {error === null ? 'Canceled.' : `Can't compare them: ${error.message}`}
              </Text>
              <Button
                variant="default"
                onClick={() => {
                  setCanceled(false)
                  if (error !== null) void refetch()
                }}
              >
                Try again
              </Button>
            </>
          )}
        </Group>
      ) : (
        <Differences
          differences={data}
          uris={uris}
          names={names}
          isReading={isFetching}
          onAgain={() => {
            if (!isFetching) void refetch()
          }}
        />
      )}
    </Section>
  )
}

function Differences({
  differences: { types, faults, leftOut },
  uris,
  names,
  isReading,
  onAgain,
}: {
  differences: AttestationDifferences
  uris: Readonly<Record<ComparedSide, readonly string[]>>
  names: Readonly<Record<ComparedSide, string>>
  /** Whether they are being read again. */
  isReading: boolean
  onAgain: () => void
}): ReactElement {
  const same = types.filter(isSame)
  const different = types.filter((type) => !isSame(type))
  const without = (['before', 'after'] as const).filter((side) => uris[side].length === 0)
  return (
    <Stack gap={8}>
      {faults.length > 0 && (
        <Notice
          tone="bad"
          role="alert"
          action={
            <Button size="compact-xs" variant="default" aria-disabled={isReading} onClick={onAgain}>
              {isReading ? 'Trying again…' : 'Try again'}
            </Button>
          }
        >
          {(['before', 'after'] as const).flatMap((side) => {
            const reasons = faults.filter((fault) => fault.side === side)
            const [first] = reasons
            return first === undefined
              ? []
              : [
                  <div key={side}>
                    Can't load {countOf(reasons.length, 'attestation')} of {names[side]}:{' '}
                    {first.reason} {reasons.length === 1 ? "It isn't" : "They aren't"} compared.
                  </div>,
                ]
          })}
        </Notice>
      )}
      {without.map((side) => (
        <p key={side}>The results of {names[side]} name no attestations.</p>
      ))}
      {different.length === 0 && without.length === 0 && faults.length === 0 && (
        <p role="status">
          The attestations of {names.before} and {names.after} say the same.
        </p>
      )}
      <div className={pageCss.box} hidden={different.length === 0}>
        {different.map((type) => (
          <TypeChanges key={type.predicateType} type={type} names={names} />
        ))}
      </div>
      {same.length > 0 && (
        <Text c="dimmed">No differences in {same.map(({ name }) => name).join(', ')}.</Text>
      )}
      {leftOut > 0 && (
        <Text c="dimmed">{`${countOf(leftOut, 'more attestation was', 'more attestations were')} not read.`}</Text>
      )}
    </Stack>
  )
}

function isSame({ changes, counts }: TypeDifference): boolean {
  return changes.length === 0 && counts.before === counts.after
}

function TypeChanges({
  type: { predicateType, name, counts, changes },
  names,
}: {
  type: TypeDifference
  names: Readonly<Record<ComparedSide, string>>
}): ReactElement {
  const [drawn, setDrawn] = useState(drawnAtFirst)
  return (
    <section className={pageCss.row} aria-label={name} data-predicate-type={predicateType}>
      <div className={css.body}>
        <Text component="h3" fw={600} title={predicateType}>
          {name}{' '}
          <Text span inherit fw={400} c="dimmed">
            {summary(changes)}
          </Text>
        </Text>
        {counts.before !== counts.after && (
          <p>
            {sentenceOf(names.before)} has {countText(counts.before)}, {names.after} has{' '}
            {countText(counts.after)}
            {Math.min(counts.before, counts.after) > 0 && '; those that both have are compared'}.
          </p>
        )}
        {changes.length > 0 && (
          <ul className={css.list}>
            {changes.slice(0, drawn).map((change, index) => (
              <li key={index}>
                <ChangeLine change={change} />
              </li>
            ))}
          </ul>
        )}
        {changes.length > drawn && (
          <Button
            variant="default"
            onClick={() => {
              setDrawn(drawn + 100)
            }}
          >
            Show more: {countOf(changes.length - drawn, 'difference')} left
          </Button>
        )}
      </div>
    </section>
  )
}

const tones = {
  added: 'info',
  removed: 'waiting',
  upgraded: 'none',
  downgraded: 'waiting',
  changed: 'none',
} as const

function ChangeLine({ change }: { change: ChangeInWords }): ReactElement {
  const { kind, what, before, after } = change
  return (
    <>
      <StatusMark tone={tones[kind]} word={kind} /> <code>{visibleText(what, 300)}</code>{' '}
      {[before, after]
        .filter((text) => text !== '')
        .map((text) => visibleText(text, 300))
        .join(' → ')}
    </>
  )
}

/** "3 upgraded, 1 added". */
function summary(changes: readonly ChangeInWords[]): string {
  const kinds = ['upgraded', 'downgraded', 'added', 'removed', 'changed'] as const
  return kinds
    .map((kind) => [kind, changes.filter((one) => one.kind === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${countText(count)} ${kind}`)
    .join(', ')
}

/** Each attestation once, in the order in which the results name them. */
function urisOf(groups: readonly PolicyGroup[]): readonly string[] {
  return [
    ...new Set(
      groups.flatMap(({ results }) =>
        results.flatMap(({ attestationUri }) => (attestationUri === null ? [] : [attestationUri])),
      ),
    ),
  ]
}
