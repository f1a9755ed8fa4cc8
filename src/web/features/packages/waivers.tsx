import { Text } from '@mantine/core'
import { createContext, type ReactElement, type ReactNode, useMemo } from 'react'
import * as z from 'zod/mini'
import { type PolicyGroup, policyName } from '../../../policy/policy-group.ts'
import {
  lastExpiry,
  type WaivedScan,
  type WaivedVerdict,
  waivedVerdict,
  waiversInForce,
  waiversWaiting,
} from '../../../policy/waived-verdict.ts'
import { countText } from '../../../protocol/count.ts'
import type { PermissionSubject } from '../../../protocol/permission.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { carriedWaiver, waiversElsewhere } from '../../../policy/waiver-carry.ts'
import { rangeText } from '../../../protocol/version-order.ts'
import {
  type ApprovalRule,
  coversScan,
  type Waiver,
  waiverStanding,
} from '../../../protocol/waiver.ts'
import { useServices } from '../../data/core/services.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import {
  allVersionsPath,
  useApproveWaivers,
  useGiveWaivers,
  usePackageWaivers,
  waiverRefusal,
} from '../../data/scans/waivers.ts'
import { lazyPopup } from '../../ui/lazy-part.tsx'
import { WaiverWish } from '../../domain/waiver/waiver-wish.ts'
import { Ticket } from '../../domain/waiver/waiver-mark.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { momentText } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import css from './scan-page.module.css'

const WaiverDialog = lazyPopup(
  async () => (await import('../../domain/waiver/waiver-dialog.tsx')).WaiverDialog,
)

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
  const { scan, inForce, waiting, elsewhere, here, isKnown, longestMs, approval } = state
  const { mutate: give, error: giveFault } = useGiveWaivers()
  const { approve, refusal } = useApproveWaivers(here)
  const rows = useMemo(() => {
    const onGive = ({ name, policyUri }: PolicyGroup, carriedFrom?: Waiver): void => {
      const places = [{ of: { ...scan, policyUri }, text: of }]
      const choices = [{ policy: name, places }]
      setWish({ is: 'give', choices, longestMs, approval, carriedFrom })
    }
    const onCarry = ({ policyUri }: PolicyGroup, from: Waiver): void => {
      give([carriedWaiver({ of: { ...scan, policyUri }, from })])
    }
    const onApprove = ({ id }: Waiver): void => {
      approve([id])
    }
    const onEnd = (waiver: Waiver): void => {
      setWish({ is: 'end', waivers: [waiver] })
    }
    const onRenew = (waivers: readonly Waiver[]): void => {
      setWish({ is: 'renew', waivers: [...waivers], longestMs })
    }
    const change = isKnown ? { onGive, onCarry, onApprove, onEnd, onRenew } : undefined
    return { waived: inForce, waiting, elsewhere, subject, change }
  }, [
    scan,
    inForce,
    waiting,
    elsewhere,
    isKnown,
    longestMs,
    approval,
    of,
    subject,
    setWish,
    give,
    approve,
  ])
  const fault = giveFault === null ? refusal : waiverRefusal(giveFault)
  return (
    <RowWaiversContext value={rows}>
      {fault !== undefined && (
        <Notice role="alert" tone="bad">
          {fault}
        </Notice>
      )}
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
  /** Not in force before somebody else approves them. */
  readonly waiting: ReadonlyMap<string, Waiver>
  /** In force on other versions of the package: to be carried on. */
  readonly elsewhere: ReadonlyMap<string, Waiver>
  /** The package and the scan, by which the permission to waive may be limited. */
  readonly subject: PermissionSubject
  /** Undefined while waivers are unknown, and where a run of the past is shown. */
  readonly change:
    | {
        readonly onGive: (group: PolicyGroup, carriedFrom?: Waiver) => void
        /** With the same reason and end, at once. */
        readonly onCarry: (group: PolicyGroup, from: Waiver) => void
        readonly onApprove: (waiver: Waiver) => void
        readonly onEnd: (waiver: Waiver) => void
        readonly onRenew: (waivers: readonly Waiver[]) => void
      }
    | undefined
}

