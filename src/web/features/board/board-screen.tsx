import { Group, Skeleton } from '@mantine/core'
import {
  memo,
  type ReactElement,
  type ReactNode,
  useCallback,
  useDeferredValue,
  useMemo,
  useState,
} from 'react'
import * as z from 'zod/mini'
import {
  type BoardCell,
  type BoardRow,
  createBoardRows,
  type RowCell,
  worstRowsFirst,
} from '../../../policy/board-row.ts'
import { type Board, type BoardPlace, boardPlaces } from '../../../policy/board.ts'
import { decidedText } from '../../../policy/decision.ts'
import {
  type BoardFailure,
  boardFailures,
  type FailureGroup,
  isFailureOf,
} from '../../../policy/board-failures.ts'
import { boardText } from '../../../policy/board-sentence.ts'
import { lastDue, useAssignments } from '../../data/board/assignments.ts'
import type { BoardRun, BoardSnapshot } from '../../data/board/board-run.ts'
import { RetryFailed } from '../../data/core/queries.tsx'
import { useSearchState } from '../../data/core/search-state.ts'
import { usePageServices, useServices, useSessionUser } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { useDecisions } from '../../data/release/decisions.ts'
import { WaiverWish } from '../../domain/waiver/waiver-wish.ts'
import { WaiverNotice } from '../../domain/waiver/waiver-mark.tsx'
import { boardQuestions, useBoardWaivers } from '../../domain/run/recorded-rows.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { lazyPart, lazyPopup } from '../../ui/lazy-part.tsx'
import { Notice } from '../../ui/notice.tsx'
import pageCss from '../../ui/page.module.css'
import { ClearFilters } from '../../ui/folded-filters.tsx'
import { EmptyState } from '../../ui/page.tsx'
import { RetryNotice } from '../../ui/problem.tsx'
import { useRowSelection } from '../../ui/row-selection.tsx'
import { useDerivedFromNow, useTicker } from '../../ui/time.tsx'
import { AssignDialog, assignedRows, BoardWork, FailureActions } from './board-work.tsx'
import { BoardAsOf, BoardDryRun, BoardWhatIf, useBoardAsOf } from './board-what-if.tsx'
import { BoardCauses } from './board-causes.tsx'
import { BoardDecision, BoardHeadline } from './board-headline.tsx'
import { boardAddress, BoardFilters, nothingFiltered, shownRows } from './board-filters.tsx'
import { HandOverDialog } from './board-hand-over.tsx'
import { BoardPaper } from './board-paper.tsx'
import { BoardTable } from './board-table.tsx'
import { BoardTools } from './board-tools.tsx'
import { BoardWaiverNotes } from './board-waivers.tsx'
import css from './board.module.css'
import { CellDetail } from './cell-detail.tsx'
import { useKnownHere } from './pasted-board.tsx'

const WaiverDialog = lazyPopup(
  async () => (await import('../../domain/waiver/waiver-dialog.tsx')).WaiverDialog,
)

/** Decodes and verifies: loaded when somebody looks at it. */
const BoardEvidenceView = lazyPart(
  async () => (await import('./board-evidence.tsx')).BoardEvidenceView,
  { waiting: () => <p role="status">Loading…</p> },
)

/** A board: its answer, how far it has come, its matrix, and which policy fails where. */
export function BoardScreen({
  id,
  board,
  children,
}: {
  /** What its results are kept under on this device. */
  id: string
  board: Board
  /** What is to be said of where the board comes from. */
  children?: ReactNode
}): ReactElement {
  const places = useMemo(() => boardPlaces(board), [board])
  const questions = useMemo(() => boardQuestions(board, places), [board, places])
  const { boards } = usePageServices()
  const run = useMemo(() => boards.open(id, questions), [boards, id, questions])
  // A large board takes long to draw: what is typed and clicked meanwhile comes first.
  const snapshot = useDeferredValue(useStore(run))
  return (
    <BoardContent
      id={id}
      board={board}
      places={places}
      run={run}
      snapshot={snapshot}
      notes={children}
    />
  )
}

/** Whether nothing is known of a package yet, neither a result nor why there is none. */
function isEmpty({ cells }: BoardRow): boolean {
  return cells.every(
    (one) => one === undefined || (one.cell.known === undefined && one.cell.fault === undefined),
  )
}

