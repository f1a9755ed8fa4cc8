import { createRowWriter } from '../../../facts/insight/build-rows.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import type { FoundBuild } from '../builds/build-pages.ts'
import type { BuildSearch } from '../builds/build-search.ts'
import { createOpenQueries, type PageWorker, pageWorker } from '../core/page-worker.ts'
import { createStore, type Readable } from '../core/store.ts'
import { createLookup, type LookupView } from './build-lookup.ts'
import type {
  FromInsightWorker,
  InsightAnswers,
  InsightQuery,
  ToInsightWorker,
} from './insight-messages.ts'
import type { CacheFinding, FailureFinding, ReadCaches, ReadFailures } from './server-insight.ts'

/** What is known of the builds of a search at one moment; replaced as a whole when it changes. */
export interface InsightView {
  readonly builds: number
  /** Why builds failed; `all` are those that did. */
  readonly failures: LookupView
  /** What came from the build cache; `all` are those whose tool has one. */
  readonly caches: LookupView
  /** Why the worker broke down, if it did; `restart` begins again. */
  readonly fault: ProblemError | undefined
  /** Counts up with each change: an answer from before it may be out of date. */
  readonly version: number
}

/** The builds of a search, folded in a worker as they are found; forgotten a while after the last listener left. */
export interface BuildInsight extends Readable<InsightView> {
  /** Tells one apart from all others. */
  readonly id: number
  /** Throws an Error where there is no answer, such as when the worker broke. */
  readonly query: <K extends InsightQuery['kind']>(
    query: Extract<InsightQuery, { readonly kind: K }>,
  ) => Promise<InsightAnswers[K]>
  /** Reads why builds failed, the newest first, until so many were looked up; again what failed. */
  readonly readFailures: (most: number) => void
  readonly cancelFailures: () => void
  /** Reads what came from the build cache, spread over the time, until so many builds were looked up. */
  readonly readCaches: (most: number) => void
  readonly cancelCaches: () => void
  readonly restart: () => void
}

export interface BuildInsightOptions {
  readonly clock: Clock
  readonly startWorker: () => InsightWorker
  readonly readFailures: ReadFailures
  readonly readCaches: ReadCaches
}

/** Builds are handed over in batches, for so long in one go, ms; then the browser gets to draw. */
const batchLength = 200
const timeSliceMs = 8
/** Changes are published at most so often, ms. */
const publishMs = 250
/** A worker outlives the last listener for so long, ms: people go back and forth. */
const graceMs = 20_000
const unread: LookupView = { all: 0, known: 0, unreadable: 0, state: { is: 'resting' } }
const nothing = { builds: 0, failures: unread, caches: unread }

