import {
  type BoardFailure,
  canBeWaived,
  notInResponse,
  wasNotChecked,
} from '../../../policy/board-failures.ts'
import { waiversWaiting } from '../../../policy/waived-verdict.ts'
import { countOf } from '../../../protocol/count.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { type Waiver, waiverStanding } from '../../../protocol/waiver.ts'
import type { WaiverChoice } from '../../domain/waiver/waiver-wish.ts'

/** Which of the failures that can be waived have a waiver that somebody has to approve. `now` is epoch ms. */
export function failuresWaiting(
  failures: readonly BoardFailure[],
  waivers: readonly Waiver[],
  now: number,
): ReadonlySet<BoardFailure> {
  const open = waivers.filter((one) => waiverStanding(one, now) === 'waiting for approval')
  const isWaiting = ({ row: { of }, cell, policy }: BoardFailure): boolean => {
    const scan = { packagePath: packagePath(of.address), sha256: of.sha256, scan: cell.place.scan }
    return waiversWaiting(open, scan, now).has(policy)
  }
  return new Set(
    open.length === 0 ? [] : failures.filter((one) => canBeWaived(one) && isWaiting(one)),
  )
}

/** Why none of these failures can be waived, and what to do. */
export function whyNothingToWaive(failures: readonly BoardFailure[], waiting: number): string {
  if (failures.every(({ isWaived }) => isWaived)) return 'All of these are waived already.'
  const waits = waiting === 0 ? '' : waitingText(waiting, '')
  const unchecked = failures.filter((one) => !one.isWaived && wasNotChecked(one))
  if (unchecked.length > 0 && unchecked.every(isAbsent)) {
    const absent = "There is no result to waive: the policy isn't in the response."
    return sentences(absent, 'It may have been renamed or removed.', waits)
  }
  const missing =
    unchecked.length > 0
      ? "There is no result to waive: the policy wasn't checked, because its evidence is missing. Publish the evidence, then evaluate again."
      : ''
  return sentences(missing, waits)
}

function isAbsent({ causes }: BoardFailure): boolean {
  return causes[0] === notInResponse
}

function waitingText(count: number, more: '' | 'more '): string {
  return `${countOf(count, `${more}failure has a waiver that waits`, `${more}failures have waivers that wait`)} for approval.`
}

function sentences(...all: readonly string[]): string {
  return all.filter((text) => text !== '').join(' ')
}

/**
 * The policies of the failures that one may waive, the one that fails most packages first, with where
 * they fail, and which of all `failures` are left out.
 */
export function waiverChoices(
  allowed: readonly BoardFailure[],
  failures: readonly BoardFailure[],
  waiting: ReadonlySet<BoardFailure>,
): WaiverChoice[] {
  const choices = new Map<string, WaiverChoice>()
  for (const { row, cell, policy, policyUri, name } of allowed) {
    const { address, sha256 } = row.of
    const { scan } = cell.place
    const of = { packagePath: packagePath(address), sha256, scan, policyUri }
    const choice = choices.get(policy) ?? { policy: name, places: [] }
    choice.places.push({ of, text: `${packageText(address)}, scan ${scan}` })
    choices.set(policy, choice)
  }
  return [...choices]
    .map(([policy, choice]) => {
      const open = failures.filter((one) => one.policy === policy && !one.isWaived)
      const unchecked = open.filter(wasNotChecked)
      const waits = open.filter((one) => waiting.has(one)).length
      const outside = open.length - unchecked.length - waits - choice.places.length
      const leftOut = leftOutText(unchecked, waits, outside)
      return leftOut === '' ? choice : { ...choice, leftOut }
    })
    .sort((a, b) => b.places.length - a.places.length)
}

function leftOutText(
  unchecked: readonly BoardFailure[],
  waiting: number,
  outsideLimits: number,
): string {
  const why = unchecked.every(isAbsent)
    ? "the policy isn't in the response there."
    : "the policy wasn't checked there, because its evidence is missing."
  const missing =
    unchecked.length === 0
      ? ''
      : `${countOf(unchecked.length, 'more failure')} can't be waived: ${why}`
  const outside =
    outsideLimits === 0
      ? ''
      : `${countOf(outsideLimits, 'more failure is', 'more failures are')} outside your limits.`
  return sentences(missing, waiting === 0 ? '' : waitingText(waiting, 'more '), outside)
}
