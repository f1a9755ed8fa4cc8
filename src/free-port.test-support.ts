import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'

let tried = 0

/**
 * A port of the loopback interface that nothing listens on: below those that outgoing connections
 * get by themselves (32768 and up on Linux), so that none takes it before its server is there, or
 * while that is away to come back.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    // Processes that look at the same time look in different places.
    const port = 12_000 + ((process.pid * 7919 + tried++ * 104_729) % 18_000)
    const probe = createServer()
    probe.listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}

/** Where a server of a test is; `close` also ends the connections that are open. */
export interface Loopback {
  readonly url: string
  readonly port: number
  /** Requests an address that is relative to it. */
  readonly fetch: typeof fetch
  readonly close: () => Promise<void>
}

/** Lets a server listen on the loopback interface, on a free port unless one is named. */
export async function onLoopback(server: Server, named = 0): Promise<Loopback> {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.listen(named, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  const { port } = address
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    port,
    fetch: (input, init) =>
      fetch(`${url}${input instanceof Request ? input.url : input.toString()}`, init),
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve)
        for (const socket of open) socket.destroy()
      })
    },
  }
}
