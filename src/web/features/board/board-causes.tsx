import { Button, Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { memo, type ReactElement, type ReactNode, useMemo, useState } from 'react'
import {
  boardFailures,
  type FailureGroup,
  failureGroups,
  type FailureGrouping,
  type FailureLine,
  noOwner,
} from '../../../policy/board-failures.ts'
import type { BoardRow } from '../../../policy/board-row.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { shortenMiddle } from '../../ui/format.ts'
import { InlineSelect } from '../../ui/inline-select.tsx'
import pageCss from '../../ui/page.module.css'
import { Section } from '../../ui/page.tsx'
import type { BoardAddress } from './board-filters.tsx'
import css from './board.module.css'

/** Together they leave room for the table on the first screen. */
const groupsAtFirst = 2
const linesAtFirst = 3

/** The parts of the address that say which failures are looked at. */
const nothingChosen = { policy: '', cause: '', owner: '', policyOwner: '' } as const

/** Why packages fail, on top of the board: by policy or owner, each with its causes and their counts. */
export const BoardCauses = memo(function BoardCauses({
  rows,
  address,
  onChange,
  actions,
}: {
  rows: readonly BoardRow[]
  address: BoardAddress
  onChange: (change: Partial<BoardAddress>) => void
  /** What else can be done about a group. */
  actions: (group: FailureGroup) => ReactNode
}): ReactElement | null {
  const [isWhole, setWhole] = useState(false)
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const { by } = address
  const failures = useMemo(() => boardFailures(rows), [rows])
  const groups = useMemo(() => failureGroups(failures, by), [failures, by])
  if (groups.length === 0) return null
  const atFirst = isNarrow ? 1 : groupsAtFirst
  const shown = isWhole ? groups : groups.slice(0, atFirst)
  return (
    <Section title="Why packages fail">
      {/* Beside the heading, where there is room. */}
      <Group gap="8px 16px" ml={{ sm: 'auto' }} mt={{ sm: -30 }} data-screen-only>
        {groups.length > atFirst && (
          <Button
            variant="default"
            aria-expanded={isWhole}
            onClick={() => {
              setWhole(!isWhole)
            }}
          >
            {isWhole ? 'Show fewer' : `Show all ${countText(groups.length)}`}
          </Button>
        )}
        <GroupBySelect
          value={by}
          onChange={(chosen) => {
            onChange({ ...nothingChosen, by: chosen })
          }}
        />
      </Group>
      <ul className={`${pageCss.box} ${css.list}`}>
        {shown.map((group) => (
          <CauseGroup
            key={group.key}
            group={group}
            address={address}
            onChange={onChange}
            actions={actions(group)}
          />
        ))}
      </ul>
    </Section>
  )
})

/** By what failures are grouped. */
export function GroupBySelect({
  value,
  onChange,
}: {
  value: FailureGrouping
  onChange: (by: FailureGrouping) => void
}): ReactElement {
  return (
    <InlineSelect
      label="Group by"
      value={value}
      onChange={(text) => {
        onChange(text === 'owner' || text === 'policy-owner' ? text : 'policy')
      }}
    >
      <option value="policy">Policy</option>
      <option value="owner">Package owner</option>
      <option value="policy-owner">Policy owner</option>
    </InlineSelect>
  )
}

function CauseGroup({
  group,
  address,
  onChange,
  actions,
}: {
  group: FailureGroup
  address: BoardAddress
  onChange: (change: Partial<BoardAddress>) => void
  actions: ReactNode
}): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const { title, first, packages, waived, lines } = group
  const { by } = address
  const ofGroup = { ...nothingChosen, ...groupFilter(group, by) }
  const isShown = isSame(address, ofGroup)
  const named = isWhole ? lines : lines.slice(0, linesAtFirst)
  const name = title === '' ? noOwner : title
  return (
    <li data-policy-uri={by === 'policy' ? first.policyUri : undefined} data-causes={name}>
      <Group gap="4px 12px" justify="space-between" align="flex-start">
        <Group component="span" flex="1 1 240px" gap="4px">
          <span>
            <strong>{name}</strong>{' '}
            {by === 'policy' && (
              <Text span inherit c="dimmed">
                {first.kind}
                {first.policyOwner !== '' && `, owner ${first.policyOwner}`}{' '}
              </Text>
            )}
            {packages > 0 && (
              <Text span inherit c="var(--bad-ink)">
                fails {countOf(packages, 'package')}
              </Text>
            )}
            {packages > 0 && waived > 0 && ', '}
            {waived > 0 && (
              <Text span inherit c="var(--waiting-ink)">
                waived in {countOf(waived, 'cell')}
              </Text>
            )}
          </span>
          {named.map((line) => (
            <Cause
              key={`${line.policy} ${line.cause}`}
              line={line}
              isNamed={by !== 'policy'}
              isShown={isSame(address, { ...ofGroup, policy: line.policy, cause: line.cause })}
              onPress={(isOn) => {
                onChange(
                  isOn ? { ...ofGroup, policy: line.policy, cause: line.cause } : nothingChosen,
                )
              }}
            />
          ))}
          {named.length < lines.length && (
            <button
              type="button"
              className={css.place}
              data-screen-only
              onClick={() => {
                setWhole(true)
              }}
            >
              {countText(lines.length - named.length)} more
            </button>
          )}
        </Group>
        <Group gap={8} data-screen-only>
          {actions}
          <CopyButton text={() => groupText(group, by)} what={`failures of ${name}`} />
          <Button
            variant="default"
            size="compact-sm"
            aria-label={isShown ? `Show all packages, not only ${name}` : `Show these: ${name}`}
            aria-pressed={isShown}
            onClick={() => {
              onChange(isShown ? nothingChosen : ofGroup)
            }}
          >
            {isShown ? 'Show all' : 'Show these'}
          </Button>
        </Group>
      </Group>
    </li>
  )
}