/** Drawn anew only when something of it has changed. */
const BoardContent = memo(function BoardContent({
  id,
  board,
  places,
  run,
  snapshot,
  notes,
}: {
  id: string
  board: Board
  places: readonly BoardPlace[]
  run: BoardRun
  snapshot: BoardSnapshot
  notes: ReactNode
}): ReactElement {
  const [address, change] = useSearchState(boardAddress)
  const waivers = useDeferredValue(useBoardWaivers(board))
  const assignments = useDeferredValue(useAssignments(id))
  const user = useSessionUser()?.name ?? ''
  const { proxyNow } = useServices().session
  const due = useDerivedFromNow(() => lastDue(assignments, proxyNow()))
  const [assigning, setAssigning] = useDraftState(
    'assign.cells',
    z.optional(z.array(z.string())),
    undefined,
  )
  const [handedOver, setHandedOver] = useState<readonly BoardFailure[]>()
  const ticker = useTicker()
  const [wish, setWish] = useDraftState('waiver.wish', z.optional(WaiverWish), undefined)
  const makeRows = useMemo(() => createBoardRows(board, places), [board, places])
  const rows = useMemo(() => makeRows(snapshot.cells, waivers), [makeRows, snapshot.cells, waivers])
  // The sentence names the first of the worst: exports say the same one.
  const worstFirst = useMemo(() => worstRowsFirst(rows), [rows])
  const shown = useMemo(
    () =>
      assignedRows(shownRows(rows, address), assignments.of, {
        // Of what isn't known nothing is left out.
        assigned: assignments.isKnown ? address.assigned : '',
        user,
        now: due,
      }),
    [rows, address, assignments, user, due],
  )
  const order = useMemo(() => shown.map(({ row }) => String(row)), [shown])
  const selection = useRowSelection(order)
  const columns = useMemo(
    () => (address.scan === '' ? board.scans : [address.scan]),
    [board, address.scan],
  )
  const narrowed = useMemo(
    () => withColumn(shown, board.scans, address.scan),
    [shown, board, address.scan],
  )
  const { selected, clear } = selection
  const failures = useMemo(
    () =>
      boardFailures(
        selected.size === 0 ? narrowed : narrowed.filter(({ row }) => selected.has(String(row))),
      ).filter((failure) => isFailureOf(failure, address)),
    [narrowed, selected, address],
  )
  const newest = useDecisions({ is: 'board', board: id }).data?.[0]
  const decision = newest && decidedText(newest, board.title)
  const onDay = useBoardAsOf(rows, waivers, address.asOf)
  const open = useCallback(
    (key: string) => {
      change({ open: key }, true)
    },
    [change],
  )
  const causeActions = useCallback(
    ({ title, lines }: FailureGroup) => (
      <FailureActions
        failures={[...new Set(lines.flatMap((line) => line.failures))]}
        name={title}
        size="compact-sm"
        waivers={waivers.list}
        onWish={setWish}
        onAssign={setAssigning}
        onHandOver={setHandedOver}
      />
    ),
    [waivers.list, setWish, setAssigning],
  )
  const report = useCallback(
    () => ({
      title: board.title,
      scans: board.scans,
      rows: worstFirst,
      writtenAt: ticker.now(),
      origin: location.origin,
      decision,
      asOf: onDay.text,
    }),
    [board, worstFirst, ticker, decision, onDay.text],
  )
  const tools = useMemo(
    () => (
      <BoardTools
        run={run}
        snapshot={snapshot}
        places={places}
        packages={board.packages}
        report={report}
      />
    ),
    [run, snapshot, places, board, report],
  )
  const detail = useCallback(
    (row: BoardRow, cell: RowCell) => (
      <CellDetail
        row={row}
        cell={cell}
        onRetry={() => {
          run.evaluate([cell.place.key])
        }}
        onWish={setWish}
      />
    ),
    [run, setWish],
  )
  const headline = (
    <>
      <BoardHeadline
        title={board.title}
        rows={worstFirst}
        scans={board.scans.length}
        snapshot={snapshot}
        isLoadingWaivers={waivers.list === undefined && waivers.fault === undefined}
        actions={rows.length > 0 && tools}
      />
      <WaiverNotice
        fault={waivers.fault}
        isKnown={waivers.list !== undefined}
        onRetry={waivers.retry}
      />
      {assignments.fault !== undefined && (
        <RetryNotice
          sentence={`${assignments.isKnown ? "Can't refresh assignments. They may have changed" : "Can't load assignments, so none are shown and the Assigned filter is off"}: ${assignments.fault}`}
          onRetry={assignments.retry}
        />
      )}
      {snapshot.state.is === 'stopped' && (
        <RetryFailed fault={snapshot.state.problem} of={snapshot.state} retry={run.resume} />
      )}
      {snapshot.lookUpFault !== undefined && (
        <>
          <RetryFailed fault={snapshot.lookUpFault} of={run} retry={run.lookUpAgain} />
          <RetryNotice
            sentence={`Recorded results can't be loaded, so newer ones may be missing. ${snapshot.lookUpFault.sentence}`}
            onRetry={run.lookUpAgain}
          />
        </>
      )}
      {notes}
    </>
  )
  // What isn't known is not shown as never evaluated.
  if (snapshot.lookUpFault !== undefined && rows.every(isEmpty)) {
    return <div className={pageCss.page}>{headline}</div>
  }
  // Nor is what is still loading, and results that come a moment later would push all of it down.
  const isFilterWaiting =
    address.assigned !== '' && !assignments.isKnown && assignments.fault === undefined
  const isLoading = snapshot.isLookingUp && rows.some(({ verdict }) => verdict === 'open')
  if (isLoading || isFilterWaiting) {
    return (
      <div className={pageCss.page}>
        {headline}
        <Skeleton height="60vh" />
      </div>
    )
  }
  if (rows.length === 0) {
    return (
      <div className={pageCss.page}>
        {headline}
        <EmptyState title="No packages to evaluate.">
          <p>
            Edit the list: each line needs a package URL, its SHA-256 digest and its repository.
          </p>
        </EmptyState>
      </div>
    )
  }
  return (
    <div className={pageCss.page}>
      {headline}
      <Group align="normal" gap={8} className={css.notices}>
        <BoardDecision
          board={id}
          title={board.title}
          rows={rows}
          areWaiversKnown={waivers.list !== undefined}
          areRunsKnown={snapshot.lookUpFault === undefined}
        />
        <BoardWaiverNotes rows={rows} waivers={waivers.waivers} now={ticker.now()} />
      </Group>
      <UnknownScans places={places} cells={snapshot.cells} />
      <BoardCauses rows={rows} address={address} onChange={change} actions={causeActions} />
      <Group gap="8px 12px" className={css.controls}>
        <BoardFilters
          address={address}
          scans={board.scans}
          shown={shown.length}
          all={rows.length}
          onChange={change}
        >
          <BoardWhatIf scans={board.scans} address={address} onDay={onDay} onChange={change} />
        </BoardFilters>
        <BoardDryRun rows={shown} scans={board.scans} address={address} />
        <BoardAsOf of={onDay} waivers={waivers} onWish={setWish} />
        <BoardWork
          selected={selected.size}
          failures={failures}
          waivers={waivers.list}
          onWish={setWish}
          onAssign={setAssigning}
          onHandOver={setHandedOver}
          onClear={clear}
        />
      </Group>
      {shown.length === 0 ? (
        <EmptyState
          title="No packages match."
          action={
            <ClearFilters
              onClear={() => {
                change(nothingFiltered)
              }}
            />
          }
        />
      ) : address.view === 'evidence' ? (
        <BoardEvidenceView rows={shown} />
      ) : (
        <BoardTable
          rows={narrowed}
          scans={columns}
          open={address.open}
          onOpen={open}
          selection={selection}
          assignments={assignments.of}
          detail={detail}
        />
      )}
      {assigning !== undefined && (
        <AssignDialog
          board={id}
          places={places.filter(({ key }) => assigning.includes(key))}
          assignments={assignments.of}
          onClose={() => {
            setAssigning(undefined)
          }}
        />
      )}
      {handedOver !== undefined && (
        <HandOverDialog
          board={id}
          failures={handedOver}
          by={address.by}
          now={ticker.serverNow()}
          hasAssignments={assignments.isKnown}
          frame={{
            title: board.title,
            sentence: boardText(worstFirst),
            assignments: assignments.of,
            origin: location.origin,
            boardPath: `${location.pathname}${location.search}`,
          }}
          onClose={() => {
            setHandedOver(undefined)
          }}
        />
      )}
      <BoardPaper title={board.title} rows={worstFirst} decision={decision} asOf={onDay.text} />
      {wish !== undefined && (
        <WaiverDialog
          wish={wish}
          onClose={() => {
            setWish(undefined)
          }}
        />
      )}
    </div>
  )
})

