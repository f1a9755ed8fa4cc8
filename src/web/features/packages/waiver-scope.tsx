import { Text } from '@mantine/core'
import { createContext, type ReactElement, type ReactNode, useMemo, useState } from 'react'
import { type PolicyGroup, policyName } from '../../../policy/policy-group.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { useEndWaiver, useGiveWaiver, waiverRefusal } from '../../data/scans/waivers.ts'
import { WaiverDialog, WaiverEndDialog } from '../../domain/waiver/waiver-dialog.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import css from './scan-page.module.css'
import { waiverStanding, type WaiverState } from './waiver-state.ts'
import { useSessionUser } from '../../data/core/services.ts'

/** Lets the rows within it show waivers, and asks what is needed when somebody wants to change one. */
export function WaiverScope({
  state,
  of,
  children,
}: {
  state: WaiverState
  /** The package and the scan, in words. */
  of: string
  children: ReactNode
}): ReactElement {
  const [wish, setWish] = useState<WaiverWish>()
  const { inForce, elsewhere, mayWaive } = state
  const rows = useMemo(
    () => ({ waived: inForce, elsewhere, onWish: mayWaive ? setWish : undefined }),
    [inForce, elsewhere, mayWaive],
  )
  function close(): void {
    setWish(undefined)
  }
  return (
    <RowWaiversContext value={rows}>
      {children}
      {wish?.is === 'give' && <WaiverGiving wish={wish} state={state} of={of} onClose={close} />}
      {wish?.is === 'end' && <WaiverEnding wish={wish} onClose={close} />}
    </RowWaiversContext>
  )
}

/** What somebody wants to do about a waiver. */
type WaiverWish =
  | { readonly is: 'give'; readonly group: PolicyGroup; readonly carriedFrom: Waiver | undefined }
  | { readonly is: 'end'; readonly policy: string; readonly waiver: Waiver }

/** What the rows of a scan show of waivers, by `PolicyGroup.key`. */
export interface RowWaivers {
  /** In force, whether their policies fail or not. */
  readonly waived: ReadonlyMap<string, Waiver>
  /** In force on other versions of the package: to be carried on. */
  readonly elsewhere: ReadonlyMap<string, Waiver>
  /** Undefined for those who may not, and where a run of the past is shown. */
  readonly onWish: ((wish: WaiverWish) => void) | undefined
}

/** Rows are drawn seldom: what they show of waivers comes to them past the list. */
export const RowWaiversContext = createContext<RowWaivers>({
  waived: new Map(),
  elsewhere: new Map(),
  onWish: undefined,
})

/** Gives a waiver as somebody wishes it; the dialog is over when the proxy has it. */
function WaiverGiving({
  wish: { group, carriedFrom },
  state: { scan, longestMs, now },
  of,
  onClose,
}: {
  wish: Extract<WaiverWish, { is: 'give' }>
  state: WaiverState
  of: string
  onClose: () => void
}): ReactElement {
  const give = useGiveWaiver()
  const user = useSessionUser()
  return (
    <WaiverDialog
      policy={group.name}
      of={of}
      initial={{
        reason: carriedFrom?.reason ?? '',
        person: carriedFrom?.person ?? user?.name ?? '',
      }}
      longestMs={longestMs}
      now={now}
      refusal={give.error === null ? undefined : waiverRefusal(give.error)}
      isSending={give.isPending}
      onGive={(given) => {
        give.mutate(
          { ...scan, ...given, policyUri: group.policyUri, carriedFrom: carriedFrom?.id ?? null },
          { onSuccess: onClose },
        )
      }}
      onClose={onClose}
    />
  )
}

/** Ends a waiver as somebody wishes it. */
function WaiverEnding({
  wish: { policy, waiver },
  onClose,
}: {
  wish: Extract<WaiverWish, { is: 'end' }>
  onClose: () => void
}): ReactElement {
  const end = useEndWaiver()
  return (
    <WaiverEndDialog
      policy={policy}
      waiver={waiver}
      refusal={end.error === null ? undefined : waiverRefusal(end.error)}
      isSending={end.isPending}
      onEnd={() => {
        end.mutate(waiver.id, { onSuccess: onClose })
      }}
      onClose={onClose}
    />
  )
}

/** All waivers of this scan and artifact, also those that count no more. */
export function WaiverRecord({
  waivers,
  now,
}: {
  waivers: readonly Waiver[]
  /** The clock by which they expire. */
  now: () => number
}): ReactElement | null {
  const inForce = useDerivedFromNow(
    () => waivers.filter((waiver) => waiverStanding(waiver, now()) === 'in force').length,
  )
  if (waivers.length === 0) return null
  return (
    <details>
      <summary>
        Waivers of this scan: {countOf(inForce, 'in force', 'in force')},{' '}
        {countOf(waivers.length - inForce, 'over', 'over')}
      </summary>
      <ul className={css.list}>
        {waivers.map((waiver) => (
          <WaiverEntry key={waiver.id} waiver={waiver} now={now} />
        ))}
      </ul>
    </details>
  )
}

function WaiverEntry({ waiver, now }: { waiver: Waiver; now: () => number }): ReactElement {
  const { zone } = usePreferences()
  const standing = useDerivedFromNow(() => waiverStanding(waiver, now()))
  const { person, by, reason, createdAt, expiresAt, endedAt, endedBy, policyUri } = waiver
  return (
    <li>
      <StatusMark tone={standing === 'in force' ? 'waiting' : 'none'} word={standing} />{' '}
      <strong>{policyName(policyUri).name}</strong> for {person}: {reason}{' '}
      <Text span inherit c="dimmed">
        Given by {by} on {instantText(createdAt, zone)} until {instantText(expiresAt, zone)}
        {endedAt !== null &&
          `, ended ${endedBy === null ? '' : `by ${endedBy} `}on ${instantText(endedAt, zone)}`}
        {typeof waiver.carriedFrom === 'string' && ', carried on from another version'}.
      </Text>
    </li>
  )
}
