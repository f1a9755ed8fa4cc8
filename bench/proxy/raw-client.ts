import { connect, type Socket } from 'node:net'

/** Where requests go, and what each of them says of who asks. */
export interface Target {
  readonly port: number
  readonly headers: string
}

/** Reads a response to its end and forgets it; gives the bytes that came. A cut one throws. */
export function drain({ port, headers }: Target, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0
    let tail = ''
    // One buffer for all that comes: what is measured is who sends.
    const buffer = Buffer.alloc(1024 * 1024)
    const socket = connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer,
        callback: (length) => {
          if (bytes === 0 && !buffer.toString('latin1', 0, 15).startsWith('HTTP/1.1 200')) {
            reject(new Error(buffer.toString('latin1', 0, Math.min(length, 400))))
            socket.destroy()
            return false
          }
          bytes += length
          tail = (tail + buffer.toString('latin1', Math.max(0, length - 5), length)).slice(-5)
          if (tail === '0\r\n\r\n') {
            socket.destroy()
            resolve(bytes)
          }
          return true
        },
      },
    })
    socket.on('error', reject)
    socket.on('close', () => {
      reject(new Error(`the response was cut after ${bytes} bytes`))
    })
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}\r\n`)
  })
}

/** How long requests took, ms. */
export interface Latencies {
  readonly count: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

const connections = 32

/**
 * Small requests over 32 kept connections for some ms: at a pace, timed from when each was due, or
 * (without one) each connection the next one as soon as it has a response.
 */
export async function requests(
  { port, headers }: Target,
  path: string,
  ms: number,
  perSecond?: number,
): Promise<Latencies> {
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}\r\n`
  const took: number[] = []
  const due: number[] = []
  const idle: Connection[] = []
  const began = performance.now()
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)))
  const send = (connection: Connection, at: number): void => {
    connection.ask(request, () => {
      took.push(performance.now() - at)
      const next = perSecond === undefined ? now() : due.shift()
      if (next === undefined) idle.push(connection)
      else send(connection, next)
    })
  }
  const now = (): number | undefined => {
    const at = performance.now()
    return at - began < ms ? at : undefined
  }
  if (perSecond === undefined) for (const connection of open) send(connection, performance.now())
  else {
    idle.push(...open)
    let sent = 0
    const started = performance.now()
    for (;;) {
      const passed = performance.now() - started
      for (; sent < (passed * perSecond) / 1000; sent++) {
        const at = started + (sent * 1000) / perSecond
        const connection = idle.pop()
        if (connection === undefined) due.push(at)
        else send(connection, at)
      }
      if (passed > ms) break
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  while (idle.length < connections) await new Promise((resolve) => setTimeout(resolve, 5))
  const seconds = (performance.now() - began) / 1000
  for (const connection of open) connection.close()
  took.sort((a, b) => a - b)
  const quantile = (share: number): number => took[Math.floor(took.length * share)] ?? NaN
  return {
    count: took.length,
    perSecond: took.length / seconds,
    p50: quantile(0.5),
    p99: quantile(0.99),
  }
}

interface Connection {
  readonly ask: (request: string, answered: () => void) => void
  readonly close: () => void
}

function openConnection(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let text = ''
    let done = (): void => undefined
    const socket: Socket = connect(port, '127.0.0.1', () => {
      socket.setNoDelay(true)
      resolve({
        ask: (request, answered) => {
          done = answered
          socket.write(request)
        },
        close: () => socket.destroy(),
      })
    })
    socket.once('error', reject)
    socket.on('data', (data) => {
      text += data.toString('latin1')
      if (!isWhole(text)) return
      if (!text.startsWith('HTTP/1.1 200')) throw new Error(text.slice(0, 400))
      text = ''
      done()
    })
  })
}

function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))?.[1]
  return length === undefined
    ? text.endsWith('\r\n0\r\n\r\n')
    : text.length >= head + 4 + Number(length)
}
