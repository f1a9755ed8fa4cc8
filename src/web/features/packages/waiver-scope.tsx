import { Text } from '@mantine/core'
import { createContext, type ReactElement, type ReactNode, useMemo, useState } from 'react'
import { type PolicyGroup, policyName } from '../../../policy/policy-group.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { WaiverDialog, type WaiverWish } from '../../domain/waiver/waiver-dialog.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import css from './scan-page.module.css'
import { waiverStanding, type WaiverState } from './waiver-state.ts'

/** Lets the rows within it show waivers, and opens the dialog that changes one. */
export function WaiverScope({
  state,
  of,
  children,
}: {
  state: WaiverState
  /** The package and the scan, as text. */
  of: string
  children: ReactNode
}): ReactElement {
  const [wish, setWish] = useState<WaiverWish>()
  const { scan, inForce, elsewhere, mayWaive, longestMs } = state
  const rows = useMemo(() => {
    const onGive = ({ name, policyUri }: PolicyGroup, carriedFrom?: Waiver): void => {
      const ofPolicy = { ...scan, policyUri }
      setWish({ is: 'give', policy: name, of: ofPolicy, ofText: of, longestMs, carriedFrom })
    }
    const onEnd = (policy: string, waiver: Waiver): void => {
      setWish({ is: 'end', policy, waiver })
    }
    return { waived: inForce, elsewhere, change: mayWaive ? { onGive, onEnd } : undefined }
  }, [scan, inForce, elsewhere, mayWaive, longestMs, of])
  return (
    <RowWaiversContext value={rows}>
      {children}
      {wish !== undefined && (
        <WaiverDialog
          wish={wish}
          onClose={() => {
            setWish(undefined)
          }}
        />
      )}
    </RowWaiversContext>
  )
}

/** What the rows of a scan show of waivers, by `PolicyGroup.key`. */
export interface RowWaivers {
  /** In force, whether their policies fail or not. */
  readonly waived: ReadonlyMap<string, Waiver>
  /** In force on other versions of the package: to be carried on. */
  readonly elsewhere: ReadonlyMap<string, Waiver>
  /** Undefined for those who may not, and where a run of the past is shown. */
  readonly change:
    | {
        readonly onGive: (group: PolicyGroup, carriedFrom?: Waiver) => void
        readonly onEnd: (policy: string, waiver: Waiver) => void
      }
    | undefined
}

/** Rows are drawn seldom: what they show of waivers comes to them past the list. */
export const RowWaiversContext = createContext<RowWaivers>({
  waived: new Map(),
  elsewhere: new Map(),
  change: undefined,
})

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
        Granted by {by} on {instantText(createdAt, zone)} until {instantText(expiresAt, zone)}
        {endedAt !== null &&
          `, ended ${endedBy === null ? '' : `by ${endedBy} `}on ${instantText(endedAt, zone)}`}
        {typeof waiver.carriedFrom === 'string' && ', carried over from another version'}.
      </Text>
    </li>
  )
}
