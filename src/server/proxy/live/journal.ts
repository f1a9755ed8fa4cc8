import { BuildMessage } from '../../../protocol/build-message.ts'
import type { Entry } from '../../live-log/live-log.ts'

/**
 * The newest builds and what became known of them, as numbered entries: what readers follow and
 * what a reader that comes back is served from. An entry's number never changes; entries are
 * serialised once, when they are appended.
 */
export interface Journal {
  /** Appends an entry; false, and nothing happens, when it is a build that the ring already holds. */
  readonly append: (entry: Entry) => boolean
  /** The number of the newest entry; 0 before the first. */
  readonly head: () => number
  /** The number before that of the oldest entry that is kept. */
  readonly tail: () => number
  readonly entry: (number: number) => Entry | undefined
  /** The number of a build's entry, if it is kept. */
  readonly numberOf: (buildId: string) => number | undefined
  /** The number before that of the first kept build received at an instant (epoch ms) or later. */
  readonly before: (instant: number) => number
  /** Whether all builds from an instant on are kept. */
  readonly covers: (instant: number) => boolean
  /** The first build after an entry. */
  readonly oldestBuildAfter: (number: number) => string | undefined
  readonly newestBuild: () => string | undefined
  /** About how many bytes the entries after `from` up to `to` are on the wire. */
  readonly bytesBetween: (from: number, to: number) => number
  readonly builds: () => number
  /** How many builds the entries after `from` up to `to` are. */
  readonly buildsBetween: (from: number, to: number) => number
}

/** A build as an entry. */
export function buildEntry(build: BuildMessage): Entry & { kind: 'build' } {
  const { buildId: id, timestamp } = build
  return { kind: 'build', id, timestamp, json: JSON.stringify(build) }
}

/** The build of an entry; undefined where another release wrote something else. */
export function buildOf({ json }: Entry & { kind: 'build' }): BuildMessage | undefined {
  return BuildMessage.safeParse(jsonOf(json)).data
}

/** The value of a text of JSON; undefined where it is none. */
export function jsonOf(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Makes an empty journal that keeps at least the newest `size` builds. */
export function createJournal(size: number): Journal {
  const numbers = new Map<string, number>()
  let entries: Entry[] = []
  /** For each entry, the bytes of all entries up to and with it. */
  let totals: number[] = []
  let tail = 0

  const head = (): number => tail + entries.length
  const entry = (number: number): Entry | undefined => entries[number - tail - 1]
  const total = (number: number): number => totals[number - tail - 1] ?? totals[0] ?? 0

  const push = (added: Entry): void => {
    totals.push((totals.at(-1) ?? 0) + added.json.length + framingBytes)
    entries.push(added)
  }

  /** Drops in blocks, as moving a long array for every build would cost more than it keeps. */
  const trim = (): void => {
    const slack = Math.max(64, size >> 3)
    const most = size * entriesPerBuild
    if (numbers.size < size + slack && entries.length < most + slack) return
    let dropped = 0
    while (numbers.size > size || entries.length - dropped > most) {
      const old = entries[dropped++]
      if (old?.kind === 'build') numbers.delete(old.id)
    }
    entries = entries.slice(dropped)
    totals = totals.slice(dropped)
    tail += dropped
  }

  return {
    head,
    tail: () => tail,
    entry,
    builds: () => numbers.size,
    buildsBetween: (from, to) =>
      entries
        .slice(Math.max(0, from - tail), Math.max(0, to - tail))
        .filter(({ kind }) => kind === 'build').length,
    numberOf: (buildId) => numbers.get(buildId),
    append: (added) => {
      if (added.kind === 'build') {
        if (numbers.has(added.id)) return false
        numbers.set(added.id, head() + 1)
      }
      push(added)
      trim()
      return true
    },
    covers: (instant) => {
      const oldest = entries.find((kept) => kept.kind === 'build')
      return oldest !== undefined && oldest.timestamp < instant
    },
    before: (instant) => {
      const index = entries.findIndex((kept) => kept.kind === 'build' && kept.timestamp >= instant)
      return index === -1 ? head() : tail + index
    },
    oldestBuildAfter: (number) =>
      entries.slice(Math.max(0, number - tail)).find((kept) => kept.kind === 'build')?.id,
    newestBuild: () => entries.findLast((kept) => kept.kind === 'build')?.id,
    bytesBetween: (from, to) => total(to) - total(Math.max(from, tail)),
  }
}

/** Facts of older builds also pass through here: they must not push the builds out. */
const entriesPerBuild = 3

/** What `id:`, `event:` and `data:` add to the JSON of a build. */
const framingBytes = 40
