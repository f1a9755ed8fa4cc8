import { z } from 'zod'
import { type Board, boardPlaces } from '../../../policy/board.ts'
import { LiveChange } from '../../../protocol/live-change.ts'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import {
  type ProxyOnSocket,
  startProxyOnSocket,
} from '../../../server/proxy/proxy-on-socket.test-support.ts'
import { createMemoryLog } from '../../../server/live-log/memory-log.ts'
import { memoryDatabase } from '../../../server/store/memory-database.test-support.ts'
import type { PlainAnswer } from '../../../server/proxy/plain-server.test-support.ts'
import {
  type BoardLocks,
  type BoardSnapshot,
  createBoardRun,
  type HearingBoardRun,
} from './board-run.ts'
import { createEvaluateBoard, createLookUpEvaluations } from './board-requests.ts'
import { type BoardStore, createBoardStorage } from './board-cells.ts'
import type { ChangeListener, Changes } from '../core/changes.ts'
import type { PolicyScanQuestion } from '../scans/policy-scan.ts'
import { createRequest, createStreamedRequest } from '../core/request.ts'
import { createSession } from '../core/session.ts'

/** A board of `count` packages and three scans. */
export function manyPackages(count: number): Board {
  return {
    title: 'Release',
    scans: ['release', 'security', 'licences'],
    packages: Array.from({ length: count }, (_, index) => ({
      address: { type: 'oci', name: `app-${index}`, version: '1.0.0' },
      sha256: 'ab'.repeat(32),
      repositoryUrl: 'registry.example/shop',
      scans: undefined,
    })),
  }
}

/** What is requested the cells of a board, by the key of their place. */
function questionsOf(board: Board): ReadonlyMap<string, PolicyScanQuestion> {
  return new Map(
    boardPlaces(board).flatMap(({ key, row, scan }) => {
      const one = board.packages[row]
      return one === undefined ? [] : [[key, { ...one, scan }] as const]
    }),
  )
}

/** A device's storage. */
export function memoryStorage(): BoardStore & { readonly kept: ReadonlyMap<string, string> } {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => {
      kept.set(key, value)
    },
    removeItem: (key) => {
      kept.delete(key)
    },
  }
}

/** Locks as the browser has them, for the tabs of one device. */
export function deviceLocks(): BoardLocks {
  const queues = new Map<string, Promise<unknown>>()
  return {
    request: (name, { signal }, work) => {
      const before = queues.get(name) ?? Promise.resolve()
      const mine = before.then(() => {
        if (signal.aborted) throw new Error('aborted')
        return work()
      })
      queues.set(
        name,
        mine.catch(() => undefined),
      )
      return mine
    },
  }
}

/** A proxy before an upstream that answers so, and pages that evaluate through it. */
export interface BoardWorld {
  readonly proxy: ProxyOnSocket
  readonly open: (
    board: Board,
    device?: { readonly storage?: BoardStore; readonly locks?: BoardLocks },
  ) => Page
  readonly stop: () => Promise<void>
}

/** A board as one page has it. */
export interface Page {
  readonly run: HearingBoardRun
  readonly keys: readonly string[]
  readonly until: (isSo: (snapshot: BoardSnapshot) => boolean) => Promise<BoardSnapshot>
  /** Cuts the page off as a reload does: its connections break, and nothing of it runs on. */
  readonly vanish: () => void
}

/**
 * Starts it. Time passes by itself, but only while the upstream has nothing to do and no request is
 * on its way: on a busy machine that would take seconds of this time.
 */
export async function boardWorld(governor: PlainAnswer): Promise<BoardWorld> {
  const database = await memoryDatabase()
  const notices = createMemoryLog(createManualClock())
  const settings = { keepDays: 365, keepPerScan: 500, longestWaiverDays: 90 }
  const proxy = await startProxyOnSocket({ governor }, { history: { database, settings }, notices })
  const listeners = new Set<ChangeListener>()
  const heard: Changes = {
    subscribe: (_, listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  // As the stream of the proxy brings them.
  notices.onNotice('changes', (changes) => {
    for (const { key } of z.array(LiveChange).parse(changes)) {
      for (const listener of listeners) listener(key)
    }
  })
  const clocks = new Set<ManualClock>([proxy.clock])
  let isOver = false
  let onTheWay = 0
  const tick = (): void => {
    if (isOver) return
    // Alike for both, as durations are compared; slowly, as answers need real time to come here.
    if (proxy.governor.open() + onTheWay === 0) for (const clock of clocks) clock.advance(60)
    setTimeout(tick, 1)
  }
  tick()
  return {
    proxy,
    open: (board, device = {}) => {
      const clock = createManualClock(proxy.clock.now())
      clocks.add(clock)
      const gone = new AbortController()
      const send: typeof fetch = async (path, init) => {
        onTheWay += 1
        try {
          return await fetch(
            `${proxy.url}${path instanceof Request ? path.url : path.toString()}`,
            {
              ...init,
              // With `error`, Node forgets the signal once garbage was collected while a body is read.
              redirect: 'follow',
              signal: AbortSignal.any([gone.signal, ...(init?.signal ? [init.signal] : [])]),
            },
          )
        } finally {
          onTheWay -= 1
        }
      }
      const isOnline = (): boolean => true
      const session = createSession({ fetch: send, clock, isOnline })
      const common = { fetch: send, session, clock, isOnline }
      const questions = questionsOf(board)
      const run = createBoardRun('release', questions, {
        evaluate: createEvaluateBoard(createStreamedRequest(common), clock),
        // The Date header is of Node's clock, not of the proxy's.
        lookUp: createLookUpEvaluations(createRequest(common), proxy.clock.now),
        storage: createBoardStorage(device.storage ?? memoryStorage()),
        locks: device.locks,
        changes: heard,
        clock,
        random: () => 0.5,
      })
      return {
        run,
        keys: [...questions.keys()],
        until: (isSo) => watch(run, isSo),
        vanish: () => {
          clocks.delete(clock)
          gone.abort()
        },
      }
    },
    stop: async () => {
      isOver = true
      await proxy.close()
      await database.close()
    },
  }
}

function watch(
  run: HearingBoardRun,
  isSo: (snapshot: BoardSnapshot) => boolean,
): Promise<BoardSnapshot> {
  return new Promise((resolve) => {
    const stop = run.subscribe(look)
    look()
    function look(): void {
      const snapshot = run.getSnapshot()
      if (!isSo(snapshot)) return
      queueMicrotask(() => {
        stop()
      })
      resolve(snapshot)
    }
  })
}
