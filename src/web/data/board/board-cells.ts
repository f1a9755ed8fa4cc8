import * as z from 'zod/mini'
import {
  type BoardCell,
  type BoardDoing,
  emptyCell,
  isNotAllowed,
} from '../../../policy/board-row.ts'
import { BoardOutcome, type BoardRunLine } from '../../../protocol/board-run.ts'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import { ProblemDetail } from '../../../protocol/problem.ts'

/** The cells of a board and which of them are still wanted: what changes while a run goes on. */
export interface BoardCells {
  /** A copy, to be shown. */
  readonly all: () => ReadonlyMap<string, BoardCell>
  /** Keys of the cells that are left of the run, in the order in which they were wanted. */
  readonly wanted: () => readonly string[]
  readonly isWanted: (key: string) => boolean
  /** How many cells the run is of, and when it began (epoch ms); undefined before the first run. */
  readonly run: () => { readonly begunAt: number; readonly total: number } | undefined
  /** Adds cells to the run, or begins one where none goes on; those that are new to it come back. */
  readonly want: (keys: readonly string[], now: number) => readonly string[]
  /** What the proxy reported of a cell; of one that is no longer wanted nothing is heard. */
  readonly apply: (key: string, line: CellLine, now: number) => void
  /** A result that was found elsewhere. */
  readonly take: (key: string, at: number, outcome: BoardOutcome) => void
  /**
   * A recorded result: shown unless a newer one is known (their ids sort by when they began), also while the cell waits for another one, as
   * a paused run may wait for days. Whether that changes the cell.
   */
  readonly find: (key: string, at: number, outcome: BoardOutcome) => boolean
  /** Whatever was being done waits for its turn again. */
  readonly queueAll: () => void
  readonly giveUp: () => void
  readonly saved: (isPaused: boolean, now: number) => Pick<SavedBoard, 'cells' | 'run'>
  readonly restore: (saved: Pick<SavedBoard, 'cells' | 'run'>, now: number) => void
}

export type CellLine = Extract<BoardRunLine, { readonly cell: number }>

/** No cell was requested yet; `keys` are all that the board has. */
export function createBoardCells(keys: ReadonlySet<string>): BoardCells {
  const cells = new Map<string, BoardCell>()
  const wanted = new Set<string>()
  let run: { begunAt: number; total: number } | undefined

  function change(key: string, part: Partial<BoardCell>): void {
    cells.set(key, { ...(cells.get(key) ?? emptyCell), ...part })
  }

  /** Somebody else's may have begun later and ended before. */
  function newestOf(key: string, at: number, outcome: BoardOutcome): Known {
    const known = cells.get(key)?.known
    return known !== undefined && isAfter(known, at, outcome) ? known : { at, outcome }
  }

  function finish(key: string, part: Partial<BoardCell>): void {
    wanted.delete(key)
    change(key, { doing: idle, ...part })
  }

  return {
    all: () => new Map(cells),
    wanted: () => [...wanted],
    isWanted: (key) => wanted.has(key),
    run: () => run,
    want: (requested, now) => {
      const fresh = [...new Set(requested)].filter((key) => keys.has(key) && !wanted.has(key))
      if (wanted.size === 0 || run === undefined) run = { begunAt: now, total: 0 }
      run = { ...run, total: run.total + fresh.length }
      for (const key of fresh) {
        wanted.add(key)
        change(key, { doing: queued })
      }
      return fresh
    },
    apply: (key, line, now) => {
      if (!wanted.has(key)) return
      switch (line.is) {
        case 'done':
          finish(key, { known: newestOf(key, now, line.outcome), fault: undefined })
          break
        case 'refused':
        case 'broken':
          // What somebody may not evaluate is as it was.
          finish(
            key,
            isNotAllowed(line) && cells.get(key)?.known !== undefined
              ? {}
              : { fault: { is: line.is, at: now, problem: line.problem } },
          )
          break
        case 'waiting':
          change(key, { doing: { is: 'waiting', until: now + line.forMs, reason: line.reason } })
          break
        case 'asking':
        case 'reading':
          change(key, { doing: { is: line.is } })
          break
      }
    },
    take: (key, at, outcome) => {
      finish(key, { known: newestOf(key, at, outcome), fault: undefined })
    },
    find: (key, at, outcome) => {
      const { known, fault } = cells.get(key) ?? emptyCell
      const isSame = known?.outcome.evaluation === outcome.evaluation
      // Of two at the same time the server's is the truth for everybody.
      if (!isSame && known !== undefined && isAfter(known, at, outcome)) return false
      if ((fault?.at ?? 0) > at) return false
      if (isSame && fault === undefined && !saysMore(outcome, known.outcome)) return false
      change(key, { known: { at: isSame ? known.at : at, outcome }, fault: undefined })
      return true
    },
    queueAll: () => {
      for (const key of wanted) change(key, { doing: queued })
    },
    giveUp: () => {
      for (const key of wanted) change(key, { doing: idle })
      wanted.clear()
    },
    saved: (isPaused, now) => ({
      cells: Object.fromEntries(
        [...cells].flatMap(([key, { known, fault }]) =>
          fault === undefined &&
          (known === undefined || (wanted.size === 0 && isRecorded(known, now)))
            ? []
            : [[key, { known, fault }]],
        ),
      ),
      run:
        run === undefined || wanted.size === 0 ? null : { ...run, wanted: [...wanted], isPaused },
    }),
    restore: (saved, now) => {
      const before = new Map(cells)
      cells.clear()
      wanted.clear()
      for (const [key, { known, fault }] of Object.entries(saved.cells)) {
        // Of a package that is no longer on the board.
        if (!keys.has(key)) continue
        const isOld = saved.run === null && known !== undefined && isRecorded(known, now)
        cells.set(key, { doing: idle, known: isOld ? undefined : known, fault })
      }
      // What was found in the history is not on the device.
      for (const [key, { known }] of before) {
        const kept = cells.get(key)
        if (known === undefined || (kept?.fault?.at ?? 0) >= known.at) continue
        if (kept?.known === undefined || isAfter(known, kept.known.at, kept.known.outcome)) {
          cells.set(key, { doing: idle, known, fault: undefined })
        }
      }
      const { begunAt, total } = saved.run ?? {}
      if (begunAt === undefined || total === undefined) return
      run = { begunAt, total }
      for (const key of saved.run?.wanted ?? []) {
        if (!keys.has(key)) continue
        wanted.add(key)
        change(key, { doing: queued })
      }
    },
  }
}

