/**
 * Which of two versions comes first: below 0, above 0, or 0 where neither does; undefined where one of
 * them doesn't begin with a number, such as `latest`, or is no version, such as the commit `4f2fabc`. They are compared
 * number by number (2.9 is before 2.10), a word is before the number or the end in its place (2.4.0-rc.1 is before
 * 2.4.0), but for those of a later release (2.4.0-SP1 is behind 2.4.0); zeros at the end and what stands behind a +
 * change nothing.
 */
export function compareVersions(a: string, b: string): number | undefined {
  const [left, right] = [partsOf(a), partsOf(b)]
  if (left === undefined || right === undefined) return undefined
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const order = comparePart(left[at] ?? '0', right[at] ?? '0')
    if (order !== 0) return order
  }
  return 0
}

/** Versions of a package, both ends included. */
export interface VersionRange {
  readonly from: string
  /** Null: no end. */
  readonly until: string | null
}

/** Whether a version is within a range; one that can't be compared only where it is one of its ends. */
export function isWithinVersions(version: string, { from, until }: VersionRange): boolean {
  if (version === from || version === until) return true
  const fromOrder = compareVersions(from, version)
  const untilOrder = until === null ? 0 : compareVersions(version, until)
  return fromOrder !== undefined && untilOrder !== undefined && fromOrder <= 0 && untilOrder <= 0
}

/** "2.4.0 to 2.6", "2.4.0 and later", "2.4.0". */
export function rangeText({ from, until }: VersionRange): string {
  if (until === null) return `${from} and later`
  return until === from ? from : `${from} to ${until}`
}

function partsOf(version: string): readonly string[] | undefined {
  const text = version.replace(/\+.*$/s, '').toLowerCase()
  // Letters right behind the first number are those of a commit, unless more numbers came before.
  if (!/^v?\d+(?:(?:\.\d+)+|(?![\p{L}\p{N}]))/u.test(text)) return undefined
  return text.replace(/^v/, '').match(/\d+|\p{L}+/gu) ?? []
}

/** Words of what comes after the release that they stand behind. */
const later = /^(?:sp|post|patch|hotfix|rev|r|p)$/

/** A word, the end or a zero, a word of a later release, a number. */
function rankOf(part: string): number {
  if (!/^\d/.test(part)) return later.test(part) ? 2 : 0
  return /^0+$/.test(part) ? 1 : 3
}

function comparePart(a: string, b: string): number {
  const rank = rankOf(a) - rankOf(b)
  if (rank !== 0) return rank
  if (!/^\d/.test(a)) return a < b ? -1 : a > b ? 1 : 0
  // As texts: a number in a version may be longer than what a JavaScript number holds.
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  if (left.length !== right.length) return left.length - right.length
  return left < right ? -1 : left > right ? 1 : 0
}
