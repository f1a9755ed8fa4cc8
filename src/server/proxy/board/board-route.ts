import type { Context } from 'hono'
import { preferredWait } from '../../../protocol/back-off.ts'
import {
  type BoardRunLine,
  boardRunPath,
  BoardRunRequest,
  mostBoardCells,
} from '../../../protocol/board-run.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { ndjsonLine } from '../../../protocol/ndjson.ts'
import { policyScanPath } from '../../../protocol/package-address.ts'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import { problem, type ProblemError, problemError } from '../../../protocol/problem.ts'
import { readRequestBody } from '../read-request.ts'
import type { ProxyEnv, RouteHandler } from '../sessions.ts'
import { targetOf } from '../upstream/allow-list.ts'
import { createBoardPool } from './board-pool.ts'
import { type BoardEnding, type BoardTask, evaluateForBoard } from './board-run.ts'

/** What it stands on. */
export interface BoardRouteOptions {
  /** This proxy itself: each cell is asked for as a browser would, and checked and recorded alike. */
  readonly ask: (request: Request, env: ProxyEnv['Bindings']) => Promise<Response>
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
  /** What boards require (`requiredOf` in policy/severity.ts). */
  readonly require: readonly string[]
}

/** Nobody between here and the reader takes a silent connection for a dead one within this, ms. */
const aliveMs = 15_000
/** An evaluation is given up after this, ms, whether its reader left or not. */
const longestMs = 300_000
const unfinished = problem(
  504,
  'no-answer',
  'No response',
  "The policy service didn't complete its response within 5 minutes.",
)

/**
 * `POST /upstream/board`: many evaluations through one connection, as a browser has no more than six
 * for all pages of a proxy. The answer is NDJSON (protocol/board-run.ts). Throws a ProblemError 400
 * that says what of the request is wrong.
 */
export function boardRoute(options: BoardRouteOptions): RouteHandler {
  const { clock, random } = options
  const pool = createBoardPool({ clock, random })
  return async (c) => {
    const { raw } = c.req
    const run = readRun(await readRequestBody(raw))
    const asUser = asker(c, options)
    return new Response(
      lines(clock, raw.signal, c.get('session').ended, (tell) =>
        pool.begin({
          tasks: run.cells.map(([one, scan]) => taskOf(run, one, scan, asUser)),
          mostInFlight: run.mostInFlight,
          begunMsAgo: run.begunMsAgo ?? undefined,
          tell,
        }),
      ),
      { headers: { 'content-type': 'application/x-ndjson', 'x-accel-buffering': 'no' } },
    )
  }
}

function readRun(body: Uint8Array): BoardRunRequest {
  const read = BoardRunRequest.safeParse(parsedJson(new TextDecoder().decode(body)))
  if (!read.success) {
    const [issue] = read.error.issues
    const where = issue?.path.join('.') ?? ''
    throw badRequest(`${where === '' ? 'The body' : `"${where}"`}: ${issue?.message ?? ''}.`)
  }
  const { packages, scans, cells } = read.data
  // Half of a surrogate pair has no place in a path.
  const names = [...scans, ...packages.flatMap(({ address }) => Object.values(address))]
  if (names.some((name) => /\p{Surrogate}/u.test(name ?? ''))) {
    throw badRequest('A name holds half of a character.')
  }
  const astray = cells.find(([one, scan]) => one >= packages.length || scan >= scans.length)
  if (astray === undefined) return read.data
  throw badRequest(`The cell [${astray.join(', ')}] is outside the lists.`)
}

/** Asks as the user whose request it is. */
interface Asker {
  readonly user: string
  readonly evaluate: (path: string, body: unknown, onReading: () => void) => Promise<BoardEnding>
}

function asker(c: Context<ProxyEnv>, { ask, clock, require }: BoardRouteOptions): Asker {
  const { url, headers: outer } = c.req.raw
  const headers = new Headers({ accept: 'application/x-ndjson, application/json;q=0.5' })
  for (const name of [
    'authorization',
    'host',
    'origin',
    'sec-fetch-site',
    'user-agent',
    'x-forwarded-for',
  ]) {
    const value = outer.get(name)
    if (value !== null) headers.set(name, value)
  }
  headers.set('content-type', 'application/json')
  headers.set('prefer', preferredWait(longestMs))
  const by = c.get('session').user.name
  return {
    user: by,
    evaluate: async (path, body, onReading) => {
      const request = new Request(new URL(path, url), {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      if (targetOf(request.url) !== path) return { is: 'refused', problem: badAddress }
      const giveUp = new AbortController()
      const stopWatch = clock.after(longestMs, () => {
        giveUp.abort()
      })
      try {
        const asked = new Request(request, { signal: giveUp.signal })
        const ending = await evaluateForBoard(() => ask(asked, c.env), {
          now: clock.now,
          onReading,
          require,
        })
        if (ending.is === 'done') return { is: 'done', outcome: { ...ending.outcome, by } }
        return giveUp.signal.aborted ? { is: 'broken', problem: unfinished } : ending
      } finally {
        stopWatch()
      }
    },
  }
}

function taskOf(run: BoardRunRequest, one: number, column: number, asker: Asker): BoardTask {
  const { packages, scans } = run
  const asked = packages[one]
  if (asked === undefined) throw new RangeError(`there is no package ${one}`)
  const { address, sha256, repositoryUrl } = asked
  const path = `/upstream/governor${policyScanPath(address, scans[column] ?? '')}`
  return {
    key: JSON.stringify([asker.user, path, sha256, repositoryUrl]),
    evaluate: (onReading) => asker.evaluate(path, { sha256, repositoryUrl }, onReading),
  }
}

/** The lines of a run as they are told; it ends when the reader leaves, or with the session. */
function lines(
  clock: Clock,
  signal: AbortSignal,
  ended: AbortSignal,
  begin: (tell: (line: BoardRunLine) => void) => () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stop = (): void => undefined
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const open = new AbortController()
      let stopBeat = (): void => undefined
      let endRun = (): void => undefined
      const write = (line: BoardRunLine): void => {
        controller.enqueue(encoder.encode(ndjsonLine(line)))
      }
      const beat = (): void => {
        write({ is: 'alive' })
        stopBeat = clock.after(aliveMs, beat)
      }
      stop = () => {
        open.abort()
        stopBeat()
        signal.removeEventListener('abort', stop)
        ended.removeEventListener('abort', close)
        endRun()
      }
      const close = (): void => {
        stop()
        controller.close()
      }
      signal.addEventListener('abort', stop)
      ended.addEventListener('abort', close)
      beat()
      endRun = begin((line) => {
        if (open.signal.aborted) return
        // A session that ends half way is no fault of a cell: the reader gets a new one and goes on.
        const isSignedOut = line.is === 'refused' && line.problem.type.endsWith(':no-session')
        if (!isSignedOut) write(line)
        if (isSignedOut || line.is === 'over') close()
      })
      if (open.signal.aborted) endRun()
    },
    cancel: () => {
      stop()
    },
  })
}

const badAddress = problem(
  400,
  'bad-target',
  'Bad address',
  "The name of the package or policy scan can't be used in a URL.",
)

function badRequest(detail: string): ProblemError {
  return problemError(
    400,
    'bad-board',
    'Bad request',
    `${detail} ${boardRunPath} accepts packages, scans and at most ${mostBoardCells} cells.`,
  )
}
