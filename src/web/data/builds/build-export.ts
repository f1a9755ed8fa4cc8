import type { Clock } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { asProblem, attempts, isBusy, shouldRetry } from '../core/attempts.ts'
import { createStore, type Readable } from '../core/store.ts'
import { type BuildPages, type FoundBuild, unsureOf } from './build-pages.ts'

/** The most builds in one file: more are narrowed by time first. */
export const mostExported = 250_000

/** Attempts in a row at a page: some minutes of an outage. */
const mostAttempts = 8

export interface BuildFile {
  /** The next page is read once it is done. */
  readonly write: (found: readonly FoundBuild[]) => Promise<void>
  /** All is written: the file is the person's. */
  readonly close: () => Promise<void>
  /** It is given up: nothing is left behind. */
  readonly discard: () => Promise<void>
}

/** How far an export has come; times are epoch ms. */
export type ExportState =
  | { readonly is: 'reading' }
  /** The server was busy, which it said, or away; requested again at `until`. */
  | {
      readonly is: 'waiting'
      readonly until: number
      readonly reason: string
      readonly isBusy: boolean
    }
  /** It was given up for now: `resume` goes on behind the last build that was written. */
  | { readonly is: 'failed'; readonly problem: ProblemError; readonly canResume: boolean }
  | { readonly is: 'cancelled' }
  /** With a note where the list ended otherwise than by an empty page, or at the limit. */
  | { readonly is: 'done'; readonly note?: string }

export interface ExportView {
  readonly state: ExportState
  readonly written: number
  /** How many of them may not match. */
  readonly unsure: number
}

/** All builds that match, on their way into a file. */
export interface BuildExport extends Readable<ExportView> {
  readonly resume: () => void
  readonly cancel: () => void
}

/** Begins to read; each build is handed over once, whatever happens on the way. */
export function createBuildExport(
  pages: BuildPages,
  options: {
    readonly clock: Clock
    /** 0 up to 1. */
    readonly random: () => number
    readonly file: BuildFile
    /** `mostExported` unless given. */
    readonly most?: number
  },
): BuildExport {
  const { clock, random, file, most = mostExported } = options
  const store = createStore<ExportView>(
    { state: { is: 'reading' }, written: 0, unsure: 0 },
    { clock },
  )
  let running: AbortController | undefined

  function change(part: Partial<ExportView>): void {
    store.set({ ...store.getSnapshot(), ...part })
  }

  async function read(signal: AbortSignal): Promise<ExportState> {
    for (;;) {
      const page = await attempts(() => pages.next(signal), {
        clock,
        random,
        signal,
        most: mostAttempts,
        mayRetry: (fault) => shouldRetry(0, fault),
        onWait: ({ problem: fault, until }) => {
          const reason = fault.sentence
          change({ state: { is: 'waiting', until, reason, isBusy: isBusy(fault) } })
        },
      })
      if (!page.ok) return { is: 'failed', problem: page.refusal, canResume: false }
      const { written, unsure } = store.getSnapshot()
      const found = page.found.slice(0, most - written)
      await writing(file.write(found))
      signal.throwIfAborted()
      const total = written + found.length
      change({
        state: { is: 'reading' },
        written: total,
        unsure: unsure + unsureOf(found),
      })
      if (page.end !== undefined && found.length === page.found.length) {
        await writing(file.close())
        return { is: 'done', ...page.end }
      }
      if (total >= most) {
        await writing(file.close())
        return { is: 'done', note: limitNote(most) }
      }
    }
  }

  async function writing(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      throw new ProblemError(notWritten, { cause: error })
    }
  }

  /** What cannot be left out of the file system any more is only a file too many. */
  function discard(): void {
    void file.discard().catch(() => undefined)
  }

  function start(): void {
    if (running !== undefined) return
    const controller = new AbortController()
    running = controller
    change({ state: { is: 'reading' } })
    void read(controller.signal)
      .catch((error: unknown): ExportState => {
        const fault = asProblem(error)
        return { is: 'failed', problem: fault, canResume: fault.problem !== notWritten }
      })
      .then((state) => {
        if (controller.signal.aborted) return
        running = undefined
        change({ state })
        if (state.is === 'failed' && !state.canResume) discard()
      })
  }

  start()
  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    resume: start,
    cancel: () => {
      const { state } = store.getSnapshot()
      if (state.is === 'done' || state.is === 'cancelled') return
      running?.abort()
      running = undefined
      change({ state: { is: 'cancelled' } })
      discard()
    },
  }
}

const notWritten = problem(
  507,
  'export-not-written',
  'File not written',
  "The browser couldn't write the file. Check the free space on the disk and export again.",
)

function limitNote(most: number): string {
  return `An export ends at ${most.toLocaleString('en-GB')} builds. Narrow the query by time to export the rest.`
}
