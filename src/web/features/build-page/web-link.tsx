import type { ReactElement } from 'react'

/**
 * A text that leads to an address of the web, in a tab of its own. An address of anything else stays
 * text: builds are written by strangers, and no script may hide in what they say.
 */
export function WebLink({ text, address }: { text: string; address: string }): ReactElement {
  if (!/^https?:\/\/\S+$/i.test(address) || !URL.canParse(address)) return <span>{text}</span>
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {text}
      <span aria-hidden="true"> ↗</span>
    </a>
  )
}
