import { connect, type Socket } from 'node:net'
import { z } from 'zod'
import { serveOrders } from '../hub/role.ts'
import { sharedMicros } from '../hub/source.ts'

/** What the readers of a measurement got since it began. Delays are ms. */
export const ReadersResult = z.object({
  readers: z.number(),
  /** Of all readers: the fewest and the most builds that one got. */
  fewest: z.number(),
  most: z.number(),
  facts: z.number(),
  /** Of the readers that keep the ids of what they get: more often than once; not in order. */
  doubled: z.number(),
  disordered: z.number(),
  reconnects: z.number(),
  gaps: z.number(),
  p50: z.number(),
  p99: z.number(),
  /** The longest time that no build came while some were published. */
  longestSilence: z.number(),
})
export type ReadersResult = z.infer<typeof ReadersResult>

/** A proxy as a reader finds it. */
const Target = z.object({ port: z.number(), tokens: z.array(z.string()) })
type Target = z.infer<typeof Target>

interface Reader {
  builds: number
  facts: number
  lastId: string | undefined
  /** For those that are looked into. */
  readonly ids: Set<string> | undefined
}

/**
 * A process of raw readers that come back by their last id, to the next proxy in turn. They count by
 * the lines of messages; exact ones look into each.
 */
export function serveAsReaders(): void {
  const readers: Reader[] = []
  let targets: readonly Target[] = []
  let delays: number[] = []
  let doubled = 0
  let disordered = 0
  let reconnects = 0
  let gaps = 0
  let longestSilence = 0
  let lastAt = 0
  const sockets = new Set<Socket>()

  const open = (reader: Reader, turn: number, onFirst: () => void): void => {
    const target = targets[turn % targets.length]
    const token = target?.tokens[turn % target.tokens.length]
    if (target === undefined || token === undefined) return
    const socket = connect({ port: target.port, host: '127.0.0.1', noDelay: true })
    sockets.add(socket)
    // HTTP/1.0 has no chunks, whose borders would have to be taken out of the messages.
    const lines = [
      'GET /live/builds?since=now HTTP/1.0',
      `host: 127.0.0.1:${target.port}`,
      `authorization: Bearer ${token}`,
      'accept: text/event-stream',
      ...(reader.lastId === undefined ? [] : [`last-event-id: ${reader.lastId}`]),
    ]
    socket.on('connect', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
    let rest = ''
    let isFirst = true
    socket.on('data', (chunk) => {
      if (isFirst) onFirst()
      isFirst = false
      const text = rest + chunk.toString('latin1')
      const end = text.lastIndexOf('\n\n') + 2
      if (end < 2) {
        rest = text
        return
      }
      rest = text.slice(end)
      if (reader.ids === undefined) count(reader, text.slice(0, end))
      else look(reader, text.slice(0, end))
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      sockets.delete(socket)
      reconnects++
      setTimeout(() => {
        open(reader, turn + 1, onFirst)
      }, 50)
    })
  }

  const count = (reader: Reader, text: string): void => {
    for (let at = text.indexOf('\nevent: '); at !== -1; at = text.indexOf('\nevent: ', at + 8)) {
      const kind = text.charCodeAt(at + 8)
      if (kind === letterB) reader.builds++
      else if (kind === letterF) reader.facts++
    }
    // Facts have no id; the newest build's is the last.
    const last = text.lastIndexOf('id: b')
    if (last !== -1) reader.lastId = text.slice(last + 4, text.indexOf('\n', last))
  }

  const look = (reader: Reader, text: string): void => {
    const now = sharedMicros()
    for (const message of text.split('\n\n')) {
      const event = /(?:^|\n)event: (\w+)/.exec(message)?.[1]
      if (event === 'Facts') reader.facts++
      else if (event === 'Gap') gaps++
      if (event !== 'Build') continue
      const id = /(?:^|\n)id: (\w+)/.exec(message)?.[1] ?? ''
      if (reader.ids?.has(id) === true) doubled++
      else reader.builds++
      if (reader.lastId !== undefined && id < reader.lastId) disordered++
      reader.ids?.add(id)
      reader.lastId = id
      delays.push((now - Number(/"sentAt":(\d+)/.exec(message)?.[1])) / 1000)
      if (lastAt > 0) longestSilence = Math.max(longestSilence, (now - lastAt) / 1000)
      lastAt = now
    }
  }

  serveOrders({
    /** Opens so many readers, by turns at all proxies; resolves when all have their first bytes. */
    open: async ({ proxies, count: wanted, exact }) => {
      targets = z.array(Target).parse(proxies)
      for (let from = 0; from < Number(wanted); from += 100) {
        const some = Array.from({ length: Math.min(100, Number(wanted) - from) }, (_, at) => {
          const ids = exact === true ? new Set<string>() : undefined
          const reader: Reader = { builds: 0, facts: 0, lastId: undefined, ids }
          readers.push(reader)
          return new Promise<void>((resolve) => {
            open(reader, from + at, resolve)
          })
        })
        await Promise.all(some)
      }
    },
    /** Begins a measurement. */
    reset: () => {
      for (const reader of readers) Object.assign(reader, { builds: 0, facts: 0 })
      delays = []
      doubled = disordered = reconnects = gaps = longestSilence = lastAt = 0
      return Promise.resolve()
    },
    result: () => {
      const sorted = delays.toSorted((a, b) => a - b)
      const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
      const counts = readers.map(({ builds }) => builds)
      const result: ReadersResult = {
        readers: readers.length,
        fewest: Math.min(...counts),
        most: Math.max(...counts),
        facts: Math.max(...readers.map(({ facts }) => facts)),
        doubled,
        disordered,
        reconnects,
        gaps,
        p50: at(0.5),
        p99: at(0.99),
        longestSilence,
      }
      return Promise.resolve(result)
    },
  })
}

const letterB = 'B'.charCodeAt(0)
const letterF = 'F'.charCodeAt(0)
