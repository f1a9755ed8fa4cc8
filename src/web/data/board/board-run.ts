import type { BoardCell } from '../../../policy/board-row.ts'
import { mostBoardCells } from '../../../protocol/board-run.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { problemError, type ProblemError } from '../../../protocol/problem.ts'
import { asProblem, type Attempt, attempts } from '../core/attempts.ts'
import type { Changes } from '../core/changes.ts'
import { createStore, type Readable } from '../core/store.ts'
import type { PolicyScanQuestion } from '../scans/policy-scan.ts'
import { type BoardStorage, createBoardCells } from './board-cells.ts'
import { type EvaluateBoard, boardRequest, type LookUpEvaluations } from './board-requests.ts'

type BoardRunState =
  /** Nothing is being evaluated here. */
  | { readonly is: 'idle' }
  | { readonly is: 'running' }
  | { readonly is: 'paused' }
  /** Another tab evaluates this board, and this one shows it. */
  | { readonly is: 'following' }
  /** The proxy cannot be reached; requested again at `until`, epoch ms. */
  | { readonly is: 'reconnecting'; readonly until: number; readonly problem: ProblemError }
  /** The proxy refuses the run as a whole. */
  | { readonly is: 'stopped'; readonly problem: ProblemError }

/** A board's run at one moment; replaced as a whole when anything changes. */
export interface BoardSnapshot {
  /** By the key of their place; a cell that nobody requested is absent. */
  readonly cells: ReadonlyMap<string, BoardCell>
  readonly state: BoardRunState
  /** The run that goes on, or was the last one; undefined before the first. */
  readonly run:
    | {
        readonly begunAt: number
        readonly total: number
        readonly done: number
      }
    | undefined
  /** How many the proxy may have in flight for it; undefined while none are. */
  readonly allowed: number | undefined
  readonly mostInFlight: number
  /** Recorded results of others are being looked up: a cell without a result may have one. */
  readonly isLookingUp: boolean
  /** Why recorded results can't be read: what is not known here may be known there. */
  readonly lookUpFault: ProblemError | undefined
  /** False where the device could not keep the results: they are lost with this page. */
  readonly isKept: boolean
}

/** A board's run; it goes on while other pages of this tab are looked at. */
export interface BoardRun extends Readable<BoardSnapshot> {
  /** Evaluates these cells (keys of places), whatever was known of them. */
  readonly evaluate: (keys: readonly string[]) => void
  /** Asks for nothing more; what is in flight is not lost. */
  readonly pause: () => void
  readonly resume: () => void
  readonly lookUpAgain: () => void
  /** Gives the rest up; what is known stays. */
  readonly cancel: () => void
  readonly setMostInFlight: (most: number) => void
  /** Writes what is not written yet: the page is about to go. */
  readonly save: () => void
}

/** Whether cells are still to be evaluated by this tab. */
export function isGoing({ is }: BoardRunState): boolean {
  return is === 'running' || is === 'reconnecting'
}

interface BoardRunOptions {
  readonly evaluate: EvaluateBoard
  readonly lookUp: LookUpEvaluations
  readonly storage: BoardStorage
  /** Web Locks, where the browser has them. */
  readonly locks: BoardLocks | undefined
  /** Says which runs of others were recorded. */
  readonly changes: Changes
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
}

/** A board's run, and how it hears of other tabs. */
export interface HearingBoardRun extends BoardRun {
  /** Another tab wrote what this device keeps of the board. */
  readonly hear: () => void
}

/** Changes come fast, and a board may have thousands of cells: both grow with it, ms. */
const showEveryMs = 100
const saveEveryMs = 1000
/** What others record is looked up together, ms. */
const gatherMs = 200

/**
 * The run of a board. A cell is requested until it has an answer; what was answered is kept on the
 * device, and a run that was cut off (a reload, a lost connection) goes on where it was: what the
 * proxy went on with meanwhile is taken over from it, or from its history. Of several tabs one
 * evaluates.
 */
