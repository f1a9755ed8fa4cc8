import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { ticketLink, type Waiver, waiverStanding } from '../../../protocol/waiver.ts'
import { useServices } from '../../data/core/services.ts'
import { useAllWaivers } from '../../data/scans/waivers.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { expiryText } from './waiver-draft.ts'
import css from './waiver.module.css'

/** "waived until Dec 4 by alice: reason" beside a status that stays; of one not approved yet, that it waits. */
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

/** Where waivers cannot be read: what that means for the verdict. Nothing else is kept from anybody. */
export function WaiverNotice({
  fault,
  isKnown,
  onRetry,
}: {
  fault: string | undefined
  isKnown: boolean
  onRetry: () => unknown
}): ReactElement | null {
  if (fault === undefined) return null
  return (
    <Notice
      testId="waiver-notice"
      action={
        <Button size="compact-xs" variant="default" onClick={() => void onRetry()}>
          Try again
        </Button>
      }
    >
      {isKnown
        ? "Can't refresh waivers. They may have changed: "
        : "Can't load waivers, so none are counted: "}
      {fault}
    </Notice>
  )
}

/** The same for a page that counts the waivers of several packages. */
export function AllWaiversNotice(): ReactElement | null {
  const { data, error, refetch } = useAllWaivers()
  return <WaiverNotice fault={error?.message} isKnown={data !== undefined} onRetry={refetch} />
}
