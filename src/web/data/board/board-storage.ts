import { z } from 'zod'
import { BoardOutcome } from '../../../protocol/board-run.ts'
import { ProblemDetail } from '../../../protocol/problem.ts'

const SavedCell = z.object({
  known: z.object({ at: z.number(), outcome: BoardOutcome }).optional(),
  fault: z
    .object({ is: z.enum(['refused', 'broken']), at: z.number(), problem: ProblemDetail })
    .optional(),
})

/** What this device keeps of a board. */
const SavedBoard = z.object({
  version: z.literal(1),
  /** By the key of their place. */
  cells: z.record(z.string(), SavedCell).readonly(),
  /** The run that is not over; null where none is. Times are epoch ms by this browser's clock. */
  run: z
    .object({
      begunAt: z.number(),
      total: z.number(),
      /** Keys of the cells that are left. */
      wanted: z.array(z.string()).readonly(),
      isPaused: z.boolean(),
    })
    .nullable(),
  mostInFlight: z.number().int().min(1).max(64),
})
export type SavedBoard = z.infer<typeof SavedBoard>

/** The part of localStorage that is used. */
export type BoardStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** What a device keeps of boards; a browser that keeps nothing is no fault. */
export interface BoardStorage {
  readonly read: (board: string) => SavedBoard | undefined
  /** Whether it could be written. */
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
    const read = z.array(z.string()).safeParse(parsed(storage?.getItem(listKey)))
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
        return SavedBoard.safeParse(parsed(storage?.getItem(keyOf(board)))).data
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

function parsed(text: string | null | undefined): unknown {
  try {
    return text === null || text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
