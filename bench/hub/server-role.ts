import { z } from 'zod'
import { startBareFanOut } from './bare-fan-out.ts'
import { startHubServer } from './hub-server.ts'
import { serveOrders } from './role.ts'

/** What a server says of itself. Times are ms, sizes MB. */
export const ServerState = z.object({
  readers: z.number(),
  processorMs: z.number(),
  rss: z.number(),
  /** The most since the last time it was asked. */
  maxRss: z.number(),
  heap: z.number(),
  /** Sockets, timers and the like that keep the process alive. */
  resources: z.number(),
})
export type ServerState = z.infer<typeof ServerState>

/** The process that is measured: the hub, or the bare fan-out. */
export function serveAsServer(kind: 'hub' | 'bare'): void {
  let readers = (): number => 0
  let maxRss = 0
  setInterval(() => {
    maxRss = Math.max(maxRss, process.memoryUsage.rss())
  }, 100)
  serveOrders({
    start: async ({ sourcePort }) => {
      const start = kind === 'hub' ? startHubServer : startBareFanOut
      const server = await start(Number(sourcePort))
      readers = server.readers
      return server.port
    },
    state: ({ collect }) => {
      if (collect === true) globalThis.gc?.()
      const { user, system } = process.cpuUsage()
      const rss = process.memoryUsage.rss()
      const state: ServerState = {
        readers: readers(),
        processorMs: (user + system) / 1000,
        rss: rss / megabyte,
        maxRss: Math.max(maxRss, rss) / megabyte,
        heap: process.memoryUsage().heapUsed / megabyte,
        resources: process.getActiveResourcesInfo().length,
      }
      maxRss = 0
      return Promise.resolve(state)
    },
  })
}

const megabyte = 1024 * 1024
