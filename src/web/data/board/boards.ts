import { type BoardRunOptions, createBoardRun, type HearingBoardRun } from './create-board-run.ts'
import type { BoardRun } from './board-run.ts'
import type { PolicyScanQuestion } from '../scans/policy-scan.ts'

/** The boards of this tab. */
export interface Boards {
  /**
   * The run of a board, by its name on this device: the one from before, so that it goes on while
   * other pages are looked at. `questions` are its cells by the key of their place.
   */
  readonly open: (board: string, questions: ReadonlyMap<string, PolicyScanQuestion>) => BoardRun
  /** Another tab wrote under this key. */
  readonly hear: (key: string | null) => void
  /** The page is about to go. */
  readonly save: () => void
}

/** No board was opened yet. */
export function createBoards(options: BoardRunOptions): Boards {
  const runs = new Map<string, { readonly run: HearingBoardRun; readonly cells: string }>()
  return {
    open: (board, questions) => {
      const cells = [...questions.keys()].join(' ')
      const before = runs.get(board)
      if (before?.cells === cells) return before.run
      before?.run.save()
      const run = createBoardRun(board, questions, options)
      runs.set(board, { run, cells })
      return run
    },
    hear: (key) => {
      for (const [board, { run }] of runs) {
        if (key === options.storage.keyOf(board)) run.hear()
      }
    },
    save: () => {
      for (const { run } of runs.values()) run.save()
    },
  }
}
