import { problem, ProblemError } from '../../../protocol/problem.ts'
import { asProblem } from '../core/attempts.ts'
import type { ReadBuilds } from './server-insight.ts'

/** How far the reading of single builds has come; times are epoch ms. */
export type LookupState =
  /** Nobody wanted any yet, or as many as were wanted are read. */
  | { readonly is: 'resting' }
  | { readonly is: 'reading' }
  | { readonly is: 'waiting'; readonly until: number }
  | { readonly is: 'cancelled' }
  /** The rest could not be had; what was read before it stays. */
  | { readonly is: 'failed'; readonly problem: ProblemError }
  /** The server has it of no build: it says why. */
  | { readonly is: 'unavailable'; readonly reason: string }

/** How many builds it can be read of, and of how many it was. */
export interface LookupView {
  readonly all: number
  readonly known: number
  /** Of those, how many could not be read. */
  readonly unreadable: number
  readonly state: LookupState
}

/** Reads one thing of the builds of an insight, in requests of some builds each. */
export interface Lookup {
  /** Reads until so many builds were looked up; again what failed. */
  readonly upTo: (most: number) => void
  /** Goes on where more are wanted and there are more. */
  readonly readOn: () => void
  readonly cancel: () => void
  readonly end: () => void
}

export interface LookupOptions<Finding> {
  readonly view: () => LookupView
  readonly change: (part: Partial<Pick<LookupView, 'state' | 'unreadable'>>) => void
  /** Builds in the first request, where a server without any answers each of them to say so. */
  readonly first?: number
  /** Builds that weren't looked up yet, at most so many; undefined without a worker. */
  readonly missing: (most: number) => Promise<readonly string[]> | undefined
  readonly read: ReadBuilds<Finding>
  readonly take: (findings: readonly Finding[]) => void
  /** Resolves once what was taken is counted. */
  readonly settled: () => Promise<unknown>
}

const atOnce = 500

const nothingCame = problem(
  502,
  'no-findings',
  'Incomplete response',
  'The response ended before anything of these builds came.',
)

/** Starts at rest. */
export function createLookup<
  Finding extends { readonly buildId: string; readonly problem?: string | undefined },
>(options: LookupOptions<Finding>): Lookup {
  const { view, change } = options
  let wanted = 0
  let reading: AbortController | undefined
  /** Those that couldn't be read, and of them those that are to be read again. */
  const unreadable = new Set<string>()
  const again = new Set<string>()

  function next(): Promise<readonly string[]> | undefined {
    if (again.size > 0) return Promise.resolve([...again].slice(0, atOnce))
    const { known, all } = view()
    if (known >= Math.min(all, wanted)) return undefined
    const most = known === 0 ? (options.first ?? atOnce) : atOnce
    return options.missing(Math.min(most, wanted - known))
  }

  function readOn(): void {
    const isOver = ['cancelled', 'failed', 'unavailable'].includes(view().state.is)
    const ids = reading === undefined && !isOver ? next() : undefined
    if (ids === undefined) return
    reading = new AbortController()
    const { signal } = reading
    change({ state: { is: 'reading' } })
    void readBatch(ids, signal).then((state) => {
      if (signal.aborted) return
      reading = undefined
      change({ state })
      readOn()
    })
  }

  async function readBatch(
    ids: Promise<readonly string[]>,
    signal: AbortSignal,
  ): Promise<LookupState> {
    try {
      const builds = await ids
      const looked = { all: 0, unreadable: 0, reason: '' }
      if (builds.length === 0) return { is: 'resting' }
      await options.read(builds, {
        signal,
        onFindings: (findings) => {
          for (const { buildId, problem } of findings) {
            again.delete(buildId)
            unreadable.delete(buildId)
            looked.all += 1
            if (problem === undefined) continue
            unreadable.add(buildId)
            looked.unreadable += 1
            looked.reason ||= problem
          }
          options.take(findings)
          change({ unreadable: unreadable.size, state: { is: 'reading' } })
        },
        onWait: ({ until }) => {
          change({ state: { is: 'waiting', until } })
        },
      })
      if (looked.all === 0) throw new ProblemError(nothingCame)
      if (looked.unreadable === looked.all && view().known <= looked.all) {
        return { is: 'unavailable', reason: looked.reason }
      }
      await options.settled()
      return { is: 'resting' }
    } catch (error) {
      return { is: 'failed', problem: asProblem(error) }
    }
  }

  function stop(): void {
    reading?.abort()
    reading = undefined
  }

  return {
    upTo: (most) => {
      wanted = most
      if (reading !== undefined) return
      for (const id of unreadable) again.add(id)
      change({ state: { is: 'resting' } })
      readOn()
    },
    readOn,
    cancel: () => {
      stop()
      change({ state: { is: 'cancelled' } })
    },
    end: () => {
      stop()
      unreadable.clear()
      again.clear()
    },
  }
}
