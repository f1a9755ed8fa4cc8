import type { ReactElement, ReactNode } from 'react'
import css from './page.module.css'

/** Where nothing is: says what would appear here and how, and offers the next step. */
export function EmptyState({
  title,
  heading: Heading = 'h2',
  children,
  action,
}: {
  title: string
  /** `h1` where it stands in place of a whole page. */
  heading?: 'h1' | 'h2'
  children?: ReactNode
  action?: ReactNode
}): ReactElement {
  return (
    <div className={css.empty}>
      <Heading className={css.emptyStateTitle}>{title}</Heading>
      <div className={css.text}>{children}</div>
      {action}
    </div>
  )
}

/** A term and what is known of it, for a `<dl>`; nothing where nothing is known. */
export function Fact({
  name,
  children,
}: {
  name: string
  children: ReactNode
}): ReactElement | null {
  if (children === undefined || children === null || children === false || children === '') {
    return null
  }
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
