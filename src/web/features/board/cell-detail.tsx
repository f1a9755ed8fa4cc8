import { Box, Group, Stack, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { type BoardRow, failedWord, type RowCell } from '../../../policy/board-row.ts'
import { inTheRun } from '../../../policy/board-failures.ts'
import type { BoardPackage } from '../../../policy/board.ts'
import { policyKey, policyName } from '../../../policy/policy-group.ts'
import { mayLackText } from '../../../policy/severity.ts'
import type { BoardOutcome } from '../../../protocol/board-run.ts'
import { countOf } from '../../../protocol/count.ts'
import { waiversWaiting } from '../../../policy/waived-verdict.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { usePackageWaivers } from '../../data/scans/waivers.ts'
import { packageLink, runLink } from '../../domain/package/package-links.ts'
import type { WaiverWish } from '../../domain/waiver/waiver-wish.ts'
import { WaiverMark } from '../../domain/waiver/waiver-mark.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { packageSubject } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useServices } from '../../data/core/services.ts'

/** An opened cell: which policies fail, what can be done, and the way to the whole scan. */
export function CellDetail({
  row,
  cell,
  onRetry,
  onWish,
}: {
  row: BoardRow
  cell: RowCell
  onRetry: () => void
  onWish: (wish: WaiverWish) => void
}): ReactElement {
  const { place, cell: state } = cell
  const { known, fault } = state
  const evaluation = known?.outcome.evaluation
  const { address } = row.of
  return (
    <section aria-label={`${packageText(address)}, ${place.scan}`}>
      {fault !== undefined && (
        <Text inherit c="var(--bad-ink)">
          <StatusMark tone="bad" word={failedWord(state)} />{' '}
          {fault.problem.detail ?? fault.problem.title}{' '}
          <Text span inherit c="dimmed">
            ({fault.problem.status}, <RelativeTime at={fault.at} />)
          </Text>
        </Text>
      )}
      {known === undefined ? (
        <p>No result yet.</p>
      ) : (
        <>
          <p>
            {countOf(policiesOf(known.outcome), 'policy', 'policies')} in{' '}
            {countOf(known.outcome.results, 'result')}, evaluated <RelativeTime at={known.at} />
            {known.outcome.by !== undefined && ` by ${known.outcome.by}`}
            {known.outcome.ended !== undefined && ', incomplete'}: {known.outcome.counts.satisfied}{' '}
            satisfied, {known.outcome.counts.unsatisfied} unsatisfied,{' '}
            {known.outcome.counts['not-applicable']} not applicable
            {known.outcome.counts.unknown > 0 && `, ${known.outcome.counts.unknown} unknown`}
            {known.outcome.unreadable > 0 && `, ${known.outcome.unreadable} unreadable`}.
          </p>
          <UncheckedPolicies cell={cell} />
          <FailingPolicies of={row.of} cell={cell} outcome={known.outcome} onWish={onWish} />
        </>
      )}
      <Group gap={16}>
        <Link to={packageLink(address, row.of, place.scan)}>Open policy scan</Link>
        {typeof evaluation === 'string' && (
          <Link to={runLink(address, place.scan, evaluation)}>Recorded run</Link>
        )}
        <PermittedButton
          permission="evaluate"
          subject={packageSubject(address, place.scan)}
          variant="default"
          disabled={state.doing.is !== 'idle'}
          onClick={onRetry}
        >
          Evaluate again
        </PermittedButton>
      </Group>
    </section>
  )
}

/** Policies that were not applicable, where that weighs or the board requires them. */
function UncheckedPolicies({
  cell: { missing, unchecked, mayLack, verdict },
}: {
  cell: RowCell
}): ReactElement | null {
  const isUnknown = mayLack && verdict === 'undecided'
  if (missing.length + unchecked.length === 0 && !isUnknown) return null
  return (
    <Stack component="ul" gap={4} mb={8} mt={0} p={0} style={{ listStyle: 'none' }}>
      {[...missing, ...unchecked].map((one) => {
        const required = missing.find(({ uri }) => uri === one.uri)
        const isRequired = required !== undefined
        return (
          <Group key={one.uri} component="li" gap="4px 12px" align="baseline">
            <StatusMark tone={isRequired ? 'bad' : 'waiting'} word="not checked" />
            <span>
              <strong>{policyName(one.uri).name}</strong> {one.severity}
              {isRequired && ', required by this board'}:{' '}
              {required?.isAbsent === true ? 'not in the response' : 'its evidence is missing'}
            </span>
          </Group>
        )
      })}
      {isUnknown && <li>{mayLackText}</li>}
    </Stack>
  )
}

function policiesOf({ counts }: BoardOutcome): number {
  return counts.satisfied + counts.unsatisfied + counts['not-applicable'] + counts.unknown
}

/** Why a policy fails; a run that an older release recorded says it on its page. */
function Causes({ causes }: { causes: readonly string[] | undefined }): ReactElement | null {
  if (causes?.length === 0) return null
  return (
    <Text component="div" inherit c="dimmed">
      {causes?.join('; ') ?? `${inTheRun}.`}
    </Text>
  )
}

/**
 * The policies that a cell fails, each with its waiver beside what the service says; those who may
 * give or end one find the button here.
 */
function FailingPolicies({
  of: { address, sha256 },
  cell: { place, waived },
  outcome: { failing, counts },
  onWish,
}: {
  of: BoardPackage
  cell: RowCell
  outcome: BoardOutcome
  onWish: (wish: WaiverWish) => void
}): ReactElement {
  const path = packagePath(address)
  const { data, error } = usePackageWaivers(path)
  const { proxyNow } = useServices().session
  const scan = { packagePath: path, sha256, scan: place.scan }
  const waiting = waiversWaiting(data?.waivers ?? [], scan, proxyNow())
  const unnamed = counts.unsatisfied + counts.unknown - failing.length
  return (
    <>
      {error !== null && failing.length > 0 && (
        <p>
          {data === undefined
            ? "Can't load waivers, so none are counted: "
            : "Can't refresh waivers. They may have changed: "}
          {error.message}
        </p>
      )}
      <Stack component="ul" gap={4} mb={8} mt={0} p={0} style={{ listStyle: 'none' }}>
        {failing.map(({ uri, status, remedy, causes }) => {
          const { name } = policyName(uri)
          const isFailing = status === 'unsatisfied'
          const key = policyKey(uri)
          const waiver = isFailing ? (waived.get(key) ?? waiting.get(key)) : undefined
          return (
            <Group key={uri} data-policy-uri={uri} component="li" gap="4px 12px" align="baseline">
              <StatusMark tone={isFailing ? 'bad' : 'waiting'} word={status} />
              <Box component="span" flex="1 1 260px" miw={0} maw="90ch">
                <strong>{name}</strong> {remedy}
                <Causes causes={causes} />
                {waiver !== undefined && (
                  <>
                    {' '}
                    <WaiverMark waiver={waiver} />
                  </>
                )}
              </Box>
              {data !== undefined && isFailing && (
                <PermittedButton
                  permission="waive"
                  subject={packageSubject(address, place.scan)}
                  variant="default"
                  aria-label={waiver === undefined ? `Waive ${name}…` : `End waiver for ${name}…`}
                  onClick={() => {
                    onWish(
                      waiver === undefined
                        ? {
                            is: 'give',
                            choices: [
                              {
                                policy: name,
                                places: [
                                  {
                                    of: { ...scan, policyUri: uri },
                                    text: `${packageText(address)}, scan ${place.scan}`,
                                  },
                                ],
                              },
                            ],
                            longestMs: data.longestMs,
                            approval: data.approval,
                            carriedFrom: undefined,
                          }
                        : { is: 'end', waivers: [waiver] },
                    )
                  }}
                >
                  {waiver === undefined ? 'Waive…' : 'End waiver…'}
                </PermittedButton>
              )}
            </Group>
          )
        })}
        {unnamed > 0 && (
          <Text component="li" inherit c="dimmed">
            And {countOf(unnamed, 'more policy', 'more policies')}; see the policy scan for all.
          </Text>
        )}
      </Stack>
    </>
  )
}
