import { type Reading, shown } from './reading.ts'

/** The units of a duration in ms, longest first (docs/services.md#duration-values). */
const durationUnits: ReadonlyMap<string, number> = new Map([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
])

/**
 * The ms of a duration: simple (`90s`, `1h30m`, `1.5h`: units d, h, m, s and ms, each at most once,
 * longest first) or ISO 8601 (`PT1H30M`, `P2W`; in any case). Only the last part may have decimals.
 * Years and months have no fixed length, so they are problems.
 */
export function readDuration(text: string): Reading<number> {
  const iso = text.startsWith('P') || text.startsWith('p')
  const parts = iso ? isoParts(text) : partsOf(text)
  const fault = parts && parts.length > 0 ? faultOf(parts, iso) : notADuration
  if (fault) return mistaken(text, fault)
  const total = sum(parts ?? [], (unit) => (unit === 'w' ? week : durationUnits.get(unit)))
  if (total === undefined || !Number.isFinite(total)) {
    return mistaken(text, { code: 'value.too-large', message: () => 'The duration is too long.' })
  }
  return { ok: true, value: total }
}

/** A duration in ms as it is written in a query: `1h30m`; no time is `0s`. */
export function durationText(ms: number): string {
  let rest = thousandths(ms)
  let text = ''
  for (const [unit, length] of durationUnits) {
    const count = unit === 'ms' ? rest : Math.floor(rest / length)
    if (count > 0) text += `${count}${unit}`
    rest = thousandths(rest - count * length)
  }
  return text || '0s'
}

interface Part {
  readonly amount: string
  readonly unit: string
  /** Where its unit stands. */
  readonly from: number
  readonly to: number
}

interface Fault {
  readonly code: string
  readonly message: (text: string) => string
  readonly part?: Part
}

const week = 604_800_000

const notADuration: Fault = {
  code: 'value.duration-invalid',
  message: (text) => `${text} isn't a duration. Use numbers with units, such as 90s, 5m or 1h30m.`,
}

/** `1h30m` part by part; undefined where something else stands in it. */
function partsOf(text: string, from = 0, to = text.length): Part[] | undefined {
  const parts: Part[] = []
  const part = /(\d+(?:[.,]\d+)?)([A-Za-z]*)/y
  for (part.lastIndex = from; part.lastIndex < to;) {
    const found = part.exec(text)
    if (!found) return undefined
    const [, amount = '', unit = ''] = found
    parts.push({ amount, unit, from: part.lastIndex - unit.length, to: part.lastIndex })
  }
  return parts
}

/** `P1DT2H` in the units of the simple form, and y, mo and w. */
function isoParts(text: string): Part[] | undefined {
  const time = text.search(/t/i)
  const date = partsOf(text.slice(0, time < 0 ? text.length : time), 1)
  const clock = time < 0 ? [] : partsOf(text, time + 1)
  if (!date || !clock || (time >= 0 && clock.length === 0)) return undefined
  const parts = [
    ...date.map((part) => ({ ...part, unit: dateUnits.get(part.unit.toLowerCase()) })),
    ...clock.map((part) => ({ ...part, unit: clockUnits.get(part.unit.toLowerCase()) })),
  ]
  const named: Part[] = []
  for (const { unit, ...part } of parts) {
    if (unit === undefined) return undefined
    named.push({ ...part, unit })
  }
  return named
}

const dateUnits = new Map([
  ['y', 'y'],
  ['m', 'mo'],
  ['w', 'w'],
  ['d', 'd'],
])
const clockUnits = new Map([
  ['h', 'h'],
  ['m', 'm'],
  ['s', 's'],
])

const descending = ['y', 'mo', 'w', 'd', 'h', 'm', 's', 'ms']