function createBuildInsight(
  search: BuildSearch,
  id: number,
  { clock, startWorker, readFailures, readCaches }: BuildInsightOptions,
): BuildInsight {
  let view: InsightView = { ...nothing, fault: undefined, version: 0 }
  const store = createStore(view, { clock, open, graceMs })
  let line: InsightLine | undefined
  let write = createRowWriter()
  let handed = 0
  let first: FoundBuild | undefined
  let cancelNext: (() => void) | undefined

  function change(part: Partial<InsightView>): void {
    view = { ...view, ...part, version: view.version + 1 }
    store.setSoon(publishMs, () => view)
  }

  const failures = createLookup<FailureFinding>({
    view: () => view.failures,
    change: (part) => {
      change({ failures: { ...view.failures, ...part } })
    },
    missing: (most) => missing({ kind: 'without-failure', most }),
    read: readFailures,
    take: (findings) => {
      const known = findings.map(({ buildId, failures = [] }) => ({ buildId, failures }))
      line?.post({ kind: 'failures', failures: known }, [])
    },
    settled,
  })
  const caches = createLookup<CacheFinding>({
    view: () => view.caches,
    change: (part) => {
      change({ caches: { ...view.caches, ...part } })
    },
    first: 20,
    missing: (most) => missing({ kind: 'without-cache', most }),
    read: readCaches,
    take: (findings) => {
      const known = findings.map(({ buildId, cache }) => ({ buildId, cache: cache ?? null }))
      line?.post({ kind: 'caches', caches: known }, [])
    },
    settled,
  })

  function missing(
    query: Extract<InsightQuery, { readonly kind: 'without-failure' | 'without-cache' }>,
  ): Promise<readonly string[]> | undefined {
    return line?.query(query)
  }

  /** The worker has taken in what came before the answer to another query. */
  async function settled(): Promise<void> {
    await line?.query({ kind: 'span' })
  }

  function open(): () => void {
    begin()
    const unsubscribe = search.subscribe(handSoon)
    return () => {
      unsubscribe()
      end()
      view = { ...view, ...nothing, version: view.version + 1 }
      store.set(view)
    }
  }

  function begin(): void {
    write = createRowWriter()
    handed = 0
    first = undefined
    handSoon()
  }

  /** The worker starts with the first builds. */
  function started(): InsightLine {
    line ??= createInsightLine(
      startWorker(),
      (taken) => {
        const { builds } = taken
        change({
          builds,
          failures: { ...view.failures, ...taken.failures },
          caches: { ...view.caches, ...taken.caches },
        })
        failures.readOn()
        caches.readOn()
      },
      (fault) => {
        end()
        view = { ...view, failures: unread, caches: unread, fault, version: view.version + 1 }
        store.set(view)
      },
    )
    return line
  }

  function end(): void {
    failures.end()
    caches.end()
    cancelNext?.()
    cancelNext = undefined
    line?.end()
    line = undefined
  }

  function handSoon(): void {
    if (view.fault !== undefined) return
    cancelNext ??= clock.after(0, hand)
  }

  /** Hands over what was found since, as long as the page has time for it. */
  function hand(): void {
    cancelNext = undefined
    const { found } = search.getSnapshot()
    const until = clock.now() + timeSliceMs
    // Newer builds that a person had shown stand before those that were handed over.
    const shown = first === undefined ? 0 : found.indexOf(first)
    if (shown > 0) {
      handOver(found.slice(0, shown))
      handed += shown
    }
    first = found[0]
    while (handed < found.length) {
      const next = found.slice(handed, handed + batchLength)
      handed += next.length
      handOver(next)
      if (clock.now() >= until) {
        handSoon()
        return
      }
    }
  }

  function handOver(found: readonly FoundBuild[]): void {
    const builds = found.map(({ facts }) => facts)
    const batch = write(builds)
    started().post({ kind: 'builds', batch }, [batch.numbers.buffer])
    const known = builds.flatMap(({ buildId, outcome, failure }) =>
      outcome === 'failed' && failure !== undefined
        ? [{ buildId, failures: failure === null ? [] : [failure] }]
        : [],
    )
    if (known.length > 0) started().post({ kind: 'failures', failures: known }, [])
  }

  return {
    id,
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    query: async (query) => {
      if (line === undefined) throw new Error('the worker is not running')
      return line.query(query)
    },
    readFailures: failures.upTo,
    cancelFailures: failures.cancel,
    readCaches: caches.upTo,
    cancelCaches: caches.cancel,
    restart: () => {
      end()
      view = { ...view, ...nothing, fault: undefined }
      begin()
    },
  }
}

/** Gives the insight into the builds of a search, the same one for the same search. */
export type OpenBuildInsight = (search: BuildSearch) => BuildInsight

/** The insights of this page. */
export function createBuildInsights(options: BuildInsightOptions): OpenBuildInsight {
  const open = new WeakMap<BuildSearch, BuildInsight>()
  let made = 0
  return (search) => {
    const known = open.get(search)
    if (known !== undefined) return known
    made += 1
    const insight = createBuildInsight(search, made, options)
    open.set(search, insight)
    return insight
  }
}

/** A worker that runs `createInsightEngine`, as far as it is used. */
export type InsightWorker = PageWorker<ToInsightWorker, FromInsightWorker>

interface InsightLine {
  readonly post: InsightWorker['post']
  /** Throws an Error where there is no answer. */
  readonly query: BuildInsight['query']
  readonly end: () => void
}

/** Opens the line. `onBroken` is called when the worker broke down; nothing works after that. */
function createInsightLine(
  worker: InsightWorker,
  onTaken: (taken: Extract<FromInsightWorker, { kind: 'taken' }>) => void,
  onBroken: (why: ProblemError) => void,
): InsightLine {
  const queries = createOpenQueries<InsightAnswers>()
  worker.listen(
    (message) => {
      if (message.kind === 'taken') onTaken(message)
      else queries.settle(message)
    },
    (why) => {
      queries.reject(why.message)
      onBroken(why)
    },
  )

  return {
    post: worker.post,
    query: (query) =>
      queries.ask(query.kind, (id) => {
        worker.post({ kind: 'query', id, query }, [])
      }),
    end: () => {
      queries.reject('nobody looks at these builds any more')
      worker.end()
    },
  }
}

/** Starts the worker in the browser. */
export function startInsightWorker(): InsightWorker {
  return pageWorker(new Worker(new URL('./insight-worker.ts', import.meta.url), { type: 'module' }))
}
