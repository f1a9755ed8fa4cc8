import { Button, Checkbox, Text } from '@mantine/core'
import {
  Fragment,
  memo,
  type ReactElement,
  type ReactNode,
  startTransition,
  useEffect,
  useRef,
  useState,
} from 'react'
import { Link } from 'react-router'
import {
  type BoardCell,
  type BoardRow,
  type RowCell,
  staleAfterMs,
} from '../../../policy/board-row.ts'
import { verdictWords } from '../../../policy/board-export.ts'
import { severityWords } from '../../../policy/severity.ts'
import type { Assignment } from '../../../protocol/assignment.ts'
import { countOf } from '../../../protocol/count.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { packageLink } from '../../domain/package/package-links.ts'
import { cellTones, cellWord } from '../../domain/run/cell-words.ts'
import { agoText } from '../../ui/format.ts'
import { IdText, VisuallyHidden } from '../../ui/text.tsx'
import { useKeys } from '../../ui/keys.tsx'
import { isRangeEvent, type RowSelection, SelectAllHeading } from '../../ui/row-selection.tsx'
import { StatusMark, StatusShape } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { AssignmentNotes } from './board-work.tsx'
import css from './board.module.css'

/** More than anybody reads at once; the rest is drawn on demand. */
const drawnAtFirst = 50
/** What a screen shows of them; the others follow without holding it up. */
const paintedFirst = 20

/** Packages by scans, each cell with its status and age; an opened cell is shown below its row. */
export const BoardTable = memo(function BoardTable({
  rows,
  scans,
  open,
  onOpen,
  detail,
  selection,
  assignments,
}: {
  rows: readonly BoardRow[]
  /** The names of the columns. */
  scans: readonly string[]
  /** The key of the opened cell. */
  open: string
  onOpen: (key: string) => void
  /** What is shown of the opened cell. */
  detail: (row: BoardRow, cell: RowCell) => ReactNode
  /** The keys are the places of the rows on the board, as text. */
  selection: RowSelection
  /** Who looks after its cells, by their keys. */
  assignments: ReadonlyMap<string, Assignment>
}): ReactElement {
  const table = useRef<HTMLTableElement>(null)
  const [wanted, setWanted] = useState(drawnAtFirst)
  const [drawn, setDrawn] = useState(paintedFirst)
  // A board comes deferred itself: as a deferred value the rest would come in the same frame.
  useEffect(() => {
    startTransition(() => {
      setDrawn(wanted)
    })
  }, [wanted])
  useKeys('Release board', [
    {
      keys: ['j', 'arrowdown'],
      label: 'Next package',
      run: () => {
        move(table.current, 1, 0)
      },
    },
    {
      keys: ['k', 'arrowup'],
      label: 'Previous package',
      run: () => {
        move(table.current, -1, 0)
      },
    },
    {
      keys: ['l', 'arrowright'],
      label: 'Next scan',
      run: () => {
        move(table.current, 0, 1)
      },
    },
    {
      keys: ['h', 'arrowleft'],
      label: 'Previous scan',
      run: () => {
        move(table.current, 0, -1)
      },
    },
    {
      keys: ['x'],
      label: 'Select package',
      run: () => {
        document.activeElement?.closest('tr')?.querySelector<HTMLElement>('[data-select]')?.click()
      },
    },
    ...(open === ''
      ? []
      : [
          {
            keys: ['escape'] as const,
            label: 'Close cell',
            run: () => {
              onOpen('')
            },
          },
        ]),
  ])
  return (
    <WideTable>
      <table ref={table} className={css.table} aria-label="Packages by scans">
        <thead>
          <tr>
            <SelectAllHeading
              selection={selection}
              keys={rows.map(({ row }) => String(row))}
              noun="package"
            />
            <th scope="col">Package</th>
            {scans.map((scan) => (
              <th key={scan} scope="col">
                {scan}
              </th>
            ))}
            <th scope="col">Next step</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, drawn).map((row, index) => {
            const opened = row.cells.find((cell) => cell?.place.key === open && open !== '')
            return (
              <Fragment key={row.row}>
                <Row
                  row={row}
                  scans={scans}
                  index={index}
                  open={opened?.place.key ?? ''}
                  onOpen={onOpen}
                  isSelected={selection.selected.has(String(row.row))}
                  onSelect={selection.toggle}
                  assignments={assignments}
                />
                {opened !== undefined && (
                  <tr className={css.detail}>
                    <td colSpan={scans.length + 3}>{detail(row, opened)}</td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </table>
      {rows.length > wanted && (
        <Button
          variant="default"
          fullWidth
          onClick={() => {
            setWanted(wanted + drawnAtFirst)
          }}
        >
          Show more: {countOf(rows.length - wanted, 'package')} left
        </Button>
      )}
    </WideTable>
  )
})

/** A table that pans where it is wider than the page, and only there: headings stick to the nearest part that scrolls. */
export function WideTable({ children }: { children: ReactNode }): ReactElement {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const of = frame.current
    const table = of?.firstElementChild
    if (of === null || !table) return undefined
    const observer = new ResizeObserver(() => {
      of.toggleAttribute(
        'data-pans',
        Math.floor(table.getBoundingClientRect().width) > of.clientWidth,
      )
    })
    observer.observe(of)
    observer.observe(table)
    return () => {
      observer.disconnect()
    }
  }, [])
  return (
    <div ref={frame} className={css.frame}>
      {children}
    </div>
  )
}

/** A part of a name that is never broken: a longer one has no room on a phone. */
const longestWhole = 32

/** A package as `packageText` has it: its name and its version stay whole, what is before them is smaller. */
export function PackageName({ text }: { text: string }): ReactElement {
  const at = text.lastIndexOf('/') + 1
  const last = text.slice(at)
  const parts = last.length > longestWhole ? last.split(/(?=@)/) : [last]
  return (
    <>
      <Text span inherit fz="xs">
        {text
          .slice(0, at)
          .split(/(?<=\/)/)
          .map((part, index) => (
            <Fragment key={index}>
              {part}
              <wbr />
            </Fragment>
          ))}
      </Text>
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          <span style={{ whiteSpace: part.length > longestWhole ? undefined : 'nowrap' }}>
            {part}
          </span>
        </Fragment>
      ))}
    </>
  )
}

