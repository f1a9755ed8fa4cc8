import { once } from 'node:events'
import { createServer } from 'node:http'
import { buildSize, generatedBuild, generatedEvents } from './generated-build.ts'

const pieceBytes = 64 * 1024

/**
 * Serves the generated build (docs/services.md#export-events-of-a-build) on a free port of
 * loopback: all its events, or those of the types asked for, after a Last-Event-ID too. Its bytes
 * are made beforehand, so that making them is not measured. Tells its address to the process that
 * started it.
 */
export async function serveBuild(): Promise<void> {
  const events = [...generatedEvents()]
  if (events.length !== buildSize.events) throw new Error(`made ${events.length} events`)
  const made = new Map<string, Buffer[]>()

  /** Made as they are sent the first time, so that a reader does not wait for the last of them. */
  function* pieces(types: string): Generator<Buffer> {
    const known = made.get(types)
    if (known !== undefined) {
      yield* known
      return
    }
    const wanted = types === '' ? undefined : new Set(types.split(','))
    const buffers: Buffer[] = []
    let text = `id: ${buildSize.buildId}\nevent: Build\ndata: ${generatedBuild()}\n\n`
    for (const [index, event] of events.entries()) {
      if (wanted?.has(event.type) === false) continue
      text += `id: ${index + 1}\nevent: BuildEvent\ndata: ${event.text}\n\n`
      if (text.length < pieceBytes) continue
      const buffer = Buffer.from(text)
      buffers.push(buffer)
      text = ''
      yield buffer
    }
    const last = Buffer.from(text)
    yield last
    made.set(types, [...buffers, last])
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://bench')
    if (!url.pathname.endsWith(`/build/${buildSize.buildId}/events`)) {
      response.writeHead(404).end()
      return
    }
    // Whoever resumes has had everything: a stream is never cut here.
    if (request.headers['last-event-id'] !== undefined) {
      response.writeHead(204).end()
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void (async () => {
      for (const piece of pieces(url.searchParams.get('eventTypes') ?? '')) {
        if (response.destroyed) return
        if (!response.write(piece)) await once(response, 'drain')
      }
      response.end()
    })()
  })
  for (const piece of pieces('')) if (piece.length === 0) throw new Error('made an empty piece')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  process.send?.(`http://127.0.0.1:${String(typeof address === 'object' ? address?.port : '')}`)
}
