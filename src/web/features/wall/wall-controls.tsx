import type { ReactElement } from 'react'
import { Link } from 'react-router'
import css from './wall-controls.module.css'
import type { WallPanel } from './wall-panels.tsx'

const panels = [
  ['edit', 'Edit tiles'],
  ['settings', 'How it is shown'],
  ['share', 'Share'],
  ['screens', 'Screens'],
  ['keys', 'Keys'],
] as const

/** The buttons of a wall, which nobody sees while nobody touches the screen. */
export function WallControls({
  isHidden,
  onOpen,
}: {
  isHidden: boolean
  onOpen: (panel: WallPanel) => void
}): ReactElement {
  return (
    <nav className={css.controls} data-hidden={isHidden || undefined} aria-label="Wall">
      {panels.map(([panel, label]) => (
        <button
          key={panel}
          type="button"
          onClick={() => {
            onOpen(panel)
          }}
        >
          {label}
        </button>
      ))}
      <Link to="/">Leave</Link>
    </nav>
  )
}