/** Plain where it can be: a screen has hundreds of these parts, and they are drawn as results come in. */
const Row = memo(function Row({
  row,
  scans,
  index,
  open,
  onOpen,
  isSelected,
  onSelect,
  assignments,
}: {
  row: BoardRow
  scans: readonly string[]
  index: number
  open: string
  onOpen: (key: string) => void
  isSelected: boolean
  onSelect: RowSelection['toggle']
  assignments: ReadonlyMap<string, Assignment>
}): ReactElement {
  const { of, verdict, next, cells } = row
  const name = packageText(of.address)
  const label = row.needsRepository ? `${name} (${of.repositoryUrl})` : name
  return (
    <tr data-package={name} data-verdict={verdict}>
      <td className={css.select} data-screen-only>
        <Checkbox
          aria-label={`Select ${label}`}
          data-select={row.row}
          checked={isSelected}
          onChange={(event) => {
            onSelect(String(row.row), isRangeEvent(event))
          }}
        />
      </td>
      <th scope="row">
        <span className={css.package}>
          <StatusMark tone={cellTones[verdict]} word={verdictWords[verdict]} />
          <Link to={packageLink(of.address, of)} className={css.name}>
            <PackageName text={name} />
          </Link>
          <Text span inherit c="dimmed">
            <IdText id={of.sha256} />
            {row.needsRepository && <> {of.repositoryUrl}</>}
          </Text>
        </span>
      </th>
      {scans.map((scan, column) => (
        <td key={scan} data-scan={scan}>
          <ScanCell
            cell={cells[column]}
            label={`${label}, ${scan}`}
            at={`${index} ${column}`}
            open={open}
            onOpen={onOpen}
          />
        </td>
      ))}
      <td className={css.next}>
        {next !== undefined && (
          <>
            {next.policy !== '' && <strong>{next.policy}</strong>} {next.remedy}
            {next.more > 0 && (
              <Text span inherit c="dimmed">
                {' '}
                and {countOf(next.more, 'more policy', 'more policies')}
              </Text>
            )}
          </>
        )}
        <AssignmentNotes cells={cells} assignments={assignments} />
      </td>
    </tr>
  )
})