/** Whether what is known began after another outcome; where it wasn't recorded, whether it ended after it. */
function isAfter({ at, outcome }: Known, otherAt: number, other: BoardOutcome): boolean {
  return outcome.evaluation === null || other.evaluation === null
    ? at > otherAt
    : outcome.evaluation > other.evaluation
}

type Known = NonNullable<BoardCell['known']>

/** Once a run is over, what the server recorded of it is read from there, by everybody. */
function isRecorded({ at, outcome }: Known, now: number): boolean {
  return outcome.evaluation !== null && now - at > recordedWithinMs
}

/** The server writes the results of a large board a little after it has sent them. */
const recordedWithinMs = 60_000

/** Whether what was recorded of a run says more than what is known of it: a remedy, or who ran it. */
function saysMore(recorded: BoardOutcome, known: BoardOutcome): boolean {
  const hasRemedy = ({ failing }: BoardOutcome): boolean =>
    failing.some(({ remedy }) => remedy !== '')
  if (recorded.before?.length !== known.before?.length) return true
  return !hasRemedy(known) && (hasRemedy(recorded) || known.by === undefined)
}

const idle: BoardDoing = { is: 'idle' }
const queued: BoardDoing = { is: 'queued' }

const SavedCell = z.object({
  known: z.optional(z.object({ at: z.number(), outcome: BoardOutcome })),
  fault: z.optional(
    z.object({ is: z.enum(['refused', 'broken']), at: z.number(), problem: ProblemDetail }),
  ),
})

const SavedBoard = z.object({
  version: z.literal(1),
  /** By the key of their place. */
  cells: z.readonly(z.record(z.string(), SavedCell)),
  /** The run that is not over; null where none is. Times are epoch ms by the server's clock. */
  run: z.nullable(
    z.object({
      begunAt: z.number(),
      total: z.number(),
      /** Keys of the cells that are left. */
      wanted: z.readonly(z.array(z.string())),
      isPaused: z.boolean(),
    }),
  ),
  mostInFlight: z.int().check(z.minimum(1), z.maximum(64)),
})
type SavedBoard = z.infer<typeof SavedBoard>

/** The part of localStorage that is used. */
export type BoardStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** What a device keeps of boards; a browser that keeps nothing is no fault. */
export interface BoardStorage {
  readonly read: (board: string) => SavedBoard | undefined
  readonly write: (board: string, saved: SavedBoard) => boolean
  /** The name of what is written, by which other tabs hear of it. */
  readonly keyOf: (board: string) => string
}

const prefix = 'sightline.board.'
const listKey = 'sightline.boards'
/** Results of so many boards are kept; the one written longest ago goes first. */
const mostBoards = 12

/** Boards on `storage`, or nowhere (undefined). */
export function createBoardStorage(storage: BoardStore | undefined): BoardStorage {
  const keyOf = (board: string): string => `${prefix}${board}`

  function list(): readonly string[] {
    const read = z.array(z.string()).safeParse(parsedJson(storage?.getItem(listKey) ?? ''))
    return read.success ? read.data : []
  }

  function touch(board: string): void {
    const boards = list()
    if (boards[0] === board) return
    const kept = [board, ...boards.filter((other) => other !== board)]
    for (const old of kept.slice(mostBoards)) storage?.removeItem(keyOf(old))
    storage?.setItem(listKey, JSON.stringify(kept.slice(0, mostBoards)))
  }

  return {
    keyOf,
    read: (board) => {
      try {
        return SavedBoard.safeParse(parsedJson(storage?.getItem(keyOf(board)) ?? '')).data
      } catch {
        // Blocked: as if nothing was kept.
        return undefined
      }
    },
    write: (board, saved) => {
      if (storage === undefined) return false
      try {
        touch(board)
        storage.setItem(keyOf(board), JSON.stringify(saved))
        return true
      } catch {
        return false
      }
    },
  }
}