function faultOf(parts: readonly Part[], iso: boolean): Fault | undefined {
  let last = -1
  for (const [i, part] of parts.entries()) {
    const { unit, amount } = part
    if (unit === '') {
      return {
        code: 'value.unit-missing',
        message: (text) => `${text} has no unit. Add d, h, m, s or ms to each number.`,
      }
    }
    if (iso && (unit === 'y' || unit === 'mo')) return noFixedLength(unit, part)
    if (!durationUnits.has(unit) && !(iso && unit === 'w')) {
      const { length } = lengths.find(({ names }) => names.includes(unit.toLowerCase())) ?? {}
      if (length === month || length === year) {
        return noFixedLength(length === year ? 'y' : 'mo', part)
      }
      return {
        code: 'value.unit-unknown',
        message: () => `${shown(unit)} isn't a time unit. Use d, h, m, s or ms.`,
        part,
      }
    }
    const rank = descending.indexOf(unit)
    const decimal = /[.,]/.exec(amount)?.[0]
    if (rank <= last || (decimal && i < parts.length - 1) || (decimal === ',' && !iso)) {
      return notADuration
    }
    last = rank
  }
  return undefined
}

function noFixedLength(unit: 'y' | 'mo', part: Part): Fault {
  const [name, days] = unit === 'y' ? ['year', '365d'] : ['month', '30d']
  return {
    code: 'value.unit-unknown',
    message: () => `A ${name} has no fixed length. Use days, such as ${days}.`,
    part,
  }
}

function mistaken(text: string, { code, message, part }: Fault): Reading<number> {
  return {
    ok: false,
    problem: {
      code,
      message: message(text === '' ? 'An empty value' : shown(text)),
      ...(part && { from: part.from, to: part.to }),
      instead: /^\d{1,9}$/.test(text)
        ? ['s', 'm', 'h'].map((unit) => `${text}${unit}`)
        : likelyMeant(text),
    },
  }
}

const month = 30 * 86_400_000
const year = 365 * 86_400_000

/** What people write for units, as a length in ms. */
const lengths: readonly { readonly names: readonly string[]; readonly length: number }[] = [
  { names: ['y', 'yr', 'yrs', 'year', 'years'], length: year },
  { names: ['mo', 'mon', 'month', 'months'], length: month },
  { names: ['w', 'wk', 'wks', 'week', 'weeks'], length: week },
  { names: ['d', 'day', 'days'], length: 86_400_000 },
  { names: ['h', 'hr', 'hrs', 'hour', 'hours'], length: 3_600_000 },
  { names: ['m', 'min', 'mins', 'minute', 'minutes'], length: 60_000 },
  { names: ['s', 'sec', 'secs', 'second', 'seconds'], length: 1000 },
  { names: ['ms', 'msec', 'msecs', 'millis', 'millisecond', 'milliseconds'], length: 1 },
]

function likelyMeant(text: string): string[] {
  if (text.length > 100) return []
  const tidy = text.replace(/\s+/g, '').replace(/^-/, '')
  const iso = /^p/i.test(tidy)
  const parts = (iso ? isoParts(tidy) : partsOf(tidy)) ?? []
  // A capital M is a minute to some, and a month to others.
  const meanings = parts.some(({ unit }) => unit === 'M') ? [60_000, month] : [60_000]
  return meanings.flatMap((ofM) => {
    const total = sum(parts, (unit) =>
      unit === 'M' ? ofM : lengths.find(({ names }) => names.includes(unit.toLowerCase()))?.length,
    )
    return total !== undefined && Number.isSafeInteger(Math.floor(total))
      ? [durationText(total)]
      : []
  })
}

function sum(
  parts: readonly Part[],
  length: (unit: string) => number | undefined,
): number | undefined {
  let total = parts.length > 0 ? 0 : Number.NaN
  for (const { amount, unit } of parts) {
    total += Number(amount.replace(',', '.')) * (length(unit) ?? Number.NaN)
  }
  return Number.isNaN(total) ? undefined : thousandths(total)
}

/** To a thousandth of a ms, so that 1.1h is no fraction off. */
function thousandths(ms: number): number {
  const exact = ms * 1000
  return Number.isSafeInteger(Math.round(exact)) ? Math.round(exact) / 1000 : ms
}
