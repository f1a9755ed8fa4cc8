import type { ReactElement } from 'react'
import type { Finding } from '../../../attestation/finding.ts'
import { placeInWords } from '../../../attestation/place.ts'
import { visibleText } from '../../../attestation/visible-text.ts'
import { countOf } from '../../../protocol/count.ts'
import { StatusShape, type StatusTone } from '../../ui/status-mark.tsx'
import css from './findings.module.css'

const tones: Readonly<Record<Finding['level'], StatusTone>> = {
  mistake: 'bad',
  warning: 'waiting',
  note: 'info',
}

/** As many are listed; a thousand alike tell no more. */
const most = 20

/** What is odd or wrong with what was given, each with its place. */
export function Findings({
  findings,
  label,
}: {
  findings: readonly Finding[]
  label: string
}): ReactElement | null {
  if (findings.length === 0) return null
  return (
    <ul className={css.list} aria-label={label}>
      {findings.slice(0, most).map(({ level, message, at }, index) => (
        <li key={index} className={css.finding} data-tone={tones[level]}>
          <StatusShape tone={tones[level]} />
          <span>
            {visibleText(message)}
            {at !== undefined && (
              <span className={css.place}>
                {' '}
                ({at.in === 'payload' ? 'payload, ' : ''}
                {placeInWords(at)})
              </span>
            )}
          </span>
        </li>
      ))}
      {findings.length > most && (
        <li className={css.place}>
          And {countOf(findings.length - most, 'more like these', 'more like these')}.
        </li>
      )}
    </ul>
  )
}
