import { createServer, get, type ServerResponse } from 'node:http'
import { createSseReader } from '../../src/protocol/sse.ts'
import { listenOnLoopback } from './loopback.ts'

/** The usual way to fan a stream out, to compare with: each message is written to each reader. */
export async function startBareFanOut(sourcePort: number): Promise<{
  readonly port: number
  readonly readers: () => number
}> {
  const readers = new Set<ServerResponse>()
  const source = createSseReader({
    onMessage: ({ id, event, data }) => {
      const bytes = Buffer.from(`id: ${id ?? ''}\nevent: ${event ?? ''}\ndata: ${data}\n\n`)
      for (const reader of readers) reader.write(bytes)
    },
  })
  get(`http://127.0.0.1:${sourcePort}/builds?stream`, (response) => {
    response.on('data', (chunk: Buffer) => {
      source.feed(chunk)
    })
  })
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(': ok\n\n')
    readers.add(response)
    response.once('close', () => readers.delete(response))
  })
  return { port: await listenOnLoopback(server), readers: () => readers.size }
}
