/** A piece of work, in a list where every piece comes after those it depends on. */
export interface Work {
  readonly dependsOn: readonly number[]
  /** How long it takes, in any unit. */
  readonly cost: number
  readonly failed: boolean
}

/** When a piece of work was done, in the unit of the costs. */
export interface Slot {
  /** Its position in the list. */
  readonly index: number
  readonly begin: number
  readonly end: number
}

/**
 * Who does what when, with some workers that each take the next piece whose turn it is. After a
 * failure nothing new begins, or with `continueOnFailure` nothing that depends on what failed. What
 * was never begun is left out. Ordered by begin.
 */
export function scheduleWork(
  work: readonly Work[],
  workers: number,
  continueOnFailure: boolean,
): Slot[] {
  const free = new Array<number>(workers).fill(0)
  const ends: number[] = []
  const slots = work.map(({ dependsOn, cost }, index): Slot => {
    const ready = Math.max(0, ...dependsOn.map((dependency) => ends[dependency] ?? 0))
    const worker = free.indexOf(Math.min(...free))
    const begin = Math.max(ready, free[worker] ?? 0)
    free[worker] = ends[index] = begin + cost
    return { index, begin, end: begin + cost }
  })
  return begun(work, slots, continueOnFailure).sort((one, other) => one.begin - other.begin)
}

function begun(work: readonly Work[], slots: readonly Slot[], continueOnFailure: boolean): Slot[] {
  const failures = slots.filter(({ index }) => work[index]?.failed)
  const firstFailure = Math.min(...failures.map(({ end }) => end))
  const blocked = new Set<number>()
  return slots.filter(({ index, begin }) => {
    const piece = work[index]
    const held = piece?.dependsOn.some((other) => blocked.has(other)) ?? false
    const late = !continueOnFailure && begin >= firstFailure
    if (held || piece?.failed) blocked.add(index)
    return !held && !late
  })
}
