import { shortText } from '../../protocol/untrusted-text.ts'

/** A value as it was meant, or why the text cannot be one. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: ValueProblem }

export interface ValueProblem {
  /** As in `Diagnostic`. */
  readonly code: string
  readonly message: string
  /** The part of the text that is wrong; without it, all of it. */
  readonly from?: number
  readonly to?: number
  /** What could be written in place of the whole text, the likeliest first. */
  readonly instead: readonly string[]
}

/** A text as a sentence shows it: what is long is cut. */
export function shown(text: string): string {
  return shortText(text, 60)
}

/** `a, b or c`. */
export function listed(items: readonly string[], word: 'and' | 'or'): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1) ?? ''}`
}

/** `true` or `false`, in any case. */
export function readBoolean(text: string): Reading<boolean> {
  const folded = text.toLowerCase()
  if (folded === 'true' || folded === 'false') return { ok: true, value: folded === 'true' }
  return {
    ok: false,
    problem: {
      code: 'value.boolean-invalid',
      message: `${text === '' ? 'An empty value' : shown(text)} isn't true or false.`,
      instead: yes.has(folded) ? ['true'] : no.has(folded) ? ['false'] : ['true', 'false'],
    },
  }
}

const yes = new Set(['yes', 'y', 'on', '1', 't', 'enabled'])
const no = new Set(['no', 'n', 'off', '0', 'f', 'disabled'])

/** A whole number or one with decimals, perhaps negative: `4`, `-1`, `2.5`. */
export function readNumber(text: string): Reading<number> {
  const value = plain.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(value)) return { ok: true, value }
  const problem = Number.isNaN(value)
    ? {
        code: 'value.number-invalid',
        message: `${text === '' ? 'An empty value' : shown(text)} isn't a number. Use one such as 4 or 2.5.`,
        instead: likelyMeant(text),
      }
    : { code: 'value.too-large', message: 'The number is too large.', instead: [] }
  return { ok: false, problem }
}

const plain = /^-?\d+(?:\.\d+)?$/

/** Numbers as they are written elsewhere: `1,000`, `1_000`, `+4`, `.5`, `1e3`, `2,5`. */
function likelyMeant(text: string): string[] {
  if (text.length > 100) return []
  const ungrouped = text.replace(/(?<=\d)[,_'\s](?=\d{3}(?:\D|$))/g, '')
  const value = number.test(ungrouped) ? Number(ungrouped.replace(',', '.')) : Number.NaN
  const written = String(value)
  return plain.test(written) ? [written] : []
}

const number = /^\s*[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[Ee][+-]?\d{1,3})?\s*$/
