/** How much of a whole something is. */
export interface Share {
  readonly name: string
  readonly count: number
}

/** The `most` largest of some counts, largest first; where there are more, the rest is "other". */
export function topShares(counts: ReadonlyMap<string, number>, most: number): readonly Share[] {
  const sorted = [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  if (sorted.length <= most) return sorted
  const other = sorted.slice(most - 1).reduce((sum, { count }) => sum + count, 0)
  return [...sorted.slice(0, most - 1), { name: 'other', count: other }]
}