function ScanCell({
  cell,
  label,
  at,
  open,
  onOpen,
}: {
  cell: RowCell | undefined
  label: string
  at: string
  open: string
  onOpen: (key: string) => void
}): ReactElement {
  if (cell === undefined)
    return (
      <Text span inherit c="dimmed">
        not evaluated
      </Text>
    )
  const { key } = cell.place
  const isOpen = open === key
  return (
    <BoardCellButton
      cell={cell}
      label={label}
      at={at}
      isOpen={isOpen}
      onPress={() => {
        onOpen(isOpen ? '' : key)
      }}
    />
  )
}

/** To a cell beside the one that has the focus, or to the first one. */
function move(table: HTMLTableElement | null, down: number, right: number): void {
  const active = document.activeElement?.closest<HTMLElement>('[data-at]')?.dataset.at
  const [row = 0, column = 0] = (active ?? '0 0').split(' ').map(Number)
  const at = active === undefined ? '0 0' : `${row + down} ${column + right}`
  const found =
    table?.querySelector<HTMLElement>(`[data-at="${at}"]`) ??
    (down === 0 ? undefined : table?.querySelector<HTMLElement>(`[data-at^="${row + down} "]`))
  found?.focus()
}

/** A cell: its status in shape, color and word, its age, and what is being done for it. */
function BoardCellButton({
  cell,
  label,
  at,
  isOpen,
  onPress,
}: {
  cell: RowCell
  /** Package and scan, for those who cannot see the table. */
  label: string
  /** Row and column, for the arrow keys. */
  at: string
  isOpen: boolean
  onPress: () => void
}): ReactElement {
  const { verdict, cell: state, waived, unchecked } = cell
  const { known, doing } = state
  const tone = cellTones[verdict]
  const passing = useDerivedFromNow((now) => passingText(state, now))
  const isFirst = doing.is !== 'idle' && known === undefined
  return (
    <button
      type="button"
      className={css.cell}
      data-at={at}
      data-tone={tone}
      data-verdict={verdict}
      data-doing={doing.is}
      aria-expanded={isOpen}
      onClick={onPress}
    >
      <VisuallyHidden>
        {label}: {verdictWords[verdict]}
        {', '}
      </VisuallyHidden>
      <span className={css.word}>
        <StatusShape tone={doing.is === 'idle' ? tone : 'waiting'} />
        <span>{isFirst ? passing : cellWord(cell)}</span>
      </span>
      <Text span inherit fz="xs" c="dimmed">
        {!isFirst && passing}
        {waived.size > 0 && ` (${waived.size} waived)`}
        {unchecked.length > 0 && ` (${unchecked.length} ${severityWords(unchecked)} not checked)`}
      </Text>
    </button>
  )
}

/** What changes by itself: what is being done for a cell, else how old its result is. */
function passingText(cell: BoardCell, now: number): string {
  const { known, doing } = cell
  if (known === undefined) return doingWords(cell, now)
  const text = doing.is === 'idle' ? agoText(now - known.at) : doingWords(cell, now)
  return now - known.at > staleAfterMs ? `${text} (stale)` : text
}

/** What is being done for a cell, in a word; empty where nothing is. `now` is epoch ms. */
function doingWords({ doing }: BoardCell, now: number): string {
  switch (doing.is) {
    case 'idle':
      return ''
    case 'queued':
      return 'queued'
    case 'asking':
      return 'evaluating'
    case 'reading':
      return 'reading'
    case 'waiting':
      return `retrying in ${Math.max(0, Math.ceil((doing.until - now) / 1000))} s`
  }
}
