import { cutText } from './cut-text.ts'

/**
 * Names of labels as people read them: `policy.example.com/enforcement-point` is "enforcement point".
 * Two labels that would be called the same keep their whole names.
 */
export function labelWords(names: Iterable<string>): ReadonlyMap<string, string> {
  const all = [...new Set(names)]
  const short = all.map((name) => cutText(shortName(name), longestWord))
  const times = new Map<string, number>()
  for (const word of short) times.set(word, (times.get(word) ?? 0) + 1)
  return new Map(
    all.map((name, index) => {
      const word = short[index] ?? name
      return [name, times.get(word) === 1 ? word : name]
    }),
  )
}

/** In characters; nobody reads on in the middle of a line. */
const longestWord = 60

/** Values in the order of their weight where they are words for severity, else by name. */
export function byWeight(a: string, b: string): number {
  return weight(a) - weight(b) || (a < b ? -1 : a > b ? 1 : 0)
}

/**
 * The label that says how bad it is, by its name: there is no fixed one
 * (docs/services.md#policy-result).
 */
export function severityLabel(names: Iterable<string>): string | undefined {
  return [...names].find((name) => /(?:^|[/._-])severity$/i.test(name))
}

const weights = [
  'blocker',
  'critical',
  'high',
  'major',
  'medium',
  'moderate',
  'minor',
  'low',
  'info',
]

function weight(value: string): number {
  const at = weights.indexOf(value.toLowerCase())
  return at === -1 ? weights.length : at
}

/** Without the domain in front, and without separators. */
function shortName(name: string): string {
  const slash = name.indexOf('/')
  const domain = name.slice(0, slash)
  const rest = domain.includes('.') ? name.slice(slash + 1) : name
  return rest.replace(/[/_-]+/g, ' ').trim() || name
}
