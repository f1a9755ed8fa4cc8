import type { Role } from '../../protocol/session.ts'

/** Who somebody is and what they may do. */
export interface User {
  readonly name: string
  readonly roles: readonly Role[]
}

/** What somebody shows to get a session. */
export interface SignInRequest {
  readonly headers: Headers
  /** Whole, and at most as long as any request body may be; empty where there is none. */
  readonly body: Uint8Array
}

/** A way of finding out who asks for a session. */
export interface SignIn {
  readonly mode: 'none' | 'tokens' | 'oidc'
  /** Who asks for a session. Throws a ProblemError 401 or 403 that tells what to do. */
  readonly signIn: (request: SignInRequest) => Promise<User>
}

/**
 * Everybody who reaches the proxy is the one local user with every role: for a loopback address
 * only, which the configuration sees to.
 */
export const signInAsLocalUser: SignIn = {
  mode: 'none',
  signIn: () => Promise.resolve({ name: 'local user', roles: ['viewer', 'publisher', 'admin'] }),
}
