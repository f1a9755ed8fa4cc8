import { createServer } from 'node:http'
import { pino } from 'pino'
import type { Clock } from '../../src/protocol/clock.ts'
import { createMemoryLog } from '../../src/server/live-log/memory-log.ts'
import { createLiveHub } from '../../src/server/proxy/live/live-hub.ts'
import { createUpstreamClient } from '../../src/server/proxy/upstream/undici-upstream-client.ts'
import { listenOnLoopback } from './loopback.ts'

/** The product's hub behind a plain server, with the settings that it has in the product. */
export async function startHubServer(sourcePort: number): Promise<{
  readonly port: number
  readonly readers: () => number
}> {
  const hub = createLiveHub({
    client: createUpstreamClient({
      baseUrl: new URL(`http://127.0.0.1:${sourcePort}`),
      name: 'build data server',
      urlSetting: 'SIGHTLINE_BUILD_DATA_URL',
      userAgent: 'bench',
      clock: realClock,
    }),
    liveLog: createMemoryLog(realClock),
    clock: realClock,
    random: Math.random,
    logger: pino({ level: 'silent' }),
    settings: { facts: false, maxClients: 20_000, maxClientsPerHolder: 20_000 },
  })
  const server = createServer((request, response) => {
    const lastEventId = request.headers['last-event-id']
    hub.handle(
      {
        since: 'now',
        batch: false,
        gzip: false,
        lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
        lastEventIdMalformed: false,
        session: {
          holder: 'bench',
          expiresAt: Number.MAX_SAFE_INTEGER,
          ended: new AbortController().signal,
        },
      },
      response,
    )
  })
  return {
    port: await listenOnLoopback(server),
    readers: () => hub.metrics().gauges.readers ?? Number.NaN,
  }
}

const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => {
      clearTimeout(timer)
    }
  },
}
