import type { Wall } from '../../../protocol/wall.ts'
import type { WallChoice } from './wall-choice.ts'
import type { PlacedTile } from './wall-set.ts'

/** What every panel is given. */
export interface PanelProps {
  readonly name: string
  readonly wall: Wall
  readonly choice: WallChoice
  /** The tiles that are shown at this moment. */
  readonly placed: readonly PlacedTile[]
  readonly onClose: () => void
}
