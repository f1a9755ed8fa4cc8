import { createServer, type ServerResponse } from 'node:http'
import { listenOnLoopback } from './loopback.ts'

/** The upstream of a measurement: one stream of builds at a set pace. */
export interface Source {
  readonly port: number
  /** How many streams are open. */
  readonly streams: () => number
  /** How many requests came so far. */
  readonly requests: () => number
  /** Sends `perSecond` builds a second for `ms`, in steps of 10 ms; gives how many it sent. */
  readonly publish: (perSecond: number, ms: number, padding?: number) => Promise<number>
  readonly stop: () => void
}

/** Microseconds on a clock that all processes of this machine share. */
export function sharedMicros(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Starts a source; each build carries the instant at which it was sent. */
export async function startSource(): Promise<Source> {
  const streams = new Set<ServerResponse>()
  let requests = 0
  let number = 0
  const server = createServer((request, response) => {
    requests++
    if (request.url?.includes('stream') !== true) {
      response.writeHead(204).end()
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    streams.add(response)
    response.once('close', () => streams.delete(response))
  })
  const port = await listenOnLoopback(server)

  const publishOne = (padding: string): void => {
    const buildId = `b${(number++).toString(36).padStart(12, '0')}`
    const build = {
      buildId,
      timestamp: Date.now(),
      toolType: 'gradle',
      toolVersion: '8.14.3',
      agentVersion: `4.0.2${padding}`,
      sentAt: sharedMicros(),
    }
    const text = `id: ${buildId}\nevent: Build\ndata: ${JSON.stringify(build)}\n\n`
    for (const stream of streams) stream.write(text)
  }

  return {
    port,
    streams: () => streams.size,
    requests: () => requests,
    publish: async (perSecond, ms, padding = 0) => {
      const startedAt = performance.now()
      const filler = 'x'.repeat(padding)
      let sent = 0
      for (;;) {
        const elapsed = Math.min(ms, performance.now() - startedAt)
        for (const due = Math.floor((elapsed * perSecond) / 1000); sent < due; sent++) {
          publishOne(filler)
        }
        if (elapsed >= ms) return sent
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
