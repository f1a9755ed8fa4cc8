import type { ReactElement, ReactNode } from 'react'
import css from './text.module.css'

/**
 * A link out of Sightline, in a tab of its own, with the host that it leads to beside its text: such
 * addresses and texts are often written by strangers.
 */
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
  const leads = webAddress(uri)
  return leads === undefined ? (
    <span>
      {text}: <code>{uri}</code>
    </span>
  ) : (
    <ExternalLink href={leads.href} host={leads.host} text={text} />
  )
}

/** Longer ones are no addresses that anybody wrote. */
const longest = 2000

/** An address that may be led to: http or https, and nobody's name in front of the host. */
export function webAddress(text: string): { href: string; host: string } | undefined {
  if (text.length > longest || !/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) {
    return undefined
  }
  const { href, host, username, password } = new URL(text)
  return host === '' || username !== '' || password !== '' ? undefined : { href, host }
}
