import { Fragment, type ReactElement, type ReactNode } from 'react'
import { safeLink } from '../../attestation/decode/visible-text.ts'
import css from './text.module.css'

/** A link out of Sightline, in its own tab, with the host beside a text that a stranger may have written. */
export function ExternalLink({
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

/** A place that a server names: a link where it is one of the web, its text anyway. */
export function ExternalPlace({ uri, text }: { uri: string; text: string }): ReactElement {
  const leads = safeLink(uri)
  return leads === undefined ? (
    <span>
      {text}: <code>{uri}</code>
    </span>
  ) : (
    <ExternalLink href={leads.href} host={leads.host} text={text} />
  )
}

/**
 * A text that leads to an address which a stranger wrote; anything but a plain http(s) address, with
 * nobody's name before its host and no sign that is not seen, stays text.
 */
export function StrangerLink({
  address,
  children,
}: {
  address: string
  children: ReactNode
}): ReactElement {
  const link = safeLink(address)
  return link === undefined ? <>{children}</> : <ExternalLink {...link} text={children} />
}

/** A name that may go on in another line after each dot, slash and colon before a letter. */
export function breakable(name: string): ReactNode {
  return name.split(/(?<=[./:])(?=[a-z])/i).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
