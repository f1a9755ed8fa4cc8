/**
 * The candidate that a misspelt predicate type most likely means: the same but for case, blanks, scheme
 * or a last slash, its beginning (another version of the same), or a few letters away; undefined where
 * none is near.
 */
export function nearestType(type: string, candidates: readonly string[]): string | undefined {
  const wanted = reduced(type)
  if (wanted.length > longest || wanted === '') return undefined
  const beginnings = candidates.filter((candidate) => wanted.startsWith(reduced(candidate)))
  const [first, ...others] = beginnings
  if (first !== undefined) {
    return others.reduce((best, other) => (other.length > best.length ? other : best), first)
  }
  let best: string | undefined
  let least = Math.max(2, Math.floor(wanted.length / 6)) + 1
  for (const candidate of candidates) {
    const distance = lettersApart(wanted, reduced(candidate), least)
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

const longest = 300

function reduced(type: string): string {
  return type
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/\/+$/, '')
}

/** The Levenshtein distance of two texts, or `limit` where it is no less than that. */
function lettersApart(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    if (Math.min(...next) >= limit) return limit
    row = next
  }
  return Math.min(limit, row[b.length] ?? limit)
}
