import type { BuildEvents } from './build-events.ts'
import { type BuildStreamOptions, createBuildStream } from './build-event-stream.ts'
import {
  type BuildWorker,
  type BuildWorkerLine,
  createBuildWorkerLine,
} from './build-worker-line.ts'
import { createBuildEvents, type ManagedBuildEvents } from './create-build-events.ts'

/** Gives the events of a build, the same object for the same build. */
export type OpenBuildEvents = (buildId: string) => BuildEvents

/** What the pool is made with. */
export interface BuildEventsPoolOptions extends BuildStreamOptions {
  readonly random: () => number
  readonly startWorker: () => BuildWorker
}

/**
 * The builds that are open in this page. One worker reads them all, so that two can be compared; it
 * starts with the first and ends with the last, and its memory with it.
 */
export function createBuildEventsPool(options: BuildEventsPoolOptions): OpenBuildEvents {
  const read = createBuildStream(options)
  const open = new Map<string, ManagedBuildEvents>()
  let line: BuildWorkerLine | undefined

  function start(): BuildWorkerLine {
    return createBuildWorkerLine(
      options.startWorker(),
      (buildId, part, ...told) => {
        open.get(buildId)?.onProgress(part, ...told)
      },
      () => {
        line = undefined
        for (const events of open.values()) events.onBroken()
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
