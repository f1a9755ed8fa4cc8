/** Conditions put together. */
export type FilterTree<Leaf> =
  | { readonly type: 'every' | 'none' }
  | { readonly type: 'and' | 'or'; readonly parts: readonly FilterTree<Leaf>[] }
  | { readonly type: 'leaf'; readonly leaf: Leaf }

/** Holds of every build. */
export const every = { type: 'every' } as const
/** Holds of no build. */
export const none = { type: 'none' } as const

/** One condition. */
export function leaf<Leaf>(condition: Leaf): FilterTree<Leaf> {
  return { type: 'leaf', leaf: condition }
}

/** Holds where all of the filters do; without parts that say nothing. */
export function allOf<Leaf>(filters: readonly FilterTree<Leaf>[]): FilterTree<Leaf> {
  const parts = filters
    .filter(({ type }) => type !== 'every')
    .flatMap((part) => (part.type === 'and' ? part.parts : [part]))
  if (parts.some(({ type }) => type === 'none')) return none
  return parts.length > 1 ? { type: 'and', parts } : (parts[0] ?? every)
}

/** Holds where one of the filters does; likewise. */
export function anyOf<Leaf>(filters: readonly FilterTree<Leaf>[]): FilterTree<Leaf> {
  const parts = filters
    .filter(({ type }) => type !== 'none')
    .flatMap((part) => (part.type === 'or' ? part.parts : [part]))
  if (parts.some(({ type }) => type === 'every')) return every
  return parts.length > 1 ? { type: 'or', parts } : (parts[0] ?? none)
}

/** A filter of at most so many conditions that holds wherever this one does. */
export function atMost<Leaf>(filter: FilterTree<Leaf>, conditions: number): FilterTree<Leaf> {
  if (countOf(filter) <= conditions) return filter
  if (filter.type !== 'and') return every
  let left = conditions
  const kept = filter.parts.filter((part) => {
    const fits = countOf(part) <= left
    if (fits) left -= countOf(part)
    return fits
  })
  return allOf(kept)
}

/** Its conditions, in order. */
export function leavesOf<Leaf>(filter: FilterTree<Leaf>): Leaf[] {
  if (filter.type === 'leaf') return [filter.leaf]
  return filter.type === 'and' || filter.type === 'or' ? filter.parts.flatMap(leavesOf) : []
}

function countOf(filter: FilterTree<unknown>): number {
  return leavesOf(filter).length
}
