/** The names that `typed` may mean, likeliest first: other case, a few slips, ending with it, or continuing it. */
export function nearest(typed: string, names: Iterable<string>, most = 3): string[] {
  const folded = typed.toLowerCase()
  const found: { readonly name: string; readonly distance: number }[] = []
  for (const name of names) {
    const distance = distanceOf(folded, name.toLowerCase())
    if (distance !== undefined) found.push({ name, distance })
  }
  const ordered = found.sort((a, b) => a.distance - b.distance)
  const best = ordered[0]?.distance
  // The very name in another case leaves nothing to choose.
  return ordered.slice(0, best === 0 ? 1 : most).map(({ name }) => name)
}

/** Smaller is nearer; undefined is too far. */
function distanceOf(typed: string, name: string): number | undefined {
  if (typed === name) return 0
  const slips = Math.min(3, Math.floor(typed.length / 3))
  const distance = editDistance(typed, name, slips)
  if (distance !== undefined) return distance
  if (typed.length < 3) return undefined
  const last = name.slice(name.lastIndexOf('.') + 1)
  // `outcome` is that of the build before that of one of its caches.
  if (name.endsWith(typed)) return last === name ? 0.4 : last === typed ? 0.5 : 4
  if (name.startsWith(typed) && typed.length * 2 > name.length) return 5
  const inLast = last === name ? undefined : editDistance(typed, last, Math.min(slips, 2))
  return inLast === undefined ? undefined : 6 + inLast
}

/**
 * How many letters have to be added, left out, changed or swapped with the next one; undefined when
 * it is more than `most`. Looks only at as many letters to each side, and stops when that is sure.
 */
function editDistance(a: string, b: string, most: number): number | undefined {
  if (Math.abs(a.length - b.length) > most) return undefined
  const far = most + 1
  const rows = [0, 1, 2].map(() => new Array<number>(b.length + 1).fill(far))
  for (let j = 0; j <= Math.min(most, b.length); j++) setAt(rows[0], j, j)
  for (let i = 1; i <= a.length; i++) {
    const [row, last, before] = [rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3]]
    const [first, end] = [Math.max(1, i - most), Math.min(b.length, i + most)]
    setAt(row, first - 1, first === 1 ? i : far)
    let least = far
    for (let j = first; j <= end; j++) {
      const same = a[i - 1] === b[j - 1]
      let distance = Math.min(
        at(last, j, far) + 1,
        at(row, j - 1, far) + 1,
        at(last, j - 1, far) + (same ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, at(before, j - 2, far) + 1)
      }
      setAt(row, j, distance)
      least = Math.min(least, distance)
    }
    setAt(row, end + 1, far)
    if (least > most) return undefined
  }
  const distance = at(rows[a.length % 3], b.length, far)
  return distance <= most ? distance : undefined
}

function at(row: readonly number[] | undefined, index: number, otherwise: number): number {
  return row?.[index] ?? otherwise
}

function setAt(row: number[] | undefined, index: number, value: number): void {
  if (row && index < row.length) row[index] = value
}
