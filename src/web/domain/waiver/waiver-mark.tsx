import type { ReactElement } from 'react'
import { ticketLink, type Waiver, waiverStanding } from '../../../protocol/waiver.ts'
import { useServices } from '../../data/core/services.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/format.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { expiryText } from './waiver-draft.ts'
import css from './waiver.module.css'

/**
 * "waived until 4 Dec by alice: reason", to stand beside a status that stays what it is; of one that is
 * not approved yet, that it waits.
 */
export function WaiverMark({ waiver }: { waiver: Waiver }): ReactElement {
  const { zone } = usePreferences()
  const { proxyNow } = useServices().session
  const { person, by, reason, expiresAt, ticket } = waiver
  const until = useDerivedFromNow((now) => expiryText(expiresAt, zone, now))
  const standing = useDerivedFromNow(() => waiverStanding(waiver, proxyNow()))
  return (
    <span
      className={css.mark}
      data-waiver={waiver.id}
      title={`Until ${instantText(expiresAt, zone)}, granted by ${by}`}
    >
      <StatusShape tone="waiting" />
      <span>
        {standing === 'waiting for approval'
          ? `waiver until ${until} by ${person} waits for approval: ${reason}`
          : `waived until ${until} by ${person}: ${reason}`}
        {typeof ticket === 'string' && (
          <>
            {' '}
            <Ticket text={ticket} />
          </>
        )}
      </span>
    </span>
  )
}

/** A ticket: a link where it is an address that a browser may open, else its key. */
export function Ticket({ text }: { text: string }): ReactElement {
  const link = ticketLink(text)
  if (link === null) return <span data-ticket="">{text}</span>
  const name = link.replace(/^https?:\/\/|[?#].*$/g, '').replace(/\/+$/, '')
  return (
    <a data-ticket="" href={link} target="_blank" rel="noreferrer">
      {name.split('/').at(-1)}
    </a>
  )
}