export function createBoardRun(
  board: string,
  questions: ReadonlyMap<string, PolicyScanQuestion>,
  { evaluate, lookUp, storage, locks, changes, clock, random }: BoardRunOptions,
): HearingBoardRun {
  const cells = createBoardCells(new Set(questions.keys()))
  const keyOf = new Map([...questions].map(([key, question]) => [question, key]))
  let state: BoardRunState = { is: 'idle' }
  let mostInFlight = 64
  let allowed: number | undefined
  let isKept = true
  let isLookingUp = true
  let lookUpFault: ProblemError | undefined
  let lookUpAgain = (): void => undefined
  let going: AbortController | undefined
  let isLeading = false
  let stopSaving: (() => void) | undefined
  if (restore()) state = { is: 'paused' }
  const store = createStore(look(), {
    clock,
    open: () => {
      wake()
      const looking = new AbortController()
      const lookUpAll = async (): Promise<void> => {
        if (await lookUpLatest([...questions.values()], looking.signal)) lookUpFault = undefined
        if (looking.signal.aborted) return
        isLookingUp = false
        show()
      }
      lookUpAgain = () => void lookUpAll()
      const stopHearing = followOthers(lookUpAll(), looking.signal)
      return () => {
        looking.abort()
        stopHearing()
      }
    },
  })

  function look(): BoardSnapshot {
    const run = cells.run()
    const left = cells.wanted().length
    return {
      cells: cells.all(),
      state,
      run: run === undefined ? undefined : { ...run, done: run.total - left },
      allowed,
      mostInFlight,
      isLookingUp,
      lookUpFault,
      isKept,
    }
  }

  /** Each cell starts from its last recorded evaluation, no matter who requested it. Whether all could be read. */
  async function lookUpLatest(
    wanted: readonly PolicyScanQuestion[],
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      for await (const found of lookUp.latest(wanted, signal)) {
        if (signal.aborted) return false
        let isNew = false
        for (const { question, agoMs, outcome } of found) {
          const key = keyOf.get(question)
          if (key === undefined) continue
          if (cells.find(key, clock.now() - agoMs, outcome)) isNew = true
        }
        if (isNew) showSoon()
      }
      return true
    } catch (error) {
      if (signal.aborted) return false
      lookUpFault = asProblem(error)
      show()
      return false
    }
  }

  /** Looks up what others have recorded, a little later, as many come at once; `before` is waited for. */
  function followOthers(before: Promise<void>, signal: AbortSignal): () => void {
    let changed = new Set<PolicyScanQuestion>()
    let cancel: (() => void) | undefined
    const look = (): void => {
      cancel = undefined
      const wanted = [...changed]
      changed = new Set()
      void before.then(() => lookUpLatest(wanted, signal))
    }
    const stop = changes.subscribe('evaluations', (change) => {
      for (const question of questions.values()) {
        const { address, scan } = question
        if (change === undefined || change === `${packagePath(address)} ${scan}`) {
          changed.add(question)
        }
      }
      if (changed.size > 0) cancel ??= clock.after(gatherMs, look)
    })
    return () => {
      stop()
      cancel?.()
    }
  }

  function show(next: BoardRunState = state): void {
    state = next
    store.set(look())
  }

  function showSoon(): void {
    store.setSoon(showEveryMs + questions.size / 20, look)
    stopSaving ??= clock.after(saveEveryMs + questions.size, save)
  }

  function save(): void {
    stopSaving?.()
    stopSaving = undefined
    const saved = cells.saved(state.is === 'paused', clock.now())
    isKept = storage.write(board, { version: 1, ...saved, mostInFlight })
  }

  /** Takes what the device has; true where its run is paused. */
  function restore(): boolean {
    const saved = storage.read(board)
    if (saved === undefined) return false
    cells.restore(saved, clock.now())
    mostInFlight = saved.mostInFlight
    return saved.run?.isPaused ?? false
  }

  function leave(next: BoardRunState): void {
    going?.abort()
    going = undefined
    allowed = undefined
    show(next)
  }

  function halt(next: BoardRunState): void {
    leave(next)
    save()
  }

  /** Evaluates what is wanted once no other tab does. */
  async function go(resumes: boolean): Promise<void> {
    going?.abort()
    const controller = new AbortController()
    const { signal } = controller
    const isOver = (): boolean => signal.aborted
    going = controller
    state = { is: 'following' }
    showSoon()
    const release = await leadBoard(locks, board, signal)
    if (isOver() || release === undefined) {
      release?.()
      return
    }
    signal.addEventListener('abort', () => {
      isLeading = false
      release()
    })
    isLeading = true
    // The tab that had the lead before may have come further, or was paused.
    const isPaused = resumes && isKept && restore()
    if (isPaused || cells.wanted().length === 0) {
      leave({ is: isPaused ? 'paused' : 'idle' })
      return
    }
    show({ is: 'running' })
    const since = resumes ? cells.run()?.begunAt : undefined
    if (since !== undefined) await takeOver(since, signal)
    if (isOver()) return
    await stream(cells.wanted(), since, signal)
  }

  async function takeOver(since: number, signal: AbortSignal): Promise<void> {
    const wanted = new Map(
      cells.wanted().flatMap((key) => {
        const question = questions.get(key)
        return question === undefined ? [] : [[question, key] as const]
      }),
    )
    if (wanted.size === 0) return
    const found = await lookUp.since([...wanted.keys()], clock.now() - since, signal)
    if (signal.aborted) return
    for (const { question, agoMs, outcome } of found) {
      const key = wanted.get(question)
      if (key !== undefined) cells.take(key, clock.now() - agoMs, outcome)
    }
    showSoon()
  }

  /** Until each of the keys has ended. `since`: what was begun after it (epoch ms) may be taken over. */
  async function stream(
    keys: readonly string[],
    since: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const isOver = (): boolean => signal.aborted
    const startedAt = clock.now()
    let from = since
    const left = (): readonly string[] => keys.filter(cells.isWanted).slice(0, mostBoardCells)
    const evaluateOnce = async (attempt: Attempt): Promise<void> => {
      for (let places = left(); places.length > 0; places = left()) {
        const request = boardRequest(places, questions, {
          mostInFlight,
          begunMsAgo: from === undefined ? null : Math.max(0, Math.round(clock.now() - from)),
        })
        for await (const line of evaluate(request, signal)) {
          if (isOver()) return
          if (state.is === 'reconnecting') show({ is: 'running' })
          if (line.is === 'pace') allowed = line.allowed
          if ('cell' in line) {
            const key = places[line.cell] ?? ''
            cells.apply(key, line, clock.now())
            if (!cells.isWanted(key)) attempt.progressed()
          }
          showSoon()
        }
        if (places.every(cells.isWanted)) throw nothingCame
      }
    }
    try {
      await attempts(evaluateOnce, {
        clock,
        random,
        signal,
        onWait: ({ until, problem: fault }) => {
          cells.queueAll()
          from ??= startedAt
          show({ is: 'reconnecting', until, problem: fault })
        },
      })
    } catch (error) {
      if (isOver()) return
      cells.queueAll()
      halt({ is: 'stopped', problem: asProblem(error) })
      return
    }
    if (isOver()) return
    if (cells.wanted().length === 0 && going?.signal === signal) halt({ is: 'idle' })
  }

  /** Goes on with a run that was left half way, here or in another tab. */
  function wake(): void {
    if (going !== undefined || state.is !== 'idle' || cells.wanted().length === 0) return
    void go(true)
  }

  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    evaluate: (keys) => {
      if (state.is === 'following') return
      const isOn = isLeading && going !== undefined
      const fresh = cells.want(keys, clock.now())
      if (fresh.length === 0) return
      if (!isOn) state = { is: 'idle' }
      save()
      if (isOn) {
        show()
        void stream(fresh, undefined, going?.signal ?? AbortSignal.abort())
        return
      }
      void go(cells.wanted().length > fresh.length)
    },
    pause: () => {
      if (!isLeading) return
      cells.queueAll()
      halt({ is: 'paused' })
    },
    resume: () => {
      state = { is: 'idle' }
      save()
      void go(true)
    },
    lookUpAgain: () => {
      lookUpAgain()
    },
    cancel: () => {
      cells.giveUp()
      halt({ is: 'idle' })
    },
    setMostInFlight: (most) => {
      mostInFlight = most
      save()
      if (isLeading) void go(true)
      else show()
    },
    save: () => {
      if (stopSaving !== undefined) save()
    },
    hear: () => {
      if (isLeading) return
      const isPaused = restore()
      if (isPaused || cells.wanted().length === 0) leave({ is: isPaused ? 'paused' : 'idle' })
      else show(state.is === 'following' ? state : { is: 'idle' })
      wake()
    },
  }
}

