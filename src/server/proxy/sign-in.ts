import type { Role } from '../../protocol/session.ts'

/** Who somebody is and what they may do. */
export interface User {
  readonly name: string
  readonly roles: readonly Role[]
}

/** A way of finding out who asks for a session. */
export interface SignIn {
  readonly mode: 'none' | 'tokens' | 'oidc'
  /** Who sends this request. Throws a ProblemError 401 or 403 that tells what to do. */
  readonly signIn: (request: Request) => Promise<User>
}

/**
 * Everybody who reaches the proxy is the one local user with every role: for a loopback address
 * only, which the configuration sees to.
 */
export const signInAsLocalUser: SignIn = {
  mode: 'none',
  signIn: () => Promise.resolve({ name: 'local user', roles: ['viewer', 'publisher', 'admin'] }),
}
