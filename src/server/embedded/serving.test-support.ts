import type { Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { onLoopback } from '../../free-port.test-support.ts'
import { createManualClock, type ManualClock } from '../../protocol/manual-clock.test-support.ts'
import { createSseReader } from '../../protocol/sse.ts'
import { listen as listenOn } from '../listen.ts'
import type { Database } from '../store/database.ts'
import { memoryDatabase } from '../store/memory-database.test-support.ts'
import { createEmbedded, type Embedded, type EmbeddedOptions } from './embedded.ts'
import { allPermissions } from './credentials.ts'
import { openSigner } from './governor/publish.ts'
import { usualPolicies } from './governor/usual-policies.ts'

/** The embedded services on a socket of the loopback interface, over a database in memory. */
export interface Serving extends Embedded {
  readonly database: Database
  /** Stands at 1,000,000 ms until it is moved. */
  readonly clock: ManualClock
  /** A request with the access key of somebody who may do everything, unless `init` has its own. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
  /** The same, read as a stream of server-sent events while it comes in. */
  readonly stream: (path: string, init?: RequestInit) => Promise<Listening>
  readonly port: number
  /** The server's side of the connections that are open. */
  readonly connections: () => readonly Socket[]
  /** Ends the server, its connections and its database. */
  readonly stop: () => Promise<void>
}

/** An open stream. */
export interface Listening {
  readonly response: Response
  /** All that has come so far: `event id` of messages, `:` for comments. */
  readonly seen: readonly string[]
  /** The data of the messages so far. */
  readonly data: readonly string[]
  /** Resolves when there are at least `count` entries in `seen`. */
  readonly until: (count: number) => Promise<void>
  /** Resolves at the end of the stream, however it comes about. */
  readonly ended: Promise<void>
  readonly hangUp: () => void
}

export const accessKey = 'key-of-ada'

/** Serves the embedded services; `options` replace the plain ones. */
export async function serve(options: Partial<EmbeddedOptions> = {}): Promise<Serving> {
  const database = await memoryDatabase()
  const clock = createManualClock(1_000_000)
  const ada = { user: 'ada', accessKey, password: 'pass:word', permissions: allPermissions }
  const plain = { database, clock, random: () => 0.5, credentials: [ada] }
  const embedded = createEmbedded({ ...plain, ...options })
  const server = createAdaptorServer({
    fetch: embedded.app.fetch,
    // Test files share a process: a replaced global Response would break the live feed of others.
    overrideGlobalObjects: false,
  })
  const { port, close } = await onLoopback(server)
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })

  function request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${accessKey}`)
    if (headers.get('Authorization') === '') headers.delete('Authorization')
    return fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers })
  }

  return {
    ...embedded,
    database,
    clock,
    port,
    connections: () => [...open],
    request,
    stream: async (path, init) => {
      const gone = new AbortController()
      return listen(await request(path, { ...init, signal: gone.signal }), gone)
    },
    stop: async () => {
      await embedded.close()
      await close()
      await database.close()
    },
  }
}

/** The embedded services with a policy service, behind the product's own listener, and their end. */
export async function serveAll(
  now: number,
  credentials: EmbeddedOptions['credentials'],
): Promise<{ embedded: Embedded; url: string; close: () => Promise<void> }> {
  const database = await memoryDatabase()
  const clock = createManualClock(now)
  const signer = await openSigner(database)
  const governor = { signer, policies: usualPolicies(signer.publicPem) }
  const { random } = Math
  const embedded = createEmbedded({ database, clock, random, credentials, governor })
  const { app } = embedded
  const server = await listenOn({ app, host: '127.0.0.1', port: 0, clock, maxBodyBytes: Infinity })
  return {
    embedded,
    url: server.url,
    close: async () => {
      await embedded.close()
      await server.close()
      await database.close()
    },
  }
}

function listen(response: Response, gone: AbortController): Listening {
  const seen: string[] = []
  const data: string[] = []
  let waiting: { readonly count: number; readonly resolve: () => void }[] = []
  const reader = createSseReader({
    onMessage: (message) => {
      data.push(message.data)
      note(`${message.event ?? ''} ${message.id ?? ''}`)
    },
    onComment: () => {
      note(':')
    },
  })

  function note(entry: string): void {
    seen.push(entry)
    for (const { count, resolve } of waiting) if (seen.length >= count) resolve()
    waiting = waiting.filter(({ count }) => seen.length < count)
  }

  async function read(): Promise<void> {
    for await (const bytes of response.body ?? []) reader.feed(bytes)
  }

  return {
    response,
    seen,
    data,
    until: (count) =>
      new Promise((resolve) => {
        if (seen.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
    ended: read().catch(() => undefined),
    hangUp: () => {
      gone.abort()
    },
  }
}
