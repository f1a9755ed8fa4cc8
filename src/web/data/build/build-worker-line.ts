import type { ProblemError } from '../../../protocol/problem.ts'
import { createOpenQueries, type PageWorker, pageWorker } from '../core/page-worker.ts'
import type {
  BuildAnswers,
  BuildPart,
  BuildQuery,
  FromWorker,
  PartProgress,
  ToWorker,
} from './build-event-messages.ts'

/** A worker that runs `createBuildEngine`, as far as it is used. */
export type BuildWorker = PageWorker<ToWorker, FromWorker>

/** The page's end of the line to the worker. */
export interface BuildWorkerLine {
  readonly open: (buildId: string, part: BuildPart, anew: boolean) => void
  /** Hands bytes over, which are gone from here then; resolves when there is room for more. */
  readonly hand: (buildId: string, part: BuildPart, bytes: Uint8Array) => Promise<void>
  /** Resolves when all that was handed over of a part is taken in. Neither ever rejects. */
  readonly settled: (buildId: string, part: BuildPart) => Promise<void>
  readonly forget: (buildId: string) => void
  /** Throws an Error where there is no answer. */
  readonly query: <K extends BuildQuery['kind']>(
    buildId: string,
    query: Extract<BuildQuery, { readonly kind: K }>,
  ) => Promise<BuildAnswers[K]>
  readonly end: () => void
}

/** Notified when the worker took in bytes of a part. */
export type OnPartProgress = (
  buildId: string,
  part: BuildPart,
  progress: PartProgress,
  trouble: string | undefined,
) => void

/** Bytes of a part on the way to the worker at most: it reads slower than the network may bring them. */
const mostAhead = 4 * 1024 * 1024

/** Opens the line. `onBroken` is called when the worker broke down; nothing works after that. */
export function createBuildWorkerLine(
  worker: BuildWorker,
  onProgress: OnPartProgress,
  onBroken: (why: ProblemError) => void,
): BuildWorkerLine {
  const queries = createOpenQueries<BuildAnswers>()
  const ahead = new Map<string, number>()
  let waiting: { readonly key: string; readonly room: number; readonly go: () => void }[] = []

  function move(key: string, bytes: number): void {
    ahead.set(key, aheadOf(key) + bytes)
  }

  function aheadOf(key: string): number {
    return ahead.get(key) ?? 0
  }

  function letGo(): void {
    const before = waiting
    waiting = before.filter(({ key, room }) => aheadOf(key) > room)
    for (const { key, room, go } of before) if (aheadOf(key) <= room) go()
  }

  function until(key: string, room: number): Promise<void> {
    if (aheadOf(key) <= room) return Promise.resolve()
    return new Promise((go) => waiting.push({ key, room, go }))
  }

  worker.listen(
    (message) => {
      if (message.kind !== 'progress') {
        queries.settle(message)
        return
      }
      move(keyOf(message.buildId, message.part), -message.taken)
      onProgress(message.buildId, message.part, message.progress, message.trouble)
      letGo()
    },
    (why) => {
      ahead.clear()
      letGo()
      queries.reject(why.message)
      onBroken(why)
    },
  )

  return {
    open: (buildId, part, anew) => {
      worker.post({ kind: 'open', buildId, part, anew }, [])
    },
    hand: (buildId, part, bytes) => {
      const key = keyOf(buildId, part)
      move(key, bytes.length)
      // A copy where the bytes are a part of something larger, which must not be taken away.
      const own = bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice()
      const transfer = own.buffer instanceof ArrayBuffer ? [own.buffer] : []
      worker.post({ kind: 'bytes', buildId, part, bytes: own }, transfer)
      return until(key, mostAhead)
    },
    settled: (buildId, part) => until(keyOf(buildId, part), 0),
    forget: (buildId) => {
      worker.post({ kind: 'forget', buildId }, [])
    },
    query: (buildId, query) =>
      queries.ask(query.kind, (id) => {
        worker.post({ kind: 'query', id, buildId, query }, [])
      }),
    end: () => {
      queries.reject('the build was closed')
      worker.end()
    },
  }
}

function keyOf(buildId: string, part: BuildPart): string {
  return `${buildId} ${part}`
}

/** Starts the worker in the browser. */
export function startBuildWorker(): BuildWorker {
  return pageWorker(
    new Worker(new URL('./build-event-worker.ts', import.meta.url), { type: 'module' }),
  )
}
