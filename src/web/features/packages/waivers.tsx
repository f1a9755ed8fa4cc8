import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactElement, type ReactNode, useMemo } from 'react'
import * as z from 'zod/mini'
import { type PolicyGroup, policyKey, policyName } from '../../../policy/policy-group.ts'
import {
  isInForce,
  lastExpiry,
  type WaivedScan,
  type WaivedVerdict,
  waivedVerdict,
  waiversInForce,
} from '../../../policy/waived-verdict.ts'
import { countOf } from '../../../protocol/count.ts'
import type { PermissionSubject } from '../../../protocol/permission.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { useServices } from '../../data/core/services.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { allVersionsPath, waiversQuery } from '../../data/scans/waivers.ts'
import { WaiverDialog, WaiverWish } from '../../domain/waiver/waiver-dialog.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { instantText } from '../../ui/format.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import css from './scan-page.module.css'

/** Lets the rows within it show waivers, and opens the dialog that changes one. */
export function WaiverScope({
  state,
  of,
  subject,
  children,
}: {
  state: WaiverState
  /** What it takes the permission to waive for. */
  subject: PermissionSubject
  /** The package and the scan, as text. */
  of: string
  children: ReactNode
}): ReactElement {
  const [wish, setWish] = useDraftState('waiver.wish', z.optional(WaiverWish), undefined)
  const { scan, inForce, elsewhere, isKnown, longestMs } = state
  const rows = useMemo(() => {
    const onGive = ({ name, policyUri }: PolicyGroup, carriedFrom?: Waiver): void => {
      const ofPolicy = { ...scan, policyUri }
      setWish({ is: 'give', policy: name, of: ofPolicy, ofText: of, longestMs, carriedFrom })
    }
    const onEnd = (policy: string, waiver: Waiver): void => {
      setWish({ is: 'end', policy, waiver })
    }
    return { waived: inForce, elsewhere, subject, change: isKnown ? { onGive, onEnd } : undefined }
  }, [scan, inForce, elsewhere, isKnown, longestMs, of, subject, setWish])
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
  /** The package and the scan, by which the permission to waive may be limited. */
  readonly subject: PermissionSubject
  /** Undefined while waivers are unknown, and where a run of the past is shown. */
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
  subject: {},
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

/** What is known of the waivers of a scan at this moment. */
interface WaiverState {
  readonly scan: WaivedScan
  /** The verdict where they are counted; without any where they are not known. */
  readonly beside: WaivedVerdict
  /** Those in force here, by policy, whatever became of it: the same map while results come in. */
  readonly inForce: ReadonlyMap<string, Waiver>
  readonly isKnown: boolean
  /** Why they cannot be read, or not any more: a plain sentence. */
  readonly fault: string | undefined
  /** Of this scan and artifact, in force or not, the newest first. */
  readonly here: readonly Waiver[]
  readonly elsewhere: ReadonlyMap<string, Waiver>
  /** The longest a waiver may last, ms. */
  readonly longestMs: number
  /** The clock by which they expire: that of the proxy, epoch ms. */
  readonly now: () => number
}

/** The waivers of a scan as they stand; one that expires is gone by itself. */
export function useWaiverState(
  { address, scan, sha256 }: PolicyScanQuestion,
  { groups, unreadable, state }: PolicyScanView,
): WaiverState {
  const path = packagePath(address)
  const { data, error } = useQuery(waiversQuery(useServices().request, allVersionsPath(path)))
  const { proxyNow } = useServices().session
  const waivers = data?.waivers ?? none
  const at = useDerivedFromNow(() => lastExpiry(waivers, proxyNow()))
  const requested = useMemo(() => ({ packagePath: path, scan, sha256 }), [path, scan, sha256])
  const isComplete = state.is === 'done'
  const beside = useMemo(
    () =>
      waivedVerdict(
        groups,
        { unreadable, complete: isComplete },
        { waivers, scan: requested, now: at },
      ),
    [groups, unreadable, isComplete, waivers, requested, at],
  )
  const inForce = useMemo(() => waiversInForce(waivers, requested, at), [waivers, requested, at])
  const here = useMemo(() => waiversOfScan(waivers, requested), [waivers, requested])
  const elsewhere = useMemo(
    () => waiversElsewhere(waivers, requested, at),
    [waivers, requested, at],
  )
  return {
    scan: requested,
    beside,
    inForce,
    isKnown: data !== undefined,
    fault: error?.message,
    here,
    elsewhere,
    longestMs: data?.longestMs ?? 0,
    now: proxyNow,
  }
}

const none: readonly Waiver[] = []

/** Where a waiver stands at a time. */
export type WaiverStanding = 'in force' | 'ended early' | 'expired'

/** How a waiver stands at `now`, epoch ms. */
export function waiverStanding(waiver: Waiver, now: number): WaiverStanding {
  if (waiver.endedAt !== null) return 'ended early'
  return isInForce(waiver, now) ? 'in force' : 'expired'
}

/** The waivers of a scan on this artifact, in force or not, in their order. */
export function waiversOfScan(waivers: readonly Waiver[], scan: WaivedScan): readonly Waiver[] {
  return waivers.filter((waiver) => isOfArtifact(waiver, scan))
}

/**
 * Waivers in force at `now` (epoch ms) of the same scan on other versions or artifacts of the package,
 * by policy: of several the one that was given last. They count for nothing here until somebody
 * carries them on.
 */
export function waiversElsewhere(
  waivers: readonly Waiver[],
  scan: WaivedScan,
  now: number,
): ReadonlyMap<string, Waiver> {
  const found = new Map<string, Waiver>()
  for (const waiver of waivers) {
    if (waiver.scan !== scan.scan || isOfArtifact(waiver, scan) || !isInForce(waiver, now)) continue
    const key = policyKey(waiver.policyUri)
    const other = found.get(key)
    if (other === undefined || other.createdAt < waiver.createdAt) found.set(key, waiver)
  }
  return found
}

/**
 * The waivers as they were at an earlier time (epoch ms): those given later are left out, those ended
 * later are not ended.
 */
export function waiversAt(waivers: readonly Waiver[], at: number): readonly Waiver[] {
  return waivers
    .filter(({ createdAt }) => createdAt <= at)
    .map((waiver) =>
      waiver.endedAt !== null && waiver.endedAt > at
        ? { ...waiver, endedAt: null, endedBy: null }
        : waiver,
    )
}

function isOfArtifact(waiver: Waiver, { packagePath, sha256, scan }: WaivedScan): boolean {
  return waiver.packagePath === packagePath && waiver.sha256 === sha256 && waiver.scan === scan
}
