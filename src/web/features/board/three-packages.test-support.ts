import { boardRows, emptyCell } from '../../../policy/board-row.ts'
import { type Board, boardPlaces } from '../../../policy/board.ts'

const board: Board = {
  title: 'Release',
  scans: ['release'],
  packages: ['a', 'b', 'c'].map((name) => ({
    address: { type: 'oci', name, version: '1' },
    sha256: 'ab'.repeat(32),
    repositoryUrl: 'registry.example',
    scans: undefined,
  })),
}

/** The cells of a board of the packages a, b and c with one scan. */
export const places = boardPlaces(board)

/** Its rows, nothing of which has been evaluated. */
export const rows = boardRows(board, places, new Map(places.map(({ key }) => [key, emptyCell])), {
  waivers: [],
  now: 0,
})
