import type { ReactElement, ReactNode } from 'react'
import css from './outside-link.module.css'

/**
 * A link out of Sightline, in a tab of its own, with the host that it leads to beside its text: such
 * addresses and texts are often written by strangers.
 */
export function OutsideLink({
  href,
  host,
  text,
}: {
  href: string
  host: string
  text: ReactNode
}): ReactElement {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className={css.link}>
      {text}
      <span className={css.host}>{`↗ ${host}`}</span>
    </a>
  )
}
