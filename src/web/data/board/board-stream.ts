import { BoardRunLine, type BoardRunRequest, boardRunPath } from '../../../protocol/board-run.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { readLines } from '../../../protocol/ndjson.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { StreamedRequest } from '../core/request.ts'

/** Asks the proxy for cells, and tells what becomes of them; ends after the last one. */
export type AskForBoard = (run: BoardRunRequest, signal: AbortSignal) => AsyncIterable<BoardRunLine>

/** The proxy says that it is there every 15 s. */
const longestSilenceMs = 45_000

/**
 * Runs through the proxy. Throws a ProblemError where one is refused, breaks off, or the proxy falls
 * silent.
 */
export function createAskForBoard(request: StreamedRequest, clock: Clock): AskForBoard {
  return async function* (run, signal) {
    const own = new AbortController()
    const abort = (): void => {
      own.abort()
    }
    let stopWatch = clock.after(longestSilenceMs, abort)
    signal.addEventListener('abort', abort)
    const isAlive = (): void => {
      stopWatch()
      stopWatch = clock.after(longestSilenceMs, abort)
    }
    try {
      const response = await request(boardRunPath, run, own.signal)
      for await (const text of readLines(bytesOf(response, isAlive))) {
        const line = BoardRunLine.safeParse(parsed(text))
        // A newer proxy may tell more; what is not understood is no result.
        if (!line.success) continue
        yield line.data
        if (line.data.is === 'over') return
      }
    } catch (error) {
      throw error instanceof ProblemError ? error : brokeOff(error)
    } finally {
      stopWatch()
      signal.removeEventListener('abort', abort)
    }
    throw brokeOff(undefined)
  }
}

/** Not every browser iterates over streams by itself. */
async function* bytesOf(
  { body }: Response,
  onBytes: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      yield value
    }
  } finally {
    // Lets go of the connection before its end; a broken one is gone.
    await reader.cancel().catch(() => undefined)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function brokeOff(cause: unknown): ProblemError {
  return new ProblemError(
    problem(502, 'answer-broke-off', 'The answer broke off', 'The proxy broke off its answer.'),
    { cause },
  )
}
