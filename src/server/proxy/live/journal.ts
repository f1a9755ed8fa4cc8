import { BuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { liveEvents } from '../../../protocol/live-feed.ts'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import type { Entry } from '../../live-log/live-log.ts'
import { type Block, createBlock, type LiveClient } from './live-client.ts'

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
  /** Whether a build's entry is kept. */
  readonly holds: (buildId: string) => boolean
  /**
   * The number of a build's entry, if it is kept and all that is older stands before it. A build that came
   * behind newer ones may be an old one that the build server repeats: what follows it there isn't what
   * followed it for whoever had it before.
   */
  readonly numberOf: (buildId: string) => number | undefined
  /** The number before that of the first kept build received at an instant (epoch ms by the server's clock) or later. */
  readonly before: (instant: number) => number
  /** Whether all builds from an instant on (epoch ms by this process's clock) are kept. */
  readonly covers: (instant: number) => boolean
  /** The first build after an entry. */
  readonly oldestBuildAfter: (number: number) => string | undefined
  /** The newest build that `numberOf` knows. */
  readonly newestBuild: () => string | undefined
  /** About how many bytes the entries after `from` up to `to` are on the wire. */
  readonly bytesBetween: (from: number, to: number) => number
  readonly builds: () => number
  /** How many builds the entries after `from` up to `to` are. */
  readonly buildsBetween: (from: number, to: number) => number
}

type BuildEntry = Entry & { kind: 'build' }

/** A build as an entry. */
export function buildEntry(build: BuildMessage): BuildEntry {
  const { buildId: id, timestamp } = build
  return { kind: 'build', id, timestamp, json: JSON.stringify(build) }
}

/** The build of an entry; undefined where another release wrote something else. */
export function buildOf({ json }: BuildEntry): BuildMessage | undefined {
  return BuildMessage.safeParse(parsedJson(json)).data
}

/** Makes an empty journal that keeps at least the newest `size` builds. */
export function createJournal(size: number, clock: Pick<Clock, 'now'>): Journal {
  const numbers = new Map<string, number>()
  /** Builds behind newer ones. */
  const late = new Set<string>()
  let newestAt = -Infinity
  let entries: Entry[] = []
  /** For each entry, the bytes of all entries up to and with it. */
  let totals: number[] = []
  /**
   * When it was appended, epoch ms: the server had received it by then, whatever its own time says.
   */
  let times: number[] = []
  let tail = 0

  const head = (): number => tail + entries.length
  const entry = (number: number): Entry | undefined => entries[number - tail - 1]
  const total = (number: number): number => totals[number - tail - 1] ?? totals[0] ?? 0

  const push = (added: Entry): void => {
    totals.push((totals.at(-1) ?? 0) + added.json.length + framingBytes)
    entries.push(added)
    times.push(clock.now())
  }

  /** Drops in blocks, as moving a long array for every build would cost more than it keeps. */
  const trim = (): void => {
    const slack = Math.max(64, size >> 3)
    const most = size * entriesPerBuild
    if (numbers.size < size + slack && entries.length < most + slack) return
    let dropped = 0
    while (numbers.size > size || entries.length - dropped > most) {
      const old = entries[dropped++]
      if (old?.kind !== 'build') continue
      numbers.delete(old.id)
      late.delete(old.id)
    }
    entries = entries.slice(dropped)
    totals = totals.slice(dropped)
    times = times.slice(dropped)
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
    holds: (buildId) => numbers.has(buildId),
    numberOf: (buildId) => (late.has(buildId) ? undefined : numbers.get(buildId)),
    append: (added) => {
      if (added.kind === 'build') {
        if (numbers.has(added.id)) return false
        numbers.set(added.id, head() + 1)
        if (added.timestamp < newestAt - swappedMs) late.add(added.id)
        // Not by one build that is dated ahead.
        newestAt = Math.max(newestAt, Math.min(added.timestamp, clock.now()))
      }
      push(added)
      trim()
      return true
    },
    covers: (instant) => {
      const oldest = entries.findIndex((kept) => kept.kind === 'build')
      return (times[oldest] ?? Infinity) < instant
    },
    before: (instant) => {
      const index = entries.findIndex((kept) => kept.kind === 'build' && kept.timestamp >= instant)
      return index === -1 ? head() : tail + index
    },
    oldestBuildAfter: (number) =>
      entries.slice(Math.max(0, number - tail)).find((kept) => kept.kind === 'build')?.id,
    newestBuild: () =>
      entries.findLast((kept): kept is BuildEntry => kept.kind === 'build' && !late.has(kept.id))
        ?.id,
    bytesBetween: (from, to) => total(to) - total(Math.max(from, tail)),
  }
}

/** Builds that arrive at once may be told in another order than that of their times. */
const swappedMs = 1000

/** Facts of older builds also pass through here: they must not push the builds out. */
const entriesPerBuild = 3

/** What `id:`, `event:` and `data:` add to the JSON of a build. */
const framingBytes = 40

/** A stretch of the journal, ready to be written. */
export interface Page {
  readonly block: Block
  /** The number of its last entry. */
  readonly end: number
}

/** Stretches of the journal, each made once for all readers that stand at the same place. */
export interface Pages {
  /** What follows entry `after`, at most up to `upTo`; the caller knows that there is something. */
  readonly next: (after: number, upTo: number, batch: boolean) => Page
}

