import type { BuildMessage } from '../../../protocol/build-message.ts'
import { minuteMs } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { FeedRow, MinuteCount } from './feed-state.ts'

export interface FeedRows {
  /** Adds a build at the end; false where the same build is kept already. */
  readonly add: (build: BuildMessage) => boolean
  /** Joins facts to their build; undefined where it is not kept, else the row as it was before. */
  readonly join: (facts: Facts) => FeedRow | undefined
  /** The row with this arrival, if it is kept; the same object until facts come. */
  readonly row: (arrival: number) => FeedRow | undefined
  readonly arrivalOf: (buildId: string) => number | undefined
  /** Keeps none of them any more; the numbers go on. */
  readonly clear: () => void
  /** How many made way for newer ones. */
  readonly dropped: () => number
  /** The arrivals kept; `oldest > newest` when there are none. */
  readonly oldest: () => number
  readonly newest: () => number
}

/** Keeps at most `limit` builds: the oldest makes way for the newest. */
export function createFeedRows(limit: number): FeedRows {
  const builds = createBuildColumns(limit)
  /** Made when they are first read: of a million builds few are ever looked at. */
  const rows = new Map<number, FeedRow>()
  const index = createBuildIndex(limit, builds.hasId)
  let newest = 0
  let cleared = 0

  const oldest = (): number => Math.max(cleared, newest - limit) + 1
  const placeOf = (arrival: number): number => (arrival - 1) % limit
  /** The newest arrival that has this place. */
  const arrivalAt = (place: number): number => newest - ((newest - 1 - place) % limit)
  const row = (arrival: number): FeedRow | undefined => {
    if (arrival < oldest() || arrival > newest) return undefined
    const place = placeOf(arrival)
    const known = rows.get(place)
    if (known !== undefined) return known
    const build = builds.get(place)
    if (build === undefined) return undefined
    const made = { arrival, build, facts: undefined }
    rows.set(place, made)
    return made
  }
  const arrivalOf = (buildId: string): number | undefined => {
    const place = index.find(buildId)
    return place === -1 ? undefined : arrivalAt(place)
  }

  return {
    add: (build) => {
      const place = placeOf(newest + 1)
      if (!index.put(build.buildId, place)) return false
      newest += 1
      builds.set(place, build)
      rows.delete(place)
      return true
    },
    join: (facts) => {
      const before = row(arrivalOf(facts.buildId) ?? 0)
      if (before !== undefined) rows.set(placeOf(before.arrival), { ...before, facts })
      return before
    },
    row,
    arrivalOf,
    clear: () => {
      index.clear()
      cleared = newest
    },
    dropped: () => oldest() - 1 - cleared,
    oldest,
    newest: () => newest,
  }
}

const idLength = 13
const fieldCount = 5
/** More different words than that are no vocabulary of tools and versions. */
const maxWords = 10_000

/**
 * Keeps builds by place, from 0 up to the capacity, in columns of numbers: kept as objects, a hundred thousand of them survive each
 * garbage collection, which costs a catch-up a sixth of its time and a third of its memory. A build
 * that is more than its five fields is kept as it is.
 */
function createBuildColumns(capacity: number) {
  const ids = new Uint8Array(capacity * idLength)
  const timestamps = new Float64Array(capacity)
  const toolTypes = new Uint16Array(capacity)
  const toolVersions = new Uint16Array(capacity)
  const agentVersions = new Uint16Array(capacity)
  const words: string[] = []
  const decoder = new TextDecoder('latin1')
  const numbers = new Map<string, number>()
  const whole = new Map<number, BuildMessage>()
  let filled = 0

  function numberOf(word: string): number {
    const known = numbers.get(word)
    if (known !== undefined) return known
    numbers.set(word, words.length)
    return words.push(word) - 1
  }

  function idAt(place: number): string {
    return decoder.decode(ids.subarray(place * idLength, (place + 1) * idLength))
  }

  return {
    /** Puts a build at a place, over whatever was there. */
    set: (place: number, build: BuildMessage) => {
      const { buildId } = build
      for (let index = 0; index < idLength; index++) {
        ids[place * idLength + index] = buildId.charCodeAt(index)
      }
      filled = Math.max(filled, place + 1)
      if (whole.size > 0) whole.delete(place)
      if (!isPlain(build) || words.length > maxWords) {
        whole.set(place, build)
        return
      }
      timestamps[place] = build.timestamp
      toolTypes[place] = numberOf(build.toolType)
      toolVersions[place] = numberOf(build.toolVersion)
      agentVersions[place] = numberOf(build.agentVersion)
    },
    /** The build at a place, as an equal object; undefined where none was put. */
    get: (place: number): BuildMessage | undefined => {
      if (place >= filled) return undefined
      return (
        whole.get(place) ?? {
          buildId: idAt(place),
          timestamp: timestamps[place] ?? 0,
          toolType: words[toolTypes[place] ?? 0] ?? '',
          toolVersion: words[toolVersions[place] ?? 0] ?? '',
          agentVersion: words[agentVersions[place] ?? 0] ?? '',
        }
      )
    },
    hasId: (place: number, buildId: string) => {
      for (let index = 0; index < idLength; index++) {
        if (ids[place * idLength + index] !== buildId.charCodeAt(index)) return false
      }
      return true
    },
  }
}

function isPlain(build: BuildMessage): boolean {
  let fields = 0
  for (const _ in build) fields += 1
  return fields === fieldCount
}

