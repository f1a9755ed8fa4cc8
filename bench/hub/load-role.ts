import { connect, type Socket } from 'node:net'
import { z } from 'zod'
import { serveOrders } from './role.ts'
import { sharedMicros } from './source.ts'

/** What the readers of a measurement got. Delays are ms. */
export const LoadResult = z.object({
  /** Builds that arrived, over all readers. */
  delivered: z.number(),
  /** How many readers got exactly as many builds as the luckiest of them, and how many that was. */
  complete: z.number(),
  most: z.number(),
  open: z.number(),
  p50: z.number(),
  p99: z.number(),
  lastId: z.string(),
})
export type LoadResult = z.infer<typeof LoadResult>

interface Reader {
  readonly socket: Socket
  builds: number
}

const openBrace = 0x7b

/**
 * A process of readers: raw sockets that count builds by their one brace each, as a full client for
 * each of thousands would be slower than the server that is measured. Timed ones look into what they
 * get; they belong into a process of their own, where nothing delays them but the server.
 */
export function serveAsLoad(): void {
  let readers: Reader[] = []
  let delays: number[] = []
  let lastId = ''

  const open = (port: number, headers: string, timed: boolean, onFirst: () => void): Reader => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const reader: Reader = { socket, builds: 0 }
    let heard = false
    let statuses = 0
    socket.on('connect', () => {
      socket.write(`GET /?since=now HTTP/1.1\r\nhost: bench\r\n${headers}\r\n`)
    })
    socket.on('data', (chunk) => {
      if (!heard) {
        heard = true
        onFirst()
      }
      let braces = 0
      for (let at = chunk.indexOf(openBrace); at !== -1; at = chunk.indexOf(openBrace, at + 1)) {
        braces++
      }
      // The hub's `Status` has a brace as well; it comes alone or first.
      if (statuses < 8 && chunk.includes('event: Status')) {
        const found = chunk.toString('latin1').split('event: Status').length - 1
        statuses += found
        braces -= found
      }
      reader.builds += braces
      if (timed) time(chunk.toString('latin1'))
    })
    socket.on('error', () => undefined)
    return reader
  }

  const time = (text: string): void => {
    const now = sharedMicros()
    for (const [, sentAt] of text.matchAll(/"sentAt":(\d+)\}/g)) {
      delays.push((now - Number(sentAt)) / 1000)
    }
    lastId = /.*id: (\w{13})/s.exec(text)?.[1] ?? lastId
  }

  const openMany = async (
    port: number,
    count: number,
    headers = '',
    timed = false,
  ): Promise<Reader[]> => {
    const added: Reader[] = []
    const firsts = Array.from(
      { length: count },
      () =>
        new Promise<void>((resolve) => {
          added.push(open(port, headers, timed, resolve))
        }),
    )
    await Promise.all(firsts)
    return added
  }

  serveOrders({
    /** Opens readers, so many at a time; ms until all had their first bytes. */
    open: async ({ port, count, atOnce, lastEventId, reads, timed }) => {
      const startedAt = performance.now()
      const headers = typeof lastEventId === 'string' ? `last-event-id: ${lastEventId}\r\n` : ''
      for (let left = Number(count); left > 0; left -= Number(atOnce)) {
        const size = Math.min(left, Number(atOnce))
        const added = await openMany(Number(port), size, headers, timed === true)
        if (reads === false) for (const { socket } of added) socket.pause()
        readers.push(...added)
      }
      return performance.now() - startedAt
    },
    /** Opens and closes readers, so many at a time. */
    churn: async ({ port, count, atOnce }) => {
      for (let left = Number(count); left > 0; left -= Number(atOnce)) {
        const added = await openMany(Number(port), Math.min(left, Number(atOnce)))
        for (const { socket } of added) socket.destroy()
      }
    },
    reset: () => {
      delays = []
      for (const reader of readers) reader.builds = 0
      return Promise.resolve()
    },
    result: () => {
      const sorted = delays.toSorted((a, b) => a - b)
      const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
      const most = readers.reduce((max, { builds }) => Math.max(max, builds), 0)
      const result: LoadResult = {
        delivered: readers.reduce((sum, { builds }) => sum + builds, 0),
        complete: readers.filter(({ builds }) => builds === most).length,
        most,
        open: readers.filter(({ socket }) => !socket.destroyed).length,
        p50: at(0.5),
        p99: at(0.99),
        lastId,
      }
      return Promise.resolve(result)
    },
    close: () => {
      for (const { socket } of readers) socket.destroy()
      readers = []
      return Promise.resolve()
    },
  })
}
