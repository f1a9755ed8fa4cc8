import { packageText } from '../../../protocol/package-reference.ts'
import { Button, Checkbox, Text, TextInput } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import {
  failsSo,
  type FailureFilter,
  type FailureGrouping,
} from '../../../policy/board-failures.ts'
import { type BoardRow, worstRowsFirst } from '../../../policy/board-row.ts'
import { policyName } from '../../../policy/policy-group.ts'
import {
  type ChangeSearch,
  choiceParam,
  flagParam,
  searchState,
  textParam,
} from '../../data/core/search-state.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { FoldedFilters } from '../../ui/folded-filters.tsx'
import { InlineSelect } from '../../ui/inline-select.tsx'
import css from './board.module.css'

/** What of the board is looked at; all of it stands in the address. */
export function BoardFilters({
  address,
  scans,
  shown,
  all,
  onChange,
  children,
}: {
  address: BoardAddress
  scans: readonly string[]
  shown: number
  all: number
  onChange: ChangeSearch<BoardAddress>
  /** What the board is compared with. */
  children: ReactNode
}): ReactElement {
  return (
    <div role="search" className={css.inLine}>
      <TextInput
        type="search"
        w={240}
        maw="100%"
        aria-label="Package or policy contains"
        placeholder="Package or policy contains…"
        value={address.text}
        onChange={({ target }) => {
          onChange({ text: target.value }, true)
        }}
      />
      <FoldedFilters
        label="Filters"
        until={900}
        active={activeCount(address)}
        className={css.inLine}
      >
        <InlineSelect
          label="Show"
          value={address.view}
          onChange={(view) => {
            onChange({ view: view === 'evidence' ? 'evidence' : 'results' })
          }}
        >
          <option value="results">Results</option>
          <option value="evidence">Evidence</option>
        </InlineSelect>
        <Checkbox
          label="Failing only"
          checked={address.onlyFailing}
          onChange={({ target }) => {
            onChange({ onlyFailing: target.checked })
          }}
        />
        <InlineSelect
          label="Scan"
          value={address.scan}
          onChange={(scan) => {
            onChange({ scan })
          }}
        >
          <option value="">All</option>
          {scans.map((scan) => (
            <option key={scan}>{scan}</option>
          ))}
        </InlineSelect>
        <InlineSelect
          label="Order"
          value={address.order}
          onChange={(order) => {
            onChange({ order: order === 'written' ? 'written' : 'worst' })
          }}
        >
          <option value="worst">Worst first</option>
          <option value="written">Original</option>
        </InlineSelect>
        <InlineSelect
          label="Assigned"
          value={address.assigned}
          onChange={(value) => {
            onChange({
              assigned: boardAddress.read(new URLSearchParams({ assigned: value })).assigned,
            })
          }}
        >
          <option value="">Anyone</option>
          <option value="mine">Mine</option>
          <option value="overdue">Overdue</option>
          <option value="nobody">Unassigned</option>
        </InlineSelect>
        {children}
      </FoldedFilters>
      {chosenText(address) !== '' && (
        <Button
          variant="default"
          maw="100%"
          aria-label={`Remove the filter ${chosenText(address)}`}
          onClick={() => {
            onChange({ policy: '', cause: '', owner: '', policyOwner: '' })
          }}
        >
          {chosenText(address)} ✕
        </Button>
      )}
      {shown < all && (
        <Text span inherit c="dimmed">
          {countText(shown)} of {countOf(all, 'package')} shown
        </Text>
      )}
    </div>
  )
}

/** How many of the filters that may be folded leave something out or show another thing. */
function activeCount({
  view,
  onlyFailing,
  scan,
  order,
  assigned,
  dryRun,
  asOf,
}: BoardAddress): number {
  const chosen = [scan, assigned, dryRun, asOf].map((text) => text !== '')
  const active = [view !== 'results', onlyFailing, order !== 'worst', ...chosen]
  return active.filter(Boolean).length
}

/** Which failures are looked at, in words; empty for all. */
function chosenText({ policy, cause, owner, policyOwner }: BoardAddress): string {
  return [
    policyOwner === '' ? '' : `Policy owner ${policyOwner}`,
    owner === '' ? '' : `Package owner ${owner}`,
    policy === '' ? '' : `Fails ${policyName(policy).name}`,
    cause,
  ]
    .filter((text) => text !== '')
    .join(', ')
    .slice(0, 120)
}

/** What is looked at of a board, as its address says it. */
export interface BoardAddress extends FailureFilter {
  readonly onlyFailing: boolean
  readonly text: string
  /** One column alone; empty for all. */
  readonly scan: string
  readonly order: 'worst' | 'written'
  /** The key of the cell that is opened; empty for none. */
  readonly open: string
  /** What is shown of the packages: how their scans came out, or which evidence they have. */
  readonly view: 'results' | 'evidence'
  /** The scan that another one is compared with; empty for none. */
  readonly dryRun: string
  /** The day that the board is judged for, as it was written; empty for today. */
  readonly asOf: string
  /** How failures are put together. */
  readonly by: FailureGrouping
  /** Who looks after it. */
  readonly assigned: '' | 'mine' | 'overdue' | 'nobody'
}

/** The address of a board; what cannot be read there is the default. */
export const boardAddress = searchState<BoardAddress>({
  onlyFailing: flagParam('show', 'failing'),
  text: textParam('q'),
  scan: textParam('scan'),
  order: choiceParam('order', ['worst', 'written']),
  open: textParam('open'),
  policy: textParam('policy'),
  cause: textParam('cause'),
  owner: textParam('owner'),
  policyOwner: textParam('policy-owner'),
  view: choiceParam('view', ['results', 'evidence']),
  assigned: choiceParam('assigned', ['', 'mine', 'overdue', 'nobody']),
  dryRun: textParam('instead'),
  asOf: textParam('asOf'),
  by: choiceParam('by', ['policy', 'owner', 'policy-owner']),
})

/** What the address says where no row is left out. */
export const nothingFiltered = {
  ...{ onlyFailing: false, text: '', scan: '', assigned: '' },
  ...{ policy: '', cause: '', owner: '', policyOwner: '' },
} as const satisfies Partial<BoardAddress>

/** The rows that the address leaves, in its order. */
export function shownRows(
  rows: readonly BoardRow[],
  { onlyFailing, text, scan, order, open, ...failures }: BoardAddress,
): readonly BoardRow[] {
  const { policy, cause, owner, policyOwner } = failures
  const isChosen = policy + cause + owner + policyOwner !== ''
  const words = text.trim().toLowerCase()
  const left = rows.filter((row) => {
    const cells = row.cells.filter(
      (cell) => cell !== undefined && (scan === '' || cell.place.scan === scan),
    )
    if (cells.length === 0) return false
    const fails = cells.some(
      // What somebody reads does not go away under their eyes, also when it fails no more.
      (cell) =>
        cell?.verdict === 'not-releasable' ||
        cell?.verdict === 'failed' ||
        cell?.place.key === open,
    )
    if (isChosen && !failsSo(row, failures) && !cells.some((cell) => cell?.place.key === open)) {
      return false
    }
    return (!onlyFailing || fails) && (words === '' || holds(row, words))
  })
  return order === 'worst' ? worstRowsFirst(left) : left
}

function holds({ of, cells }: BoardRow, words: string): boolean {
  return (
    packageText(of.address).toLowerCase().includes(words) ||
    cells.some((cell) =>
      cell?.cell.known?.outcome.failing.some(({ uri }) =>
        policyName(uri).name.toLowerCase().includes(words),
      ),
    )
  )
}
