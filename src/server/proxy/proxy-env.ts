import type { HttpBindings } from '@hono/node-server'
import type { VerifiedSession } from './sessions.ts'

/** What the handlers of the proxy share about one request (Hono's `Env`). */
export interface ProxyEnv {
  /** Node's own request and response; absent where a test calls the app without a socket. */
  Bindings: Partial<HttpBindings>
  Variables: {
    /** The pattern of the address, for logs and metrics: never what was typed. */
    route: string
    /** Whose request it is; set by `protect` before any handler that needs it. */
    session: VerifiedSession
  }
}
