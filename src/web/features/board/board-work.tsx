import { Button, Group, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { type BoardFailure, notChecked } from '../../../policy/board-failures.ts'
import type { BoardRow } from '../../../policy/board-row.ts'
import { type Assignment, isOverdue } from '../../../protocol/assignment.ts'
import { countOf } from '../../../protocol/count.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { WaiverList } from '../../../protocol/waiver.ts'
import { packageText } from '../../domain/package/package-links.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import type { WaiverChoice, WaiverWish } from '../../domain/waiver/waiver-dialog.tsx'

/** What somebody is doing about failures of a board. */
export interface BoardTask {
  readonly is: 'assign' | 'hand-over'
  readonly failures: readonly BoardFailure[]
}

/** What can be done about failures: waive, assign, hand over. */
export function FailureActions({
  failures,
  name,
  waivers,
  size = 'sm',
  onWish,
  onTask,
}: {
  failures: readonly BoardFailure[]
  /** Of a group, for those who cannot see it; empty for what is shown or selected. */
  name: string
  /** Undefined until it is known what is waived. */
  waivers: WaiverList | undefined
  size?: 'sm' | 'compact-sm'
  onWish: (wish: WaiverWish) => void
  onTask: (task: BoardTask) => void
}): ReactElement {
  const about = (verb: string): string => (name === '' ? `${verb}…` : `${verb} ${name}…`)
  return (
    <Group gap={8}>
      <PermittedButton
        permission="waive"
        variant="default"
        size={size}
        aria-label={about('Waive failures')}
        disabled={waivers === undefined || !failures.some(canBeWaived)}
        onClick={() => {
          if (waivers === undefined) return
          const { longestMs, approval } = waivers
          onWish({ is: 'give', choices: waiverChoices(failures), longestMs, approval })
        }}
      >
        Waive…
      </PermittedButton>
      <PermittedButton
        permission="assign"
        variant="default"
        size={size}
        aria-label={about('Assign failures')}
        disabled={failures.length === 0}
        onClick={() => {
          onTask({ is: 'assign', failures })
        }}
      >
        Assign…
      </PermittedButton>
      <Button
        variant="default"
        size={size}
        aria-label={about('Hand over failures')}
        disabled={failures.length === 0}
        onClick={() => {
          onTask({ is: 'hand-over', failures })
        }}
      >
        Hand over…
      </Button>
    </Group>
  )
}

/** The actions for what is selected, or for all that is shown where nothing is. */
export function BoardWork({
  selected,
  failures,
  onClear,
  ...actions
}: Omit<Parameters<typeof FailureActions>[0], 'name'> & {
  /** How many packages. */
  selected: number
  onClear: () => void
}): ReactElement | null {
  if (failures.length === 0 && selected === 0) return null
  const packages = new Set(failures.map(({ row }) => row.row)).size
  return (
    <Group gap="4px 12px" role="toolbar" aria-label="Failing packages" data-screen-only>
      <Text c="dimmed">
        {selected > 0
          ? `${countOf(selected, 'package')} selected, ${packages} of them failing:`
          : `${countOf(packages, 'failing package')} shown:`}
      </Text>
      <FailureActions failures={failures} name="" {...actions} />
      {selected > 0 && (
        <Button variant="subtle" color="gray" onClick={onClear}>
          Clear selection
        </Button>
      )}
    </Group>
  )
}

/** What was not checked is missing evidence: there is nothing to accept. */
function canBeWaived({ isWaived, causes }: BoardFailure): boolean {
  return !isWaived && causes[0] !== notChecked
}

/** The policies that can be waived, the one that fails most packages first, with where they fail. */
function waiverChoices(failures: readonly BoardFailure[]): WaiverChoice[] {
  const choices = new Map<string, WaiverChoice>()
  for (const { row, cell, policy, policyUri, name } of failures.filter(canBeWaived)) {
    const { address, sha256 } = row.of
    const { scan } = cell.place
    const of = { packagePath: packagePath(address), sha256, scan, policyUri }
    const choice = choices.get(policy) ?? { policy: name, places: [] }
    choice.places.push({ of, text: `${packageText(address)}, scan ${scan}` })
    choices.set(policy, choice)
  }
  return [...choices.values()].sort((a, b) => b.places.length - a.places.length)
}

/** Which rows somebody looks after: `mine` is what is assigned to `user`, `overdue` what is due. */
export function assignedRows(
  rows: readonly BoardRow[],
  assignments: ReadonlyMap<string, Assignment>,
  {
    assigned,
    user,
    now,
  }: {
    readonly assigned: '' | 'mine' | 'overdue' | 'nobody'
    readonly user: string
    /** Epoch ms. */
    readonly now: number
  },
): readonly BoardRow[] {
  if (assigned === '') return rows
  return rows.filter(({ cells }) => {
    const of = cells.flatMap((cell) => {
      const one = cell === undefined ? undefined : assignments.get(cell.place.key)
      return one === undefined ? [] : [one]
    })
    switch (assigned) {
      case 'mine':
        return of.some(({ assignee }) => assignee.toLowerCase() === user.toLowerCase())
      case 'overdue':
        return of.some((one) => isOverdue(one, now))
      case 'nobody':
        return of.every(({ assignee }) => assignee === '')
    }
  })
}
