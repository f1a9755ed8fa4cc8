/** Hands out the workers of a waterfall, numbered from 0. */
export interface Lanes {
  /** The lowest lane that is free, taken from now on. */
  readonly take: () => number
  /** The lane is free again. */
  readonly free: (lane: number) => void
  /** How many lanes there have been at once. */
  readonly count: () => number
}

/**
 * Lanes in which no two things that run at the same time meet: the events do not say which worker
 * did what, so whatever starts gets the lowest one that nothing runs on. Free lanes are kept as a
 * heap, so that a build of many workers costs no more than one of few.
 */
export function createLanes(): Lanes {
  const heap: number[] = []
  let count = 0

  function at(index: number): number {
    return heap[index] ?? Infinity
  }

  function swap(one: number, other: number): void {
    const lane = at(one)
    heap[one] = at(other)
    heap[other] = lane
  }

  return {
    take: () => {
      const lane = heap[0]
      if (lane === undefined) return count++
      const last = heap.pop()
      if (heap.length > 0 && last !== undefined) {
        heap[0] = last
        for (let index = 0; ;) {
          const left = 2 * index + 1
          const least = at(left) <= at(left + 1) ? left : left + 1
          if (at(least) >= at(index)) break
          swap(index, least)
          index = least
        }
      }
      return lane
    },
    free: (lane) => {
      heap.push(lane)
      for (let index = heap.length - 1; index > 0;) {
        const parent = (index - 1) >> 1
        if (at(parent) <= at(index)) break
        swap(index, parent)
        index = parent
      }
    },
    count: () => count,
  }
}
