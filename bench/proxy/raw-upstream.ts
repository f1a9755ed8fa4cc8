import { createServer, type Socket } from 'node:net'
import { z } from 'zod'
import { serveOrders } from '../hub/role.ts'

const megabyte = 1024 * 1024

/**
 * A build server of sockets and prepared bytes, so that it costs next to nothing: the events of a build
 * without end, a page of a build list, and for everything else nothing yet.
 */
export function serveAsUpstream(): void {
  const page = JSON.stringify(
    Array.from({ length: 10 }, (_, at) => ({
      id: `abcdefghijk${(at + 10).toString(36)}a`,
      availableAt: 1_700_000_000_000 + at,
      buildToolType: 'gradle',
      buildToolVersion: '9.2.0',
      buildAgentVersion: '4.2',
    })),
  )
  const list = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${page.length}\r\n\r\n${page}`
  const nothing = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'
  const quiet = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`
  serveOrders({
    start: ({ bytes }) => {
      const events = streamOf(z.number().parse(bytes))
      const server = createServer((socket) => {
        socket.setNoDelay(true)
        socket.on('error', () => undefined)
        let asked = ''
        socket.on('data', (data) => {
          asked += data.toString('latin1')
          for (let end = asked.indexOf('\r\n\r\n'); end !== -1; end = asked.indexOf('\r\n\r\n')) {
            const line = asked.slice(0, asked.indexOf('\r\n'))
            asked = asked.slice(end + 4)
            if (line.includes('/events')) writeAll(socket, events())
            else if (line.startsWith('GET /api/builds')) socket.write(list)
            else socket.write(line.startsWith('GET /build-export/') ? quiet : nothing)
          }
        })
      })
      return new Promise((resolve) => {
        server.listen(0, '127.0.0.1', () => {
          const address = server.address()
          resolve(typeof address === 'object' && address !== null ? address.port : 0)
        })
      })
    },
  })
}

/** The pieces of an event stream of so many bytes: events of a kilobyte, in chunks of 64 kB. */
function streamOf(bytes: number): () => Iterator<Buffer> {
  const event = (id: number): string =>
    `id: ${id}\nevent: BuildEvent\ndata: ${JSON.stringify({ timestamp: 1_700_000_000_000, type: { majorVersion: 1, minorVersion: 0, eventType: 'TaskFinished' }, data: { path: `:module-${id}:compileJava`, outcome: 'success', text: 'x'.repeat(820) } })}\n\n`
  let text = ''
  for (let id = 0; text.length < 64 * 1024 - 1100; id++) text += event(id)
  const chunk = Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`)
  const chunks = Math.ceil(bytes / text.length)
  return function* () {
    yield Buffer.from(
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
    )
    for (let sent = 0; sent < chunks; sent++) yield chunk
    yield Buffer.from('0\r\n\r\n')
  }
}

function writeAll(socket: Socket, pieces: Iterator<Buffer>): void {
  for (;;) {
    const next = pieces.next()
    if (next.done === true || socket.destroyed) return
    if (!socket.write(next.value) && socket.writableLength > megabyte) {
      socket.once('drain', () => {
        writeAll(socket, pieces)
      })
      return
    }
  }
}
