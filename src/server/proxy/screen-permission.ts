import { problem, ProblemError } from '../../protocol/problem.ts'
import { configPath } from '../../protocol/proxy-config.ts'
import type { VerifiedSession } from './sessions.ts'

/**
 * What a screen may do: read the configuration and everything live. Throws a ProblemError 403 for
 * everything else, whatever is added to the proxy; people are let through.
 */
export function refuseScreens(
  { user }: VerifiedSession,
  { method, path }: { readonly method: string; readonly path: string },
): void {
  if (!user.roles.includes('screen')) return
  const isReading = method === 'GET' || method === 'HEAD'
  if (isReading && (path === configPath || path.startsWith('/live/'))) return
  throw new ProblemError(
    problem(
      403,
      'screens-only-read',
      'Not for screens',
      'The credential of a screen may read the configuration and the live feed only. Sign in as a person for everything else.',
    ),
  )
}

/** Throws a ProblemError 403 for those who may not say which screens there are. */
export function requireScreenKeeper({ user }: VerifiedSession): void {
  if (user.roles.includes('publisher') || user.roles.includes('admin')) return
  throw new ProblemError(
    problem(
      403,
      'no-permission',
      'Not allowed',
      'Screens are kept by people with the role publisher or admin. Ask somebody who has it.',
    ),
  )
}
