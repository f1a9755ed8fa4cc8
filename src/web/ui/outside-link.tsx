import type { ReactElement } from 'react'
import css from './outside-link.module.css'

/** A link out of Sightline, in a tab of its own, with the host that it leads to beside its text. */
export function OutsideLink({
  href,
  host,
  text,
}: {
  href: string
  host: string
  text: string
}): ReactElement {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={css.link}>
      {text}
      {text !== href && <span className={css.host}> ({host})</span>}
      <span aria-hidden="true"> ↗</span>
    </a>
  )
}
