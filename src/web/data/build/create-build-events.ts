import { executionEventTypes } from '../../../facts/executions.ts'
import { headerEventTypes } from '../../../facts/build-collector.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { BuildAnswer, BuildAnswers, BuildPart } from './build-event-messages.ts'
import type { ReadBuildStream } from './build-event-stream.ts'
import type { BuildEvents, BuildEventsView, PartState } from './build-events.ts'
import { createPartLoader, type PartLoader } from './build-part-loader.ts'
import type { BuildWorkerLine } from './build-worker-line.ts'

/** What the events of a build are read with. */
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

/** The events of a build, and what the worker's line tells of them. */
export interface ManagedBuildEvents extends BuildEvents {
  readonly onProgress: (part: BuildPart, ...told: Parameters<PartLoader['onProgress']>) => void
  /** The worker broke down: what it held is lost. */
  readonly onBroken: () => void
}

/** Progress is published at most so often, ms. */
const publishMs = 150
/** What was read is kept so long after the last listener left, ms: people go back and forth. */
const graceMs = 20_000

const idle: PartState = { state: 'idle' }

/** The events of one build; nothing is read before it is asked for. */
export function createBuildEvents(options: BuildEventsOptions): ManagedBuildEvents {
  const { buildId, clock } = options
  const listeners = new Set<() => void>()
  let view: BuildEventsView = {
    parts: { header: idle, executions: idle, log: idle },
    logTypes: undefined,
    version: 0,
  }
  let parts = view.parts
  let logTypes: readonly string[] | undefined
  let cancelPublish: (() => void) | undefined
  let cancelLeave: (() => void) | undefined
  const loaders = {
    header: loaderOf('header'),
    executions: loaderOf('executions'),
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
        if (isOnlyMore) cancelPublish ??= clock.after(publishMs, publish)
        else publish()
      },
    })
  }

  function publish(): void {
    cancelPublish?.()
    cancelPublish = undefined
    view = { parts, logTypes, version: view.version + 1 }
    for (const listener of listeners) listener()
  }

  return {
    buildId,
    getSnapshot: () => view,
    subscribe: (listener) => {
      cancelLeave?.()
      cancelLeave = undefined
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        for (const loader of Object.values(loaders)) loader.leave()
        cancelLeave = clock.after(graceMs, options.onLeft)
      }
    },
    load: (part) => {
      loaders[part].load(part === 'header' ? headerEventTypes : executionEventTypes)
    },
    loadLog: (types) => {
      logTypes = types
      loaders.log.load(types ?? [])
    },
    cancel: (part) => {
      loaders[part].cancel()
    },
    ask: async (question) => {
      const answer = await options.line().ask(buildId, question)
      return answerTo(question.kind, answer)
    },
    onProgress: (part, ...told) => {
      loaders[part].onProgress(...told)
    },
    onBroken: () => {
      for (const loader of Object.values(loaders)) loader.lose()
    },
  }
}

function answerTo<K extends keyof BuildAnswers>(kind: K, told: BuildAnswer): BuildAnswers[K] {
  if (!isOfKind(told, kind)) throw new Error(`the worker answered ${told.kind} to ${kind}`)
  return told.answer
}

function isOfKind<K extends keyof BuildAnswers>(
  told: BuildAnswer,
  kind: K,
): told is BuildAnswer & { readonly kind: K; readonly answer: BuildAnswers[K] } {
  return told.kind === kind
}
