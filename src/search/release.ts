/**
 * Which of two releases of the server came first, such as `2024.1.1` and `2024.2`: negative when `a`
 * did, 0 when they are the same. A part that is not written counts as 0 (`2024.2` is `2024.2.0`).
 * Undefined where one of them is no release number.
 */
export function compareReleases(a: string, b: string): number | undefined {
  if (!release.test(a) || !release.test(b)) return undefined
  const left = a.split('.')
  const right = b.split('.')
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = Number(left[i] ?? 0) - Number(right[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const release = /^\d{1,9}(?:\.\d{1,9})*$/
