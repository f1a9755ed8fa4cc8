import type { ReactElement, ReactNode } from 'react'
import { safeLink } from '../../../attestation/safe-link.ts'
import { OutsideLink } from '../../ui/outside-link.tsx'

/**
 * A link that an attestation names; anything but a plain http(s) address stays text, as envelopes are
 * written by strangers.
 */
export function StrangerLink({
  address,
  children,
}: {
  address: string
  children: ReactNode
}): ReactElement {
  const link = safeLink(address)
  return link === undefined ? <>{children}</> : <OutsideLink {...link} text={children} />
}
