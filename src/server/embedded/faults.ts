import { ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { aborted, type Clock, wait } from '../../protocol/clock.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'
import { type Bytes, pulledBody } from './sse-body.ts'

/** What goes wrong on purpose, in tests and for practice. */
export type Fault = {
  /** Only for paths that begin so; absent for all. */
  readonly prefix?: string
  /** Only for that many requests; absent for every one. */
  readonly times?: number
} & (
  | { readonly kind: 'cut'; readonly afterBytes: number }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'silence' }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
)

/** Faults, or every mistake in the text as a sentence. */
export type ParsedFaults =
  | { readonly ok: true; readonly faults: readonly Fault[] }
  | { readonly ok: false; readonly mistakes: readonly string[] }

/**
 * Reads faults as an environment variable carries them, separated by commas: `cut-after=2000`
 * (bytes of a body), `status=503`, `silence` (headers, then nothing), `slow=10/s` (bytes per
 * second). `x3` behind one limits it to three requests, `@/path` to paths that begin so:
 * `status=503x3@/api,silence@/build-export/v2`.
 */
export function parseFaults(text: string): ParsedFaults {
  const items = text.split(',').map((item) => item.trim())
  const parsed = items.filter((item) => item !== '').map(parseFault)
  const mistakes = parsed.filter((item) => typeof item === 'string')
  return mistakes.length > 0
    ? { ok: false, mistakes }
    : { ok: true, faults: parsed.filter((item) => typeof item !== 'string') }
}

function parseFault(item: string): Fault | string {
  const at = item.indexOf('@')
  const prefix = at === -1 ? undefined : item.slice(at + 1)
  const [rule = '', count] = (at === -1 ? item : item.slice(0, at)).split('x')
  const [name = '', value = ''] = rule.split('=')
  if (prefix?.startsWith('/') === false) return `${item}: the path must start with a slash.`
  if (count !== undefined && !isCount(count))
    return `${item}: "${count}" isn't a number of requests.`
  const limits = {
    ...(prefix === undefined ? {} : { prefix }),
    ...(count === undefined ? {} : { times: Number(count) }),
  }
  switch (name) {
    case 'silence':
      return { ...limits, kind: 'silence' }
    case 'cut-after':
      return isCount(value)
        ? { ...limits, kind: 'cut', afterBytes: Number(value) }
        : `${item}: cut-after needs a number of bytes, such as cut-after=2000.`
    case 'status':
      return isCount(value) && Number(value) >= 400 && Number(value) <= 599
        ? { ...limits, kind: 'status', status: Number(value) }
        : `${item}: status needs an HTTP status from 400 to 599, such as status=503.`
    case 'slow':
      return value.endsWith('/s') && isCount(value.slice(0, -2))
        ? { ...limits, kind: 'slow', bytesPerSecond: Number(value.slice(0, -2)) }
        : `${item}: slow needs bytes per second, such as slow=10/s.`
    default:
      return `${item}: unknown fault. Use cut-after, status, silence or slow.`
  }
}

function isCount(text: string): boolean {
  return String(Number(text)) === text && Number.isSafeInteger(Number(text)) && Number(text) > 0
}

/**
 * Does to the requests what the faults say; the first that fits a request is the one it meets. A
 * status is answered before the request is looked at, the other faults spoil the true answer.
 */
export function faultMiddleware(faults: readonly Fault[], clock: Clock): MiddlewareHandler {
  const used = new Map<Fault, number>()
  return async (c, next) => {
    const fault = faults.find(
      (one) =>
        c.req.path.startsWith(one.prefix ?? '/') && (used.get(one) ?? 0) < (one.times ?? Infinity),
    )
    if (fault !== undefined) used.set(fault, (used.get(fault) ?? 0) + 1)
    if (fault?.kind === 'status') throw practice(fault.status)
    await next()
    if (fault === undefined || c.res.body === null) return
    c.res = new Response(spoiledBody(c.res.body, fault, clock, hangUp(c.env)), c.res)
  }
}

function practice(status: number): ProblemError {
  return new ProblemError(
    problem(status, 'practice', 'Practice', `Simulated fault: status ${status}.`),
    status === 503 || status === 429 ? { retryAfterMs: 1000 } : {},
  )
}

const Served = z.object({ outgoing: z.instanceof(ServerResponse) })

/** How to end the connection of a request that came through a socket. */
function hangUp(env: unknown): (() => void) | undefined {
  const served = Served.safeParse(env)
  return served.success ? () => served.data.outgoing.destroy() : undefined
}

/** The faults that spoil the body of a true answer. */
export type BodyFault = Exclude<Fault, { readonly kind: 'status' }>

/**
 * A body as a fault lets it through. A cut one calls `hangUp` after its bytes where it can, so that
 * the connection ends as if the network had failed; otherwise the body fails.
 */
function spoiledBody(
  body: ReadableStream<Uint8Array>,
  fault: BodyFault,
  clock: Clock,
  hangUp: (() => void) | undefined,
): ReadableStream<Uint8Array> {
  return pulledBody((gone) => {
    switch (fault.kind) {
      case 'cut':
        return cut(body, fault.afterBytes, gone, hangUp)
      case 'slow':
        return slow(body, fault.bytesPerSecond, gone, clock)
      case 'silence':
        return silence(body, gone)
      default:
        return fault satisfies never
    }
  })
}

async function* cut(
  body: ReadableStream<Uint8Array>,
  afterBytes: number,
  gone: AbortSignal,
  hangUp: (() => void) | undefined,
): ReturnType<Bytes> {
  let left = afterBytes
  for await (const piece of piecesOf(body, gone)) {
    yield piece.subarray(0, left)
    left -= piece.length
    if (left <= 0) break
  }
  if (left > 0) return
  if (hangUp === undefined) throw new Error('cut for practice')
  // What was written must leave the process before the connection goes.
  await new Promise((resolve) => setImmediate(resolve))
  hangUp()
  await aborted(gone)
}

async function* slow(
  body: ReadableStream<Uint8Array>,
  bytesPerSecond: number,
  gone: AbortSignal,
  clock: Clock,
): ReturnType<Bytes> {
  const step = Math.max(1, Math.round(bytesPerSecond / 10))
  for await (const piece of piecesOf(body, gone)) {
    for (let start = 0; start < piece.length; start += step) {
      await wait(clock, (1000 * step) / bytesPerSecond, gone)
      if (gone.aborted) return
      yield piece.subarray(start, start + step)
    }
  }
}

async function* silence(body: ReadableStream<Uint8Array>, gone: AbortSignal): ReturnType<Bytes> {
  yield* []
  await aborted(gone)
  await body.cancel()
}

/** The pieces of a body; reading ends, also in the middle of a wait, when the reader is gone. */
async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  gone: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader()
  const cancel = (): void => {
    void reader.cancel()
  }
  gone.addEventListener('abort', cancel)
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    gone.removeEventListener('abort', cancel)
    cancel()
  }
}