/** Rows are drawn seldom: what they show of waivers comes to them past the list. */
export const RowWaiversContext = createContext<RowWaivers>({
  waived: new Map(),
  waiting: new Map(),
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
  const summary = useDerivedFromNow(() => standingsText(waivers, now()))
  if (waivers.length === 0) return null
  return (
    <details>
      <summary>Waivers of this scan: {summary}</summary>
      <ul className={css.list}>
        {waivers.map((waiver) => (
          <WaiverEntry key={waiver.id} waiver={waiver} now={now} />
        ))}
      </ul>
    </details>
  )
}

/** "1 in force, 1 waiting for approval, 0 ended"; `now` is epoch ms. */
export function standingsText(waivers: readonly Waiver[], now: number): string {
  const standings = waivers.map((waiver) => waiverStanding(waiver, now))
  const [inForce, waiting] = (['in force', 'waiting for approval'] as const).map(
    (wanted) => standings.filter((standing) => standing === wanted).length,
  )
  const ended = waivers.length - (inForce ?? 0) - (waiting ?? 0)
  const wait = waiting === 0 ? [] : [`${countText(waiting ?? 0)} waiting for approval`]
  return [`${countText(inForce ?? 0)} in force`, ...wait, `${countText(ended)} ended`].join(', ')
}

function WaiverEntry({ waiver, now }: { waiver: Waiver; now: () => number }): ReactElement {
  const { zone } = usePreferences()
  const standing = useDerivedFromNow(() => waiverStanding(waiver, now()))
  const { person, by, reason, createdAt, expiresAt, endedAt, endedBy, policyUri } = waiver
  const { ticket, versions, approvedBy } = waiver
  return (
    <li>
      <StatusMark tone={standing === 'in force' ? 'waiting' : 'none'} word={standing} />{' '}
      <strong>{policyName(policyUri).name}</strong> for {person}: {reason}{' '}
      {typeof ticket === 'string' && (
        <>
          <Ticket text={ticket} />{' '}
        </>
      )}
      <Text span inherit c="dimmed">
        Granted by {by} on {momentText(createdAt, zone)} until {momentText(expiresAt, zone)}
        {versions !== null && versions !== undefined && `, for versions ${rangeText(versions)}`}
        {typeof approvedBy === 'string' && `, approved by ${approvedBy}`}
        {endedAt !== null &&
          `, ended ${endedBy === null ? '' : `by ${endedBy} `}on ${momentText(endedAt, zone)}`}
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
  readonly waiting: ReadonlyMap<string, Waiver>
  readonly isKnown: boolean
  readonly isLoading: boolean
  /** Why they cannot be read, or not any more: a plain sentence. */
  readonly fault: string | undefined
  readonly retry: () => unknown
  /** Of this scan and artifact, in force or not, the newest first. */
  readonly here: readonly Waiver[]
  readonly elsewhere: ReadonlyMap<string, Waiver>
  /** The longest a waiver may last, ms. */
  readonly longestMs: number
  /** Which waivers need approval. */
  readonly approval: ApprovalRule
  /** The clock by which they expire: that of the proxy, epoch ms. */
  readonly now: () => number
}

/** The waivers of a scan as they stand; one that expires is gone by itself. */
export function useWaiverState(
  { address, scan, sha256 }: PolicyScanQuestion,
  { groups, unreadable, state }: PolicyScanView,
): WaiverState {
  const path = packagePath(address)
  const { data, error, refetch } = usePackageWaivers(allVersionsPath(path))
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
  const waiting = useMemo(() => waiversWaiting(waivers, requested, at), [waivers, requested, at])
  const here = useMemo(() => waiversOfScan(waivers, requested), [waivers, requested])
  const elsewhere = useMemo(
    () => waiversElsewhere(waivers, requested, at),
    [waivers, requested, at],
  )
  return {
    scan: requested,
    beside,
    inForce,
    waiting,
    isKnown: data !== undefined,
    isLoading: data === undefined && error === null,
    fault: error?.message,
    retry: refetch,
    here,
    elsewhere,
    longestMs: data?.longestMs ?? 0,
    approval: data?.approval ?? 'none',
    now: proxyNow,
  }
}

const none: readonly Waiver[] = []

/** The waivers of a scan on this artifact, in force or not, in their order. */
export function waiversOfScan(waivers: readonly Waiver[], scan: WaivedScan): readonly Waiver[] {
  return waivers.filter((waiver) => coversScan(waiver, scan))
}

/**
 * The waivers as they were at an earlier time (epoch ms): those given later are left out, those ended
 * or approved later are not yet.
 */
export function waiversAt(waivers: readonly Waiver[], at: number): readonly Waiver[] {
  return waivers
    .filter(({ createdAt }) => createdAt <= at)
    .map((waiver) => ({
      ...waiver,
      ...(waiver.endedAt !== null && waiver.endedAt > at ? { endedAt: null, endedBy: null } : {}),
      ...(typeof waiver.approvedAt === 'number' && waiver.approvedAt > at
        ? { approvedAt: null, approvedBy: null }
        : {}),
    }))
}
