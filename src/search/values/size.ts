import { type Reading, shown } from './reading.ts'

/** What a suffix of a storage size counts for in bytes (docs/services.md#storage-size-values). */
const sizeUnits: ReadonlyMap<string, number> = new Map(
  ['k', 'm', 'g', 't'].flatMap((letter, i) => [
    [letter, 1000 ** (i + 1)],
    [`${letter}i`, 1024 ** (i + 1)],
  ]),
)

/**
 * The bytes of a storage size: a number, perhaps with a unit, in any case and with or without a
 * final `b`. Decimals need a unit and are rounded to whole bytes.
 */
export function readSize(text: string): Reading<number> {
  const [, amount = '', suffix = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? []
  if (amount === '') return mistaken(text, 'value.size-invalid', notASize)
  const unit = suffix.toLowerCase().replace(/b$/, '')
  const factor = unit === '' ? 1 : sizeUnits.get(unit)
  if (factor === undefined) {
    return mistaken(text, 'value.unit-unknown', () => `${shown(suffix)} ${noUnit}`, amount.length)
  }
  if (unit === '' && amount.includes('.')) {
    return mistaken(text, 'value.size-invalid', (it) => `${it} isn't a whole number of bytes.`)
  }
  const value = Math.round(Number(amount) * factor)
  return Number.isFinite(value)
    ? { ok: true, value }
    : mistaken(text, 'value.too-large', () => 'The storage size is too large.')
}

const noUnit = "isn't a storage unit. Use k, ki, m, mi, g, gi, t or ti."
const notASize = (text: string): string =>
  `${text} isn't a storage size. Use bytes with an optional unit, such as 512mi or 1.5g.`

function mistaken(
  text: string,
  code: string,
  message: (text: string) => string,
  from = 0,
): Reading<number> {
  return {
    ok: false,
    problem: {
      code,
      message: message(text === '' ? 'An empty value' : shown(text)),
      from,
      to: text.length,
      instead: likelyMeant(text),
    },
  }
}

/** Sizes as they are written elsewhere: `512 MB`, `2 gigabytes`, `1p`, `1,024`, `1.5`. */
function likelyMeant(text: string): string[] {
  if (text.length > 100) return []
  const tidy = text
    .toLowerCase()
    .replace(/(?<=\d),(?=\d{3}(?:\D|$))/g, '')
    .replace(/^[-+]/, '')
    .replace(/\s+/g, '')
  const [, amount = '', letter = '', binary = ''] = written.exec(tidy) ?? []
  if (amount === '') return []
  const unit = `${letter === 'p' ? 't' : letter}${binary.endsWith('i') ? 'i' : ''}`
  const factor = letter === 'p' ? (unit === 't' ? 1000 : 1024) : 1
  const count = Number(amount) * factor
  const size = `${unit === '' ? Math.round(count) : count}${unit}`
  return readSize(size).ok ? [size] : []
}

const written =
  /^(\d+(?:\.\d+)?)(?:([kmgtp])(i|[iegt]bi|ilo|ega|iga|era|eta|)b?|b?)(?:y?(?:te)?s?)$/