/** Makes pages of a journal; the newest are kept, as readers come back in crowds. */
export function createPages(journal: Journal): Pages {
  const kept = new Map<string, Page>()
  return {
    next: (after, upTo, batch) => {
      // Aligned, so that readers that resumed at different places soon share what they are sent.
      const limit = Math.min(upTo, after - (after % pageEntries) + pageEntries)
      const key = `${after}:${limit}:${batch}`
      const known = kept.get(key)
      if (known !== undefined) return known
      const page = makePage(journal, after, limit, batch)
      kept.set(key, page)
      if (kept.size > keptPages) kept.delete(kept.keys().next().value ?? '')
      return page
    },
  }
}

const pageEntries = 512
/** A reader is blocked after one page: this bounds what one that never reads can cost. */
const pageBytes = 128 * 1024
const keptPages = 64

function makePage(journal: Journal, after: number, limit: number, batch: boolean): Page {
  const entries: Entry[] = []
  let end = after
  for (let bytes = 0; end < limit && bytes < pageBytes; end++) {
    const entry = journal.entry(end + 1)
    if (entry === undefined) continue
    entries.push(entry)
    bytes += entry.json.length
  }
  return { block: createBlock(encodeEntries(entries, batch)), end }
}

/**
 * Entries as messages of the feed. With `batch`, builds that follow one another become one `Builds`
 * message whose id is that of its last build, so that a reader parses once and resumes correctly.
 * Each message is one line of our own JSON: what an upstream sent cannot break the framing.
 */
export function encodeEntries(entries: Iterable<Entry>, batch: boolean): string {
  let text = ''
  let run: BuildEntry[] = []
  let runLength = 0
  const flushRun = (): void => {
    text += encodeBuilds(run)
    run = []
    runLength = 0
  }
  for (const entry of entries) {
    if (entry.kind === 'build') {
      run.push(entry)
      runLength += entry.json.length
      if (!batch || runLength > maxRunLength) flushRun()
    } else {
      flushRun()
      text += `event: ${liveEvents[entry.kind]}\ndata: ${entry.json}\n\n`
    }
  }
  flushRun()
  return text
}

/** Keeps one message far below the 1 MB that readers accept, in characters. */
const maxRunLength = 256 * 1024

function encodeBuilds(run: readonly BuildEntry[]): string {
  const last = run.at(-1)
  if (last === undefined) return ''
  const name = run.length === 1 ? liveEvents.build : liveEvents.builds
  const data = run.length === 1 ? last.json : `[${run.map(({ json }) => json).join(',')}]`
  return `id: ${last.id}\nevent: ${name}\ndata: ${data}\n\n`
}

/** A reader that follows the journal from some entry on; it holds a place, not a queue. */
export interface Follower {
  /** Writes what it has not got, up to entry `upTo`, while its connection takes it. */
  readonly advance: (upTo: number) => void
  /** How many bytes it is behind, beyond those that it had to catch up with from the start. */
  readonly unsentBytes: () => number
  /** The number of the last entry that it has been sent. */
  readonly place: () => number
  /** Whether entries that it has not got are no longer kept: it must be served anew. */
  readonly isLost: () => boolean
}

export interface FollowerOptions {
  readonly client: Pick<LiveClient, 'ready' | 'send' | 'unsentBytes'> & {
    readonly request: Pick<LiveClient['request'], 'batch'>
  }
  readonly journal: Journal
  readonly pages: Pages
  /** The number of the last entry that it has. */
  readonly after: number
  /**
   * Builds that the upstream's history has given it already. A list sorted by time has them in another
   * order than the entries there are; later ones come in its order, and the first that isn't among these
   * ends the overlap.
   */
  readonly seen: ReadonlySet<string>
}

/** Lets a connection follow the journal. Does not write before `advance`. */
export function createFollower(options: FollowerOptions): Follower {
  const { client, journal, pages } = options
  let after = options.after
  let allowance = journal.bytesBetween(after, journal.head())
  const firstHead = journal.head()
  let seen: ReadonlySet<string> | undefined = options.seen.size === 0 ? undefined : options.seen

  /** The next stretch, without what the reader has: only until the overlap is over. */
  const skipOverlap = (upTo: number): void => {
    const fresh: Entry[] = []
    const end = Math.min(upTo, after + 256)
    for (; after < end; after++) {
      const entry = journal.entry(after + 1)
      if (entry === undefined) continue
      if (entry.kind === 'build' && seen?.has(entry.id)) continue
      if (entry.kind !== 'facts' && after >= firstHead) seen = undefined
      fresh.push(entry)
    }
    if (fresh.length > 0) client.send(createBlock(encodeEntries(fresh, client.request.batch)))
  }

  return {
    advance: (upTo) => {
      // What is no longer kept must not be passed over in silence.
      while (after < upTo && after >= journal.tail() && client.ready()) {
        if (seen !== undefined) {
          skipOverlap(upTo)
        } else {
          const page = pages.next(after, upTo, client.request.batch)
          client.send(page.block)
          after = page.end
        }
      }
      if (after >= upTo) allowance = 0
    },
    unsentBytes: () =>
      client.unsentBytes() + Math.max(0, journal.bytesBetween(after, journal.head()) - allowance),
    place: () => after,
    isLost: () => after < journal.tail(),
  }
}
