import { createContext, useContext, useSyncExternalStore } from 'react'
import type { BoardRun, BoardSnapshot } from './board-run.ts'
import type { Boards } from './boards.ts'

/** The boards that the entry (web/app) made. */
export const BoardsContext = createContext<Boards | undefined>(undefined)

/** The boards of this tab. Throws an Error outside a BoardsContext. */
export function useBoards(): Boards {
  const boards = useContext(BoardsContext)
  if (boards === undefined) throw new Error('useBoards needs a BoardsContext above it')
  return boards
}

/** How a board stands; a run that was left half way goes on, and this renders again as it does. */
export function useBoardSnapshot(run: BoardRun): BoardSnapshot {
  return useSyncExternalStore(run.subscribe, run.getSnapshot)
}
