import type { ReactElement } from 'react'
import { OutsideLink } from './outside-link.tsx'
import { webAddress } from './web-address.ts'

/** A place that a server names: a link where it is one of the web, its text anyway. */
export function OutsidePlace({ uri, text }: { uri: string; text: string }): ReactElement {
  const leads = webAddress(uri)
  return leads === undefined ? (
    <span>
      {text}: <code>{uri}</code>
    </span>
  ) : (
    <OutsideLink href={leads.href} host={leads.host} text={text} />
  )
}
