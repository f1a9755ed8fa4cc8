import type { ReactElement, ReactNode } from 'react'
import { safeLink } from '../../../attestation/safe-link.ts'
import css from './outside-link.module.css'

/**
 * A link that an attestation names, with the host it leads to beside it; anything but a plain http(s)
 * address stays text, as envelopes are written by strangers.
 */
export function OutsideLink({
  address,
  children,
}: {
  address: string
  children: ReactNode
}): ReactElement {
  const link = safeLink(address)
  if (link === undefined) return <>{children}</>
  return (
    <a className={css.link} href={link.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
      <span className={css.host}>{`↗ ${link.host}`}</span>
    </a>
  )
}
