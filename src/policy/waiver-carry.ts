import { groupedBy } from '../protocol/keyed.ts'
import { packageNameOf } from '../protocol/package-address.ts'
import { coversScan, type NewWaiver, type Waiver, type WaiverScope } from '../protocol/waiver.ts'
import { policyKey } from './policy-group.ts'
import { isInForce, type WaivedScan } from './waived-verdict.ts'

/**
 * Waivers in force at `now` (epoch ms) of the same scan on other versions or artifacts of the package,
 * by policy: of several the one that was given last. They count for nothing here until somebody
 * carries them on.
 */
export function waiversElsewhere(
  waivers: readonly Waiver[],
  of: WaivedScan,
  now: number,
): ReadonlyMap<string, Waiver> {
  const name = packageNameOf(of.packagePath)
  const found = new Map<string, Waiver>()
  for (const waiver of waivers) {
    if (waiver.scan !== of.scan || packageNameOf(waiver.packagePath) !== name) continue
    if (coversScan(waiver, of) || !isInForce(waiver, now)) continue
    const key = policyKey(waiver.policyUri)
    const other = found.get(key)
    if (other === undefined || other.createdAt < waiver.createdAt) found.set(key, waiver)
  }
  return found
}

/** A policy that fails somewhere, and the waiver of another version that could be carried on to it. */
export interface CarryOffer {
  readonly of: WaiverScope
  readonly from: Waiver
}

/** What of the failures could be carried on from other versions, in their order. */
export function carryOffers(
  failures: readonly WaiverScope[],
  waivers: readonly Waiver[],
  now: number,
): readonly CarryOffer[] {
  const byName = groupedBy(waivers, ({ packagePath }) => packageNameOf(packagePath))
  return failures.flatMap((of) => {
    const ofPackage = byName.get(packageNameOf(of.packagePath)) ?? []
    const from = waiversElsewhere(ofPackage, of, now).get(policyKey(of.policyUri))
    return from === undefined ? [] : [{ of, from }]
  })
}

/** The waiver that carries another one on: with its reason, person, ticket and end. */
export function carriedWaiver({ of, from }: CarryOffer): NewWaiver {
  const { packagePath, sha256, scan, policyUri } = of
  const { reason, person, ticket, expiresAt, id } = from
  return {
    packagePath,
    sha256,
    scan,
    policyUri,
    reason,
    person,
    ticket,
    expiresAt,
    carriedFrom: id,
  }
}
