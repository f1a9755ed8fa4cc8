import type { Context } from 'hono'
import type * as z from 'zod/mini'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { ndjsonLine } from '../../../protocol/ndjson.ts'
import { problem, problemError, ProblemError } from '../../../protocol/problem.ts'
import { readJsonBody } from '../request-body.ts'
import type { ProxyEnv } from '../sessions.ts'

/** Makes responses of lines that become known one by one. */
export interface InsightLines {
  /**
   * NDJSON of `lines`, each as soon as it is there and no faster than it is taken; blank lines keep
   * the connection alive. It ends when the browser leaves or with the session, which aborts the
   * signal; a line that is missing then was not known. Throws a ProblemError 503 with a Retry-After
   * while too many are open.
   */
  readonly respond: (
    c: Context<ProxyEnv>,
    lines: (signal: AbortSignal) => AsyncGenerator<unknown, void, undefined>,
  ) => Response
}

/** One for all routes of a proxy: they share how many responses may be open. */
export function createInsightLines(clock: Clock): InsightLines {
  let open = 0
  return {
    respond: (c, lines) => {
      if (open >= mostOpen) throw tooMany()
      open += 1
      const left = new AbortController()
      const sources = [c.req.raw.signal, c.get('session').ended]
      const leave = (): void => {
        left.abort()
      }
      for (const signal of sources) {
        signal.addEventListener('abort', leave)
        if (signal.aborted) leave()
      }
      left.signal.addEventListener('abort', () => {
        open -= 1
        for (const signal of sources) signal.removeEventListener('abort', leave)
      })
      const iterator = lines(left.signal)
      const encoder = new TextEncoder()
      let next: Promise<IteratorResult<unknown, void>> | undefined
      const body = new ReadableStream<Uint8Array>(
        {
          pull: async (controller) => {
            next ??= iterator.next()
            const done = new AbortController()
            const step = await Promise.race([next, alive(done.signal)]).catch((error: unknown) => {
              leave()
              throw error
            })
            done.abort()
            if (step === 'alive') {
              controller.enqueue(encoder.encode('\n'))
              return
            }
            next = undefined
            if (step.done === true || left.signal.aborted) {
              leave()
              controller.close()
            } else {
              controller.enqueue(encoder.encode(ndjsonLine(step.value)))
            }
          },
          cancel: leave,
        },
        { highWaterMark: 0 },
      )
      return new Response(body, {
        headers: { 'content-type': 'application/x-ndjson', 'x-accel-buffering': 'no' },
      })
    },
  }

  async function alive(signal: AbortSignal): Promise<'alive'> {
    await wait(clock, aliveMs, signal)
    return 'alive'
  }
}

/** Nobody between here and the browser takes a silent connection for a dead one within this, ms. */
const aliveMs = 15_000
/** Each holds a few builds at most. */
const mostOpen = 64
const retryAfterMs = 5_000

function tooMany(): ProblemError {
  return new ProblemError(
    problem(
      503,
      'insight-busy',
      'Server busy',
      'Too many people are reading builds at the moment. Try again in a few seconds.',
    ),
    { retryAfterMs },
  )
}

/** What a request asks for. Throws a ProblemError 400 that says what of it is wrong, 413 or 415. */
export async function readInsightRequest<Request>(
  c: Context<ProxyEnv>,
  schema: z.ZodMiniType<Request>,
): Promise<Request> {
  const body = new TextDecoder().decode(await readJsonBody(c))
  const read = schema.safeParse(parsed(body))
  if (read.success) return read.data
  const [issue] = read.error.issues
  const where = issue?.path.join('.') ?? ''
  const what = issue === undefined || where === '' ? 'The body' : `"${where}"`
  throw problemError(400, 'bad-insight', 'Bad request', `${what} is missing or not as expected.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
