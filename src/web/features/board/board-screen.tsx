import { useQueries } from '@tanstack/react-query'
import { lazy, type ReactElement, type ReactNode, Suspense, useMemo } from 'react'
import * as z from 'zod/mini'
import { type BoardCell, boardRows, worstRowsFirst } from '../../../policy/board-row.ts'
import { type Board, type BoardPlace, boardPlaces } from '../../../policy/board.ts'
import { lastExpiry } from '../../../policy/waived-verdict.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import { usePageServices, useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { waiversQuery } from '../../data/scans/waivers.ts'
import { WaiverDialog, WaiverWish } from '../../domain/waiver/waiver-dialog.tsx'
import { useDraftState } from '../../ui/drafts.ts'
import { Notice } from '../../ui/notice.tsx'
import pageCss from '../../ui/page.module.css'
import { EmptyState } from '../../ui/page.tsx'
import { useDerivedFromNow, useTicker } from '../../ui/time.tsx'
import { BoardCauses } from './board-causes.tsx'
import { boardAddress, type BoardAddress, BoardFilters, shownRows } from './board-filters.tsx'
import { BoardHeadline } from './board-headline.tsx'
import './board-print.css'
import { BoardTable } from './board-table.tsx'
import { BoardTools } from './board-tools.tsx'
import { CellDetail } from './cell-detail.tsx'
import { useKnownHere } from './pasted-board.ts'

/** Decodes and verifies: loaded when somebody looks at it. */
const BoardEvidenceView = lazy(async () => ({
  default: (await import('./board-evidence.tsx')).BoardEvidenceView,
}))

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
  const questions = useMemo(
    () =>
      new Map(
        places.flatMap(({ key, row, scan }) => {
          const one = board.packages[row]
          if (one === undefined) return []
          const { address, sha256, repositoryUrl } = one
          return [[key, { address, sha256, repositoryUrl, scan }] as const]
        }),
      ),
    [places, board],
  )
  const run = usePageServices().boards.open(id, questions)
  const snapshot = useStore(run)
  const [address, changeAddress] = useSearchState(boardAddress)
  const waivers = useWaivers(board, places, snapshot.cells)
  const ticker = useTicker()
  const [wish, setWish] = useDraftState('waiver.wish', z.optional(WaiverWish), undefined)
  const rows = useMemo(
    () => boardRows(board, places, snapshot.cells, waivers),
    [board, places, snapshot.cells, waivers],
  )
  // The sentence names the first of the worst: exports say the same one.
  const worstFirst = useMemo(() => worstRowsFirst(rows), [rows])
  const shown = useMemo(() => shownRows(rows, address), [rows, address])
  const columns = address.scan === '' ? board.scans : [address.scan]
  const narrowed = useMemo(
    () => withColumn(shown, board.scans, address.scan),
    [shown, board, address.scan],
  )
  const change = (part: Partial<BoardAddress>): void => {
    changeAddress(part, true)
  }
  const open = (key: string): void => {
    change({ open: key })
  }
  return (
    <div className={pageCss.page}>
      <BoardHeadline
        title={board.title}
        rows={worstFirst}
        scans={board.scans.length}
        snapshot={snapshot}
        actions={
          <BoardTools
            run={run}
            snapshot={snapshot}
            places={places}
            report={() => ({
              title: board.title,
              scans: board.scans,
              rows: worstFirst,
              writtenAt: ticker.now(),
              origin: location.origin,
            })}
          />
        }
      />
      {children}
      <UnknownScans places={places} cells={snapshot.cells} />
      <BoardCauses rows={rows} address={address} onChange={change} />
      <BoardFilters
        address={address}
        scans={board.scans}
        shown={shown.length}
        all={rows.length}
        onChange={change}
      />
      {shown.length === 0 ? (
        <EmptyState title={rows.length === 0 ? 'No packages to evaluate' : 'No packages match'}>
          <p>
            {rows.length === 0
              ? 'None of the lines is a package that can be evaluated.'
              : 'Remove a filter to see more packages.'}
          </p>
        </EmptyState>
      ) : address.view === 'evidence' ? (
        <Suspense fallback={<p role="status">Loading…</p>}>
          <BoardEvidenceView rows={shown} />
        </Suspense>
      ) : (
        <BoardTable
          rows={narrowed}
          scans={columns}
          open={address.open}
          onOpen={open}
          detail={(row, cell) => (
            <CellDetail
              row={row}
              cell={cell}
              onRetry={() => {
                run.evaluate([cell.place.key])
              }}
              onWish={setWish}
            />
          )}
        />
      )}
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
}

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
function UnknownScans({
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
}

/** A board is looked at for long, and has many packages: requested anew so seldom, ms. */
const refreshMs = 300_000

/** Waivers, and the moment at which they are to be counted. */
export interface BoardWaivers {
  readonly waivers: readonly Waiver[]
  /**
   * When the last of them expired that have, epoch ms by the clock of the proxy: until the next one
   * does, what counts then counts now.
   */
  readonly now: number
}

/** The waivers of the packages that fail; only those can count. One that expires is gone by itself. */
function useWaivers(
  { packages }: Board,
  places: readonly BoardPlace[],
  cells: ReadonlyMap<string, BoardCell>,
): BoardWaivers {
  const { request } = useServices()
  const { proxyNow } = useServices().session
  const rows = new Set(
    places
      .filter(({ key }) => cells.get(key)?.known?.outcome.verdict === 'not-releasable')
      .map(({ row }) => row),
  )
  const paths = [...rows].flatMap((row) => {
    const one = packages[row]
    return one === undefined ? [] : [packagePath(one.address)]
  })
  const lists = useQueries({
    queries: [...new Set(paths)].map((path) => ({
      ...waiversQuery(request, path),
      staleTime: refreshMs,
      refetchInterval: refreshMs,
      retry: false,
    })),
    combine: combined,
  })
  const waivers = useMemo(() => lists.flat(), [lists])
  const now = useDerivedFromNow(() => lastExpiry(waivers, proxyNow()))
  return useMemo(() => ({ waivers, now }), [waivers, now])
}

function combined(
  results: readonly { readonly data: { readonly waivers: readonly Waiver[] } | undefined }[],
) {
  return results.map(({ data }) => data?.waivers ?? [])
}
