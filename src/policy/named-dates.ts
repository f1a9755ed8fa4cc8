import type { NamedDate } from '../protocol/evaluation.ts'
import type { PolicyResult } from '../protocol/policy-result.ts'

/** How servers name the time until which something is valid. */
const validity =
  /^(?:not[_-]?after|valid[_-]?(?:until|to|thru|through)|expir(?:y|es|ation)(?:[_-]?(?:at|on|date|time))?|expires)$/i
/** How labels name the day from which a policy counts. */
const effect = /(?:^|[/._-])(?:effective|enforced?|enforcement)[._-]?(?:on|from|since|date|at)?$/i

const deepest = 6
const mostValues = 2000
const longestName = 80

/**
 * The times after `since` (epoch ms) that a result names: of a satisfied one until when its details
 * are valid, of any other the label with the day from which its policy counts. Each name once, with the
 * earliest of its times.
 */
export function namedDates(result: PolicyResult, since: number): readonly NamedDate[] {
  const found = new Map<string, number>()
  const add = (name: string, value: unknown): void => {
    const at = readMoment(value)
    const short = name.slice(0, longestName)
    if (at !== undefined && at > since) found.set(short, Math.min(at, found.get(short) ?? at))
  }
  if (result.status === 'satisfied') lookForValidity(result.details, add)
  else
    for (const [name, value] of Object.entries(result.labels))
      if (effect.test(name)) add(name, value)
  const is = result.status === 'satisfied' ? 'validity-ends' : 'takes-effect'
  return [...found].map(([name, at]) => ({ uri: result.policyUri, is, name, at }))
}

function lookForValidity(details: unknown, add: (name: string, value: unknown) => void): void {
  let left = mostValues
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > deepest) return
    for (const [field, inner] of Object.entries(value)) {
      if ((left -= 1) < 0) return
      if (validity.test(field)) add(field, inner)
      look(inner, depth + 1)
    }
  }
  look(details, 0)
}

/** A time as JSON has it: ISO 8601, a day (its start in UTC), or seconds or ms since 1970. */
function readMoment(value: unknown): number | undefined {
  if (typeof value === 'number') {
    const at = Math.round(value < 100_000_000_000 ? value * 1000 : value)
    return at > 0 && at <= 8_640_000_000_000_000 ? at : undefined
  }
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(value)) return undefined
  const at = Date.parse(value.length === 10 ? `${value}T00:00:00Z` : value.replace(' ', 'T'))
  return Number.isNaN(at) ? undefined : at
}
