import type { Server } from 'node:http'

/** Listens on a free port of the loopback interface and gives its number. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, resolve)
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