function withColumn(
  rows: ReturnType<typeof shownRows>,
  scans: readonly string[],
  scan: string,
): ReturnType<typeof shownRows> {
  if (scan === '') return rows
  const column = scans.indexOf(scan)
  return rows.map((row) => ({ ...row, cells: [row.cells[column]] }))
}

/** Which scans the service does not have, and which names worked here before. */
const UnknownScans = memo(function UnknownScans({
  places,
  cells,
}: {
  places: readonly BoardPlace[]
  cells: ReadonlyMap<string, BoardCell>
}): ReactElement | null {
  const { scans } = useKnownHere()
  const unknown = new Set<string>()
  const worked = new Set<string>()
  for (const { key, scan } of places) {
    const cell = cells.get(key)
    if (cell?.fault?.problem.status === 404) unknown.add(scan)
    if (cell?.known !== undefined) worked.add(scan)
  }
  const missing = [...unknown].filter((scan) => !worked.has(scan))
  if (missing.length === 0) return null
  const names = [...new Set([...worked, ...scans])].filter((scan) => !unknown.has(scan)).slice(0, 8)
  return (
    <Notice role="alert" tone="bad">
      Policy scan not found: {missing.map((scan) => `“${scan}”`).join(', ')}.{' '}
      {names.length === 0
        ? 'Ask the policy administrator for the right name.'
        : `Known policy scans: ${names.join(', ')}.`}
    </Notice>
  )
})
