import type { ReactElement, ReactNode } from 'react'
import css from './unseen.module.css'

/** For screen readers only. Plain, as hundreds of them are made each second in a busy list. */
export function Unseen({
  as: Element = 'span',
  children,
}: {
  as?: 'span' | 'div' | 'h1'
  children: ReactNode
}): ReactElement {
  return <Element className={css.unseen}>{children}</Element>
}
