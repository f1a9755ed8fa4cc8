import type { ReactElement } from 'react'
import { policyName } from '../../../policy/policy-name.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { countOf } from '../../../protocol/count.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/instant.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/ticker.ts'
import css from './earlier-runs.module.css'
import { waiverStanding } from './waiver-standing.ts'

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
    <details className={css.runs}>
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
      <span className={css.dim}>
        Given by {by} on {instantText(createdAt, zone)} until {instantText(expiresAt, zone)}
        {endedAt !== null &&
          `, ended ${endedBy === null ? '' : `by ${endedBy} `}on ${instantText(endedAt, zone)}`}
        {typeof waiver.carriedFrom === 'string' && ', carried on from another version'}.
      </span>
    </li>
  )
}
