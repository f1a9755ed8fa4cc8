import type { ReactElement } from 'react'
import css from './menu-popover.module.css'

/** The sign of a button that opens something; apart from what opens, as the first paint has it alone. */
export function MenuCaret(): ReactElement {
  return <span className={css.caret} aria-hidden="true" />
}
