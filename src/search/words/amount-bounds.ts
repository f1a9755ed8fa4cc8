import type { AmountEdge, Condition } from '../condition.ts'
import type { FieldType } from '../field.ts'
import { amountText, durationWords, sizeWords } from './amount-words.ts'

export type AmountCondition = Extract<Condition, { type: 'amount' }>

/** Between which amounts: `longer than 5 min`, `at least 2 GiB`, `from 2 to 8`, `exactly 4`. */
export function amountBounds({ low, high }: AmountCondition, type: FieldType): string {
  const words = type === 'duration' ? durationWords : type === 'size' ? sizeWords : amountText
  if (low && high) {
    if (low.amount === high.amount) return `exactly ${words(low.amount)}`
    return `from ${words(low.amount)} ${highWord(high)} ${words(high.amount)}`
  }
  if (low?.inclusive) return `at least ${words(low.amount)}`
  if (low) return `${type === 'duration' ? 'longer' : 'more'} than ${words(low.amount)}`
  if (high) return `${high.inclusive ? 'at most' : 'less than'} ${words(high.amount)}`
  return 'anything'
}

function highWord({ inclusive }: AmountEdge): string {
  return inclusive ? 'to' : 'to less than'
}
