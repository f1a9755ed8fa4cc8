import { type Reading, shown } from './reading.ts'

/** A whole number or one with decimals, perhaps negative: `4`, `-1`, `2.5`. */
export function readNumber(text: string): Reading<number> {
  const value = plain.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(value)) return { ok: true, value }
  const mistake = Number.isNaN(value)
    ? {
        code: 'value.number-invalid',
        message: `${text === '' ? 'An empty value' : shown(text)} isn't a number. Use one such as 4 or 2.5.`,
        instead: likelyMeant(text),
      }
    : { code: 'value.too-large', message: 'The number is too large.', instead: [] }
  return { ok: false, mistake }
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
