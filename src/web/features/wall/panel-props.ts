import type { Wall } from '../../../protocol/wall.ts'
import type { WallChoice } from './wall-choice.ts'
import type { PlacedTile } from './wall-set.ts'

/** What every panel is given. */
export interface PanelProps {
  /** The wall that is shown, and its name; '' is the wall of all projects. */
  readonly name: string
  readonly wall: Wall
  /** The one that was opened: with others it takes turns with, it may be another. */
  readonly home: Wall
  readonly choice: WallChoice
  /** The tiles that are shown at this moment. */
  readonly placed: readonly PlacedTile[]
  readonly onClose: () => void
}
