import type { ReactElement, ReactNode } from 'react'
import { shortenMiddle } from './format.ts'
import css from './text.module.css'

/** For screen readers only. Plain, as hundreds of them are made each second in a busy list. */
export function VisuallyHidden({
  as: Element = 'span',
  id,
  children,
}: {
  as?: 'span' | 'div' | 'h1'
  /** For what it describes. */
  id?: string
  children: ReactNode
}): ReactElement {
  return (
    <Element id={id} className={css.unseen}>
      {children}
    </Element>
  )
}

/** An id shortened in the middle; whole in the tooltip and for screen readers. */
export function IdText({ id }: { id: string }): ReactElement {
  return (
    <span className={css.id} title={id}>
      <span aria-hidden="true">{shortenMiddle(id)}</span>
      <VisuallyHidden>{id}</VisuallyHidden>
    </span>
  )
}