const nothingCame = problemError(
  502,
  'nothing-came',
  'Empty response',
  'The Sightline server responded without evaluating anything.',
)

/** The part of Web Locks that is used. */
export interface BoardLocks {
  readonly request: (
    name: string,
    options: { readonly signal: AbortSignal },
    work: () => Promise<void>,
  ) => Promise<unknown>
}

/**
 * Waits until no other tab evaluates this board; resolves with what lets the next tab in, or with
 * undefined when `signal` aborted before. Without Web Locks (a page that is not served securely) each
 * tab is alone.
 */
async function leadBoard(
  locks: BoardLocks | undefined,
  board: string,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  if (locks === undefined) return () => undefined
  return new Promise((resolve) => {
    const held = (): Promise<void> =>
      new Promise((release) => {
        resolve(release)
      })
    locks.request(`sightline.board.${board}`, { signal }, held).catch(() => {
      resolve(undefined)
    })
  })
}

export interface Boards {
  /** The run of a board, by its name on this device: the one from before. `questions` by the key of their place. */
  readonly open: (board: string, questions: ReadonlyMap<string, PolicyScanQuestion>) => BoardRun
  /** Another tab wrote under this key. */
  readonly hear: (key: string | null) => void
  /** The page is about to go. */
  readonly save: () => void
}

/** No board was opened yet. */
export function createBoards(options: BoardRunOptions): Boards {
  const runs = new Map<string, { readonly run: HearingBoardRun; readonly cells: string }>()
  return {
    open: (board, questions) => {
      const cells = [...questions.keys()].join(' ')
      const before = runs.get(board)
      if (before?.cells === cells) return before.run
      before?.run.save()
      const run = createBoardRun(board, questions, options)
      runs.set(board, { run, cells })
      return run
    },
    hear: (key) => {
      for (const [board, { run }] of runs) {
        if (key === options.storage.keyOf(board)) run.hear()
      }
    },
    save: () => {
      for (const { run } of runs.values()) run.save()
    },
  }
}
