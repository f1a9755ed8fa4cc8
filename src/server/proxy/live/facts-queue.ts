import type { BuildMessage } from '../../../protocol/build-message.ts'

/** A build of which more is to be learned. */
export interface WantedFacts {
  readonly build: BuildMessage
  /** The build before it in the upstream's order, if known. */
  readonly previous: string | undefined
  /** Comes from the history: what has just arrived goes first. */
  readonly isOld: boolean
  /** How often it was asked for in vain. */
  readonly failures: number
  /** Attributes were tried: its own events are next. */
  readonly byEvents: boolean
}

/** Builds that wait for their facts, new ones before old ones; holds so many at most. */
export interface FactsQueue {
  /** Adds a build; the one that gives way because the queue is full comes back. */
  readonly add: (wanted: WantedFacts) => WantedFacts | undefined
  /** Takes builds that can be asked for together: they follow one another upstream. */
  readonly take: (most: number) => readonly WantedFacts[]
  readonly size: () => number
}

/**
 * Makes an empty queue. The newest builds are what people look at: when it is full the oldest gives
 * way, and of the old ones the newest are taken first. `mostOld` may change over time.
 */
export function createFactsQueue(mostNew: number, mostOld: () => number): FactsQueue {
  const fresh: WantedFacts[] = []
  const old: WantedFacts[] = []
  return {
    size: () => fresh.length + old.length,
    add: (wanted) => {
      const queue = wanted.isOld ? old : fresh
      queue.push(wanted)
      return queue.length > (wanted.isOld ? mostOld() : mostNew) ? queue.shift() : undefined
    },
    take: (most) => {
      if (fresh.length > 0) {
        let end = 1
        while (end < Math.min(most, fresh.length) && isNext(fresh[end - 1], fresh[end])) end++
        return fresh.splice(0, end)
      }
      let start = Math.max(0, old.length - 1)
      while (old.length - start < most && isNext(old[start - 1], old[start])) start--
      return old.splice(start)
    },
  }
}

/** Builds can be asked for together when it is known what comes before the first of them. */
function isNext(one: WantedFacts | undefined, next: WantedFacts | undefined): boolean {
  if (one === undefined || next === undefined || one.byEvents || next.byEvents) return false
  return next.previous === one.build.buildId && one.previous !== undefined
}
