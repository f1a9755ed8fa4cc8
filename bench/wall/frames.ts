import type { CDPSession, Page } from '@playwright/test'
import * as z from 'zod/mini'

/** How a page drew for a while; times in ms. */
export interface Frames {
  readonly count: number
  readonly over50: number
  readonly worst: number
  /** Of its main thread, those that took over 50 ms, the longest first. */
  readonly longTasks: readonly LongTask[]
  /** The most processor time that a task of its main thread used, ms. */
  readonly mostUsed: number
}

interface LongTask {
  readonly ms: number
  /** What it used of a processor: where that is far less, other processes had the processor meanwhile. */
  readonly usedMs: number
  /** What ran in it, the longest first. */
  readonly parts: readonly string[]
}

/** Watches the page draw for so many ms. */
export async function framesOf(page: Page, forMs: number): Promise<Frames> {
  const session = await page.context().newCDPSession(page)
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { recordMode: 'recordAsMuchAsPossible', includedCategories: categories },
  })
  const drawn = await page.evaluate(async (ms) => {
    let count = 0
    let over50 = 0
    let worst = 0
    await new Promise<void>((resolve) => {
      const begin = performance.now()
      let last = begin
      const frame = (now: number): void => {
        count += 1
        worst = Math.max(worst, now - last)
        if (now - last > 50) over50 += 1
        last = now
        if (now - begin < ms) requestAnimationFrame(frame)
        else resolve()
      }
      requestAnimationFrame(frame)
    })
    return { count, over50, worst }
  }, forMs)
  const events = await endedTrace(session)
  await session.detach()
  return { ...drawn, ...tasksOf(events) }
}

const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8']

/** An event of a trace of Chromium; times in µs. */
const TraceEvent = z.object({
  name: z.string(),
  ph: z.string(),
  pid: z.int(),
  tid: z.int(),
  ts: z.optional(z.number()),
  dur: z.optional(z.number()),
  tdur: z.optional(z.number()),
  args: z.optional(z.record(z.string(), z.unknown())),
})
type TraceEvent = z.infer<typeof TraceEvent>

async function endedTrace(session: CDPSession): Promise<readonly TraceEvent[]> {
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...z.parse(z.array(TraceEvent), value))
  })
  const ended = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await ended
  return events
}

const longMs = 50
/** Parts of a task that say little are left out, ms. */
const leastMs = 5
const mostParts = 4

/** The tasks of the thread that had most of them: there is one page. */
function tasksOf(events: readonly TraceEvent[]): Pick<Frames, 'longTasks' | 'mostUsed'> {
  const mains = events.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  )
  const isMain = ({ pid, tid }: TraceEvent): boolean =>
    mains.some((main) => main.pid === pid && main.tid === tid)
  const whole = events.filter((event) => event.ph === 'X' && isMain(event))
  const tasks = whole.filter(({ name }) => name === 'RunTask')
  const longTasks = tasks
    .filter(({ dur = 0 }) => dur > longMs * 1000)
    .toSorted((a, b) => (b.dur ?? 0) - (a.dur ?? 0))
    .map((task) => ({
      ms: (task.dur ?? 0) / 1000,
      usedMs: (task.tdur ?? 0) / 1000,
      parts: whole
        .filter((event) => event !== task && isWithin(event, task))
        .filter(({ dur = 0 }) => dur > leastMs * 1000)
        .toSorted((a, b) => (b.dur ?? 0) - (a.dur ?? 0))
        .slice(0, mostParts)
        .map(partText),
    }))
  return { longTasks, mostUsed: Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000)) }
}

function isWithin(inner: TraceEvent, { pid, tid, ts = 0, dur = 0 }: TraceEvent): boolean {
  const { ts: from = 0 } = inner
  return inner.pid === pid && inner.tid === tid && from >= ts && from < ts + dur
}

/** What ran, where it stands, and for how long. */
function partText({ name, dur = 0, tdur = 0, args }: TraceEvent): string {
  const { functionName, url, lineNumber, columnNumber } = z.parse(Called, args?.data ?? {})
  const file = url?.slice(url.lastIndexOf('/') + 1)
  const where = file && `${file}:${lineNumber ?? 0}:${columnNumber ?? 0}`
  const what = [name, functionName, where].filter(Boolean).join(' ')
  return `${what} ${Math.round(dur / 1000)} ms (${Math.round(tdur / 1000)} ms used)`
}

const Called = z.object({
  functionName: z.optional(z.string()),
  url: z.optional(z.string()),
  lineNumber: z.optional(z.number()),
  columnNumber: z.optional(z.number()),
})
