import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { policyKey } from '../../../policy/policy-group.ts'
import {
  isInForce,
  lastExpiry,
  type WaivedScan,
  type WaivedVerdict,
  waivedVerdict,
  waiversInForce,
} from '../../../policy/waived-verdict.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { allVersionsPath, waiversQuery } from '../../data/scans/waivers.ts'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { useServices } from '../../data/core/services.ts'

/** What is known of the waivers of a scan at this moment. */
export interface WaiverState {
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
  readonly mayWaive: boolean
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
  const asked = useMemo(() => ({ packagePath: path, scan, sha256 }), [path, scan, sha256])
  const isComplete = state.is === 'done'
  const beside = useMemo(
    () =>
      waivedVerdict(
        groups,
        { unreadable, complete: isComplete },
        { waivers, scan: asked, now: at },
      ),
    [groups, unreadable, isComplete, waivers, asked, at],
  )
  const inForce = useMemo(() => waiversInForce(waivers, asked, at), [waivers, asked, at])
  const here = useMemo(() => waiversOfScan(waivers, asked), [waivers, asked])
  const elsewhere = useMemo(() => waiversElsewhere(waivers, asked, at), [waivers, asked, at])
  return {
    scan: asked,
    beside,
    inForce,
    isKnown: data !== undefined,
    fault: error?.message,
    here,
    elsewhere,
    mayWaive: data?.mayWaive ?? false,
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
