import type { Condition, MomentEdge } from '../condition.ts'
import type { FieldType } from '../field.ts'
import { amountBounds } from './amount-bounds.ts'
import { amountText } from './amount-words.ts'
import { instantBounds } from './instant-words.ts'
import { patternWords } from './text-words.ts'

/**
 * What a value was read as. `now` is epoch ms and `timeZone` an IANA zone; without `now` it is not told
 * when a relative time is.
 */
export function valueLines(
  condition: Condition,
  type: FieldType,
  { now, timeZone }: { readonly now?: number; readonly timeZone?: string },
): string[] {
  switch (condition.type) {
    case 'known':
      return ['Any value.']
    case 'boolean':
      return [condition.wanted ? 'True.' : 'False.']
    case 'text':
      return [`The value ${patternWords(condition.pattern, true)}, case-insensitive.`]
    case 'pair':
      return [
        `The name ${patternWords(condition.name, true)}.`,
        `The value ${patternWords(condition.value, true)}, case-insensitive.`,
      ]
    case 'amount':
      return [...sentence(amountBounds(condition, type)), ...inFull(condition, type)]
    case 'instant':
      return [
        ...sentence(instantBounds(condition, timeZone)),
        ...(now === undefined ? [] : resolved(condition, now, timeZone)),
      ]
  }
}

/** A size in bytes, as nobody knows these by heart. */
function inFull({ low, high }: Extract<Condition, { type: 'amount' }>, type: FieldType): string[] {
  if (type !== 'size') return []
  const amounts = [low, high].flatMap((edge) => (edge ? [amountText(edge.amount)] : []))
  return [`In bytes: ${[...new Set(amounts)].join(' to ')}.`]
}

/** When a relative time is. */
function resolved(
  condition: Extract<Condition, { type: 'instant' }>,
  now: number,
  timeZone: string | undefined,
): string[] {
  const edges = [condition.low, condition.high]
  if (!edges.some((edge) => edge?.moment.type === 'relative')) return []
  const [low, high] = edges.map((edge) => edge && absolute(edge, now))
  const words = instantBounds(
    { type: 'instant', ...(low && { low }), ...(high && { high }) },
    timeZone,
  )
  return [`Currently ${words}.`]
}

function absolute(edge: MomentEdge, now: number): MomentEdge {
  const { moment } = edge
  if (moment.type !== 'relative') return edge
  return { ...edge, moment: { type: 'absolute', time: now + moment.distance } }
}

function sentence(words: string): string[] {
  return [`${words.charAt(0).toUpperCase()}${words.slice(1)}.`]
}
