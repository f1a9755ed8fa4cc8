import { headerEventTypes } from '../../../facts/build-collector.ts'
import { dependencyEventTypes } from '../../../facts/dependencies.ts'
import { executionEventTypes } from '../../../facts/executions.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { createStore, type Readable } from '../core/store.ts'
import type { BuildAnswers, BuildPart, BuildQuery } from './build-event-messages.ts'
import {
  type BuildStreamOptions,
  createBuildStream,
  createPartLoader,
  type PartState,
  type PartLoader,
  type ReadBuildStream,
} from './build-part-loader.ts'
import {
  type BuildWorker,
  type BuildWorkerLine,
  createBuildWorkerLine,
} from './build-worker-line.ts'

/** What is known of the reading of a build's events, replaced as a whole when something changed. */
export interface BuildEventsView {
  readonly parts: Readonly<Record<BuildPart, PartState>>
  /** The types of which the log holds all events; undefined for all types. */
  readonly logTypes: readonly string[] | undefined
  /** Counts up with each change: an answer from before it may be out of date. */
  readonly version: number
}

/** The events of one build, which live in a worker; forgotten some time after the last listener left. */
export interface BuildEvents extends Readable<BuildEventsView> {
  readonly buildId: string
  /** Reads a part, or goes on with it, unless it is being read or complete. */
  readonly load: (part: Exclude<BuildPart, 'log'>) => void
  /** The same for raw events; other types than before begin again. */
  readonly loadLog: (types: readonly string[] | undefined) => void
  /** Stops the reading of a part; what came is kept. */
  readonly cancel: (part: BuildPart) => void
  /** Throws an Error where there is no answer, such as when the worker broke. */
  readonly query: <K extends BuildQuery['kind']>(
    query: Extract<BuildQuery, { readonly kind: K }>,
  ) => Promise<BuildAnswers[K]>
}

export interface BuildEventsOptions {
  readonly buildId: string
  readonly read: ReadBuildStream
  readonly clock: Clock
  readonly random: () => number
  /** The line to the worker; the same one as long as anybody listens to any build. */
  readonly line: () => BuildWorkerLine
  /** Nobody has listened for a while. */
  readonly onLeft: () => void
}

interface ManagedBuildEvents extends BuildEvents {
  readonly onProgress: (part: BuildPart, ...progress: Parameters<PartLoader['onProgress']>) => void
  /** The worker broke down: what it held is lost. */
  readonly onBroken: (why: ProblemError) => void
}

/** Progress is published at most so often, ms. */
const publishMs = 150
/** What was read is kept so long after the last listener left, ms: people go back and forth. */
const graceMs = 20_000

const idle: PartState = { state: 'idle' }

/** The events of one build; nothing is read before `load`. */
function createBuildEvents(options: BuildEventsOptions): ManagedBuildEvents {
  const { buildId, clock } = options
  let parts: BuildEventsView['parts'] = {
    header: idle,
    executions: idle,
    dependencies: idle,
    log: idle,
  }
  let logTypes: readonly string[] | undefined
  let version = 0
  let cancelLeave = (): void => undefined
  const store = createStore<BuildEventsView>({ parts, logTypes, version }, { clock, open })
  const loaders = {
    header: loaderOf('header'),
    executions: loaderOf('executions'),
    dependencies: loaderOf('dependencies'),
    log: loaderOf('log'),
  }

  function loaderOf(part: BuildPart): PartLoader {
    return createPartLoader({
      ...options,
      open: (anew) => {
        options.line().open(buildId, part, anew)
      },
      hand: (bytes) => options.line().hand(buildId, part, bytes),
      settled: () => options.line().settled(buildId, part),
      onState: (state) => {
        const isOnlyMore = state.state === 'loading' && parts[part].state === 'loading'
        parts = { ...parts, [part]: state }
        if (isOnlyMore) store.setSoon(publishMs, nextView)
        else store.set(nextView())
      },
    })
  }

  function nextView(): BuildEventsView {
    version += 1
    return { parts, logTypes, version }
  }

  /** Without a listener reading stops at once; what was read is kept for a while. */
  function open(): () => void {
    cancelLeave()
    return () => {
      for (const loader of Object.values(loaders)) loader.leave()
      cancelLeave = clock.after(graceMs, options.onLeft)
    }
  }

  return {
    buildId,
    getSnapshot: store.getSnapshot,
    subscribe: store.subscribe,
    load: (part) => {
      loaders[part].load(eventTypesOf[part])
    },
    loadLog: (types) => {
      logTypes = types
      loaders.log.load(types ?? [])
    },
    cancel: (part) => {
      loaders[part].cancel()
    },
    query: async (query) => options.line().query(buildId, query),
    onProgress: (part, ...progress) => {
      loaders[part].onProgress(...progress)
    },
    onBroken: (why) => {
      for (const loader of Object.values(loaders)) loader.lose(why)
    },
  }
}

const eventTypesOf: Readonly<Record<Exclude<BuildPart, 'log'>, readonly string[]>> = {
  header: headerEventTypes,
  executions: executionEventTypes,
  dependencies: dependencyEventTypes,
}

/** Gives the events of a build, the same object for the same build. */
export type OpenBuildEvents = (buildId: string) => BuildEvents

export interface BuildEventsPoolOptions extends BuildStreamOptions {
  readonly random: () => number
  readonly startWorker: () => BuildWorker
}

/** The builds open in this page. One worker reads them all, to compare two; it ends with the last of them. */
export function createBuildEventsPool(options: BuildEventsPoolOptions): OpenBuildEvents {
  const read = createBuildStream(options)
  const open = new Map<string, ManagedBuildEvents>()
  let line: BuildWorkerLine | undefined

  function start(): BuildWorkerLine {
    return createBuildWorkerLine(
      options.startWorker(),
      (buildId, part, ...progress) => {
        open.get(buildId)?.onProgress(part, ...progress)
      },
      (why) => {
        line = undefined
        for (const events of open.values()) events.onBroken(why)
      },
    )
  }

  return (buildId) => {
    const known = open.get(buildId)
    if (known !== undefined) return known
    const events = createBuildEvents({
      ...options,
      buildId,
      read,
      line: () => (line ??= start()),
      onLeft: () => {
        open.delete(buildId)
        line?.forget(buildId)
        if (open.size > 0) return
        line?.end()
        line = undefined
      },
    })
    open.set(buildId, events)
    return events
  }
}
