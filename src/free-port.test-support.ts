import { once } from 'node:events'
import { createServer } from 'node:net'

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
