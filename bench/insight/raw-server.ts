import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { Surroundings } from './page-steps.ts'

/** Starts a plain build server on a free port of 127.0.0.1, with the settings that lead to it. */
export async function startRawServer(listener: RequestListener): Promise<Surroundings> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    settings: {
      SIGHTLINE_BUILD_DATA_URL: `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : '')}`,
      SIGHTLINE_BUILD_DATA_ACCESS_KEY: 'key',
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Sends the head of a stream that then says nothing. */
export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
}

/** An event of a build: its type, its data, and its time where that isn't the start of the build, epoch ms. */
type RawEvent = readonly [eventType: string, data: object, timestamp?: number]

/** Sends the events of a Gradle build that started `at` (epoch ms) as the export stream has them. */
export function sendBuild(
  response: ServerResponse,
  { buildId, at }: { buildId: string; at: number },
  events: Iterable<RawEvent>,
): void {
  const send = (event: string, data: object): void => {
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const about = { toolType: 'gradle', toolVersion: '9.2', agentVersion: '4.2' }
  send('Build', { buildId, timestamp: at, ...about })
  for (const [eventType, data, timestamp = at] of events) {
    const type = { majorVersion: 1, minorVersion: 0, eventType }
    send('BuildEvent', { timestamp, type, data })
  }
  response.end()
}