function Cause({
  line: { name, cause, packages, failures },
  isNamed,
  isShown,
  onPress,
}: {
  line: FailureLine
  /** Whether its policy is not that of the group. */
  isNamed: boolean
  isShown: boolean
  onPress: (isOn: boolean) => void
}): ReactElement {
  const isWaived = packages === 0
  const count = isWaived ? `${countText(failures.length)} waived` : countText(packages)
  return (
    <button
      type="button"
      className={css.place}
      title={cause}
      aria-pressed={isShown}
      onClick={() => {
        onPress(!isShown)
      }}
    >
      <Group component="span" gap={4} wrap="nowrap">
        {/* One line each: the whole text is its title, and in the copy. */}
        <Text span inherit truncate maw="min(48ch, 70vw)">
          {isNamed && `${name}: `}
          {causeWords(cause)}
        </Text>{' '}
        <Text span inherit c={isWaived ? 'var(--waiting-ink)' : 'dimmed'} flex="none">
          ({count})
        </Text>
      </Group>
    </button>
  )
}

/** Key ids and digests are shortened where they are read; the filter and the copy have all of them. */
function causeWords(cause: string): string {
  return cause.replace(/[0-9a-f]{32,}/gi, shortenMiddle)
}

function groupFilter(
  { first, key }: FailureGroup,
  by: FailureGrouping,
): Partial<Pick<BoardAddress, 'policy' | 'owner' | 'policyOwner'>> {
  switch (by) {
    case 'policy':
      return { policy: first.policy }
    case 'owner':
      return { owner: key === '' ? noOwner : key }
    case 'policy-owner':
      return { policyOwner: key === '' ? noOwner : key }
  }
}

function isSame(
  address: BoardAddress,
  { policy, cause, owner, policyOwner }: Pick<BoardAddress, keyof typeof nothingChosen>,
): boolean {
  return (
    address.policy === policy &&
    address.cause === cause &&
    address.owner === owner &&
    address.policyOwner === policyOwner
  )
}

/** For a message: what fails, why, and in which packages. */
function groupText({ title, first, packages, lines }: FailureGroup, by: FailureGrouping): string {
  const owner =
    by === 'policy' && first.policyOwner !== '' ? ` (policy owner: ${first.policyOwner})` : ''
  return [
    `${title === '' ? noOwner : title}${owner}: ${countOf(packages, 'package')}`,
    ...lines.flatMap(({ name, cause, packages: number, failures }) => [
      `- ${by === 'policy' ? '' : `${name}: `}${cause} (${countText(number)})`,
      ...[...new Map(failures.map((one) => [one.row.row, one])).values()].map(
        ({ row, isWaived }) => `  - ${packageText(row.of.address)}${isWaived ? ' (waived)' : ''}`,
      ),
    ]),
  ].join('\n')
}
