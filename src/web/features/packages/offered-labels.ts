/** A label and its values, each with how many policies have it. */
export type CountedLabel = readonly [name: string, values: ReadonlyMap<string, number>]

/**
 * The labels that are offered to filter and group by, in their order: those in use, and `most` of the
 * others, which the most policies have. A service may have thousands, and nobody looks through them.
 */
export function offeredLabels(
  labels: readonly CountedLabel[],
  inUse: ReadonlySet<string>,
  most: number,
): readonly CountedLabel[] {
  if (labels.length <= most) return labels
  const others = labels.filter(([name]) => !inUse.has(name))
  const often = [...others].sort((a, b) => policiesOf(b) - policiesOf(a)).slice(0, most)
  const offered = new Set([...inUse, ...often.map(([name]) => name)])
  return labels.filter(([name]) => offered.has(name))
}

function policiesOf([, values]: CountedLabel): number {
  let sum = 0
  for (const count of values.values()) sum += count
  return sum
}
