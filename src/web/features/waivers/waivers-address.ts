import { policyName } from '../../../policy/policy-group.ts'
import { partsOf, type RegisterPart, registerParts } from '../../../policy/waiver-register.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { choiceParam, searchState, textParam } from '../../data/core/search-state.ts'
import { pathText } from '../../domain/package/package-links.ts'

/** What of the register is looked at, as its address says it; empty narrows nothing. */
export interface WaiversAddress {
  readonly show: RegisterPart
  /** Part of a package, policy, reason or ticket. */
  readonly text: string
  /** Who is responsible for it, has given it or has approved it. */
  readonly person: string
  /** What was given at once. */
  readonly group: string
}

/** The address of the register; what cannot be read there is the default. */
export const waiversAddress = searchState<WaiversAddress>({
  show: choiceParam('show', registerParts),
  text: textParam('q'),
  person: textParam('person'),
  group: textParam('group'),
})

/**
 * The waivers that an address leaves: what ends first comes first, of what is over the newest. With how
 * many there are in each part.
 */
export function shownWaivers(
  waivers: readonly Waiver[],
  { show, text, person, group }: WaiversAddress,
  at: { readonly now: number; readonly unmatched: ReadonlySet<string> },
): { readonly shown: readonly Waiver[]; readonly counts: Readonly<Record<RegisterPart, number>> } {
  const words = text.trim().toLowerCase()
  const who = person.trim().toLowerCase()
  const counts = { active: 0, waiting: 0, ending: 0, unmatched: 0, ended: 0 }
  const shown = waivers.filter((waiver) => {
    const isMeant =
      (group === '' || waiver.group === group) &&
      (who === '' ||
        [waiver.person, waiver.by, waiver.approvedBy ?? ''].some((name) =>
          name.toLowerCase().includes(who),
        )) &&
      (words === '' ||
        [
          pathText(waiver.packagePath),
          policyName(waiver.policyUri).name,
          waiver.scan,
          waiver.reason,
          waiver.ticket ?? '',
        ].some((part) => part.toLowerCase().includes(words)))
    if (!isMeant) return false
    const parts = partsOf(waiver, at)
    for (const part of parts) counts[part] += 1
    return parts.includes(show)
  })
  const overAt = ({ endedAt, expiresAt }: Waiver): number => endedAt ?? expiresAt
  return {
    shown: shown.toSorted((a, b) =>
      show === 'ended' ? overAt(b) - overAt(a) : a.expiresAt - b.expiresAt,
    ),
    counts,
  }
}
