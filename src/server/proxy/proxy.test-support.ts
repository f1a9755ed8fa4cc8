import { onTestFinished } from 'vitest'
import type { PlainAnswer } from './plain-server.test-support.ts'
import { type ProxyOnSocket, startProxyOnSocket } from './proxy-on-socket.test-support.ts'

/** A proxy before upstreams that answer so, ended after the test; one answer serves for both. */
export async function proxySetup(
  buildData?: PlainAnswer,
  governor: PlainAnswer | undefined = buildData,
  options: Parameters<typeof startProxyOnSocket>[1] = {},
): Promise<ProxyOnSocket> {
  const proxy = await startProxyOnSocket(
    {
      ...(buildData === undefined ? {} : { buildData }),
      ...(governor === undefined ? {} : { governor }),
    },
    options,
  )
  onTestFinished(() => proxy.close())
  return proxy
}
