import { get, type IncomingMessage } from 'node:http'
import { createBuildCollector } from '../../src/facts/build-collector.ts'
import { inView, laneSpans, timeSpan } from '../../src/facts/timeline.ts'
import { createSseReader } from '../../src/protocol/sse.ts'

/** What a reading of the stream took. */
export interface Reading {
  /** By the clock, and of the processor on all threads. */
  readonly seconds: number
  readonly processor: number
  /** Resident memory at its highest, of a process that did nothing else. */
  readonly peakBytes: number
  readonly found: string
}

/** Reads the lines into memory, then parses each with JSON.parse: the second part is what counts. */
export async function readBare(address: string): Promise<Reading> {
  const lines: string[] = []
  const reader = createSseReader({ onMessage: ({ data }) => lines.push(data) })
  for await (const chunk of await bytesOf(address)) reader.feed(chunk)
  let timestamps = 0
  return costOf(() => {
    for (const line of lines) {
      const parsed: unknown = JSON.parse(line)
      if (typeof parsed === 'object' && parsed !== null && 'timestamp' in parsed) timestamps += 1
    }
    return Promise.resolve(`${lines.length} lines, ${timestamps} with a time`)
  })
}

/** Reads from the socket, finds the lines and parses each with JSON.parse; nothing is kept. */
export async function readBareFromSocket(address: string): Promise<Reading> {
  return costOf(async () => {
    const decoder = new TextDecoder()
    let rest = ''
    let lines = 0
    for await (const chunk of await bytesOf(address)) {
      const text = rest + decoder.decode(chunk, { stream: true })
      let start = 0
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        if (text.startsWith('data: ', start)) {
          const parsed: unknown = JSON.parse(text.slice(start + 6, end))
          if (typeof parsed === 'object') lines += 1
        }
        start = end + 1
      }
      rest = text.slice(start)
    }
    return `${lines} lines`
  })
}

/** Reads from the socket to a waterfall that can be drawn, as the worker of the page does. */
export async function readToWaterfall(address: string, keepRaw: boolean): Promise<Reading> {
  let firstRowsMs = 0
  return costOf(async () => {
    const began = performance.now()
    const collector = createBuildCollector({
      header: true,
      executions: true,
      logBytes: keepRaw ? 128 * 1024 * 1024 : 0,
    })
    const reader = createSseReader({
      onMessage: ({ event, data, id }) => {
        if (event === 'Build') collector.build(data)
        else collector.event(data, id ?? '')
      },
    })
    for await (const chunk of await bytesOf(address)) {
      reader.feed(chunk)
      if (firstRowsMs === 0 && collector.executions().length() >= 40) {
        firstRowsMs = performance.now() - began
      }
    }
    const all = collector.executions()
    const rows = inView(all, { order: 'start', kinds: ['task'] })
    const longest = inView(all, { order: 'duration' })
    const span = timeSpan(all)
    const drawn = span && laneSpans(all, rows, span, 600, 24)
    return [
      `${collector.events()} events`,
      `${rows.length} tasks of ${longest.length} executions`,
      `${(drawn?.worked.length ?? 0) / 3} stretches`,
      `${collector.log().kept()} raw events kept`,
      `${collector.malformed()} unreadable`,
      `first rows after ${firstRowsMs.toFixed(0)} ms`,
    ].join(', ')
  })
}

function bytesOf(address: string): Promise<AsyncIterable<Buffer>> {
  return new Promise<IncomingMessage>((resolve, reject) => {
    get(address, resolve).on('error', reject)
  })
}

async function costOf(work: () => Promise<string>): Promise<Reading> {
  globalThis.gc?.()
  const begin = performance.now()
  const before = process.cpuUsage()
  const found = await work()
  const { user, system } = process.cpuUsage(before)
  return {
    seconds: (performance.now() - begin) / 1000,
    processor: (user + system) / 1e6,
    peakBytes: process.resourceUsage().maxRSS * 1024,
    found,
  }
}
