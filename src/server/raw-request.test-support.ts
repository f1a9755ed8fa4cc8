import { connect, type Socket } from 'node:net'

/** A connection on which a test writes bytes as no client library would. */
export interface RawConnection {
  readonly socket: Socket
  readonly write: (bytes: string) => void
  /** All that has come so far. */
  readonly text: () => string
  /** Resolves with all that came when the other side has closed, cleanly or not. */
  readonly closed: Promise<string>
  /** Resolves as soon as what came matches. */
  readonly until: (pattern: RegExp) => Promise<string>
}

/** Opens a connection to a port on loopback. */
export function openRaw(port: number): RawConnection {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  // A connection that is reset has closed as well.
  socket.on('error', () => undefined)
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => {
      resolve(text)
    })
  })
  return {
    socket,
    write: (bytes) => {
      socket.write(bytes, 'latin1')
    },
    text: () => text,
    closed,
    until: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (pattern.test(text)) resolve(text)
        }
        look()
        socket.on('data', look)
      }),
  }
}

/** Writes bytes on a connection of its own and resolves with all that comes until it is closed. */
export function exchangeRaw(port: number, bytes: string): Promise<string> {
  const connection = openRaw(port)
  connection.write(bytes)
  return connection.closed
}
