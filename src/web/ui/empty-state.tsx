import type { ReactElement, ReactNode } from 'react'
import css from './empty-state.module.css'

/** Where nothing is: says what would appear here and how, and offers the next step. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
}): ReactElement {
  return (
    <div className={css.empty}>
      <p className={css.title}>{title}</p>
      <div className={css.text}>{children}</div>
      {action}
    </div>
  )
}
