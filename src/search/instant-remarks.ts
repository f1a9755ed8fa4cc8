import { rewrite } from './condition-mistakes.ts'
import type { Diagnostic } from './diagnostic.ts'
import type { Term, Word } from './tree.ts'
import type { WrittenMoment } from './values/instant.ts'
import { plainText } from './values/text.ts'

/** `>5d`: that far ahead there are no builds yet. */
export function relativeFuture(word: Word, { moment }: WrittenMoment): Diagnostic[] {
  if (moment.type !== 'relative' || moment.distance <= 0) return []
  const past = `-${plainText(word)?.replace(/^\+/, '') ?? ''}`
  return [
    {
      from: word.from,
      to: word.to,
      severity: 'warning',
      code: 'value.relative-future',
      message: `${plainText(word) ?? ''} is in the future. Use ${past} for the past.`,
      fixes: [rewrite(word, past)],
    },
  ]
}

/** `:-5d`: nothing happened exactly that long ago. */
export function relativeEquality(term: Term, word: Word): Diagnostic {
  const { operator, field } = term
  const distance = plainText(word) ?? ''
  return {
    from: operator.from,
    to: word.to,
    severity: 'error',
    code: 'value.operator-not-allowed',
    message: `No build starts exactly ${distance} from now. Use ${field.name}>${distance} for since then, or < for before then.`,
    fixes: [
      rewrite(operator, '>', `Change to ${field.name}>${distance}`),
      rewrite(operator, '<', `Change to ${field.name}<${distance}`),
    ],
  }
}

/** `[2024-01-01 to 2024-01-31]`: the 31st is outside, but for its first instant. */
export function dateAsRangeEnd(high: Word, { moment, dateOnly }: WrittenMoment): Diagnostic[] {
  if (!dateOnly || moment.type === 'relative') return []
  const written = plainText(high) ?? ''
  const [date, zone] = [written.slice(0, 10), written.slice(10)]
  const lastMs = `${date}T23:59:59.999${zone}`
  const nextDay = new Date(Date.parse(`${date}T00:00Z`) + 86_400_000).toISOString()
  return [
    {
      from: high.from,
      to: high.to,
      severity: 'info',
      code: 'logic.range-end-midnight',
      message: `The range ends when ${written} starts. Use ${lastMs} to include that day.`,
      fixes: [
        rewrite(high, lastMs),
        // The day after the last one of the year 9999 cannot be written.
        ...(nextDay.startsWith('+') ? [] : [rewrite(high, `${nextDay.slice(0, 16)}${zone}`)]),
      ],
    },
  ]
}