/**
 * Finds the place of a build, 0 up to the capacity, by its id: a hash table by open addressing with
 * linear probing; `hasId` tests whether the build at a place has an id. With a Map and an array of
 * builds in its place a catch-up takes a quarter more of the processor and twice the memory
 * (bench/feed: 34 instead of 42 % of bare JSON.parse, 475 instead of 210 MB), as each key is an
 * object of its own.
 */
function createBuildIndex(capacity: number, hasId: (place: number, buildId: string) => boolean) {
  const size = 2 ** Math.ceil(Math.log2(Math.max(8, capacity * 2)))
  const mask = size - 1
  /** Place + 1 by slot; 0 is an empty slot. */
  const slots = new Int32Array(size)
  const hashes = new Int32Array(capacity)

  function slotOf(buildId: string, hash: number): number {
    let slot = hash & mask
    for (let entry = at(slots, slot); entry !== 0; entry = at(slots, slot)) {
      if (at(hashes, entry - 1) === hash && hasId(entry - 1, buildId)) return slot
      slot = (slot + 1) & mask
    }
    return slot
  }

  function remove(place: number): void {
    let hole = at(hashes, place) & mask
    while (at(slots, hole) !== place + 1) {
      if (at(slots, hole) === 0) return
      hole = (hole + 1) & mask
    }
    for (let slot = (hole + 1) & mask; at(slots, slot) !== 0; slot = (slot + 1) & mask) {
      const home = at(hashes, at(slots, slot) - 1) & mask
      // An entry may fill the hole unless its own home lies behind the hole.
      if (((slot - home) & mask) >= ((slot - hole) & mask)) {
        slots[hole] = at(slots, slot)
        hole = slot
      }
    }
    slots[hole] = 0
  }

  return {
    clear: () => {
      slots.fill(0)
    },
    /** The place of a build, or -1. */
    find: (buildId: string) => at(slots, slotOf(buildId, hashOf(buildId))) - 1,
    /** Notes that the build at `place` has this id now; false, and nothing happens, when the index has it already. */
    put: (buildId: string, place: number) => {
      const hash = hashOf(buildId)
      if (slots[slotOf(buildId, hash)] !== 0) return false
      remove(place)
      // What was removed may have left a slot nearer to home.
      slots[slotOf(buildId, hash)] = place + 1
      hashes[place] = hash
      return true
    },
  }
}

/** FNV-1a over the characters. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  // The low bits choose the slot, so the high ones are folded in.
  return hash ^ (hash >>> 15)
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0
}

const minutesShown = 60
const minutesKept = 180

/** How a build ended, as far as it is known. */
export type Ending = 'succeeded' | 'failed' | 'unknown'

/** Builds per minute by outcome, kept up to date one build at a time. */
export interface MinuteCounts {
  /** Counts a build of unknown ending that the server received at `timestamp`, epoch ms. */
  readonly add: (timestamp: number) => void
  /** A build that was counted turns out to have ended otherwise. */
  readonly move: (timestamp: number, from: Ending, to: Ending) => void
  /**
   * The 60 minutes up to `now`, oldest first, the current one last; the same array as long as
   * nothing changed. Builds from the future, by a clock that is ahead, count as of this minute.
   */
  readonly last: (now: number) => readonly MinuteCount[]
}

const none: Record<Ending, number> = { succeeded: 0, failed: 0, unknown: 0 }

/** What is known of how a build ended. */
export function endingOf(facts: Facts | undefined): Ending {
  return facts?.outcome ?? 'unknown'
}

/** Counts nothing yet. */
export function createMinuteCounts(): MinuteCounts {
  const counts = new Map<number, Record<Ending, number>>()
  let shown: readonly MinuteCount[] = []
  let shownMinute = NaN
  let changed = false

  // Builds come in the order of their time: nearly all share the minute of the one before.
  let near = none
  let nearUntil = -Infinity

  function countOf(timestamp: number): Record<Ending, number> {
    if (timestamp < nearUntil && timestamp >= nearUntil - minuteMs) return near
    const minute = minuteOf(timestamp)
    near = counts.get(minute) ?? { ...none }
    nearUntil = (minute + 1) * minuteMs
    counts.set(minute, near)
    // Not by the time that it is: clocks may be ahead for a while.
    if (counts.size > minutesKept) counts.delete(Math.min(...counts.keys()))
    return near
  }

  return {
    add: (timestamp) => {
      countOf(timestamp).unknown += 1
      changed = true
    },
    move: (timestamp, from, to) => {
      // A minute that has gone by is no longer counted.
      if (from === to || !counts.has(minuteOf(timestamp))) return
      const count = countOf(timestamp)
      count[from] -= 1
      count[to] += 1
      changed = true
    },
    last: (now) => {
      const current = minuteOf(now)
      if (!changed && current === shownMinute) return shown
      const first = current - minutesShown + 1
      const sums = Array.from({ length: minutesShown }, (_, index) => ({
        minute: (first + index) * minuteMs,
        succeeded: 0,
        failed: 0,
        unknown: 0,
      }))
      for (const [minute, count] of counts) {
        const sum = sums[Math.min(minute, current) - first]
        if (sum === undefined) continue
        sum.succeeded += count.succeeded
        sum.failed += count.failed
        sum.unknown += count.unknown
      }
      shown = sums
      shownMinute = current
      changed = false
      return shown
    },
  }
}

function minuteOf(time: number): number {
  return Math.floor(time / minuteMs)
}
