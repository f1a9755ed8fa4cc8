import { isWithin, mayDo, type Permission, rolesFor } from '../../../protocol/permission.ts'
import type { SessionUser } from '../../../protocol/session.ts'
import { useSessionUser } from '../../data/core/services.ts'

/** What something is done to, where roles may be limited to some packages and policy scans. */
export type PermissionSubject = Parameters<typeof isWithin>[1]

/** Whether the one who is signed in may do something; where not, why and who may. */
export type May =
  | { readonly isAllowed: true; readonly reason: undefined }
  | { readonly isAllowed: false; readonly reason: string }

/**
 * Whether the one who is signed in may do something, to `subject` where it is about a package or a
 * policy scan. Until it is known who that is, everything: the server decides anyway.
 */
export function useMay(permission: Permission, subject?: PermissionSubject): May {
  const user = useSessionUser()
  const reason = user && whyNot(user, permission, subject)
  return reason === undefined ? { isAllowed: true, reason } : { isAllowed: false, reason }
}

/** Why somebody may not do something, and who may; undefined where nothing is in the way. */
export function whyNot(
  user: SessionUser,
  permission: Permission,
  subject: PermissionSubject = {},
): string | undefined {
  if (!mayDo(user, permission)) {
    const roles = rolesFor(permission)
    return `Requires the role ${roles}. ${yours(user)} Ask your administrator for access.`
  }
  if (isWithin(user, subject)) return undefined
  const { scan, ...apart } = subject
  const [what, patterns] = isWithin(user, apart)
    ? ['policy scans', user.limits?.scans]
    : ['packages', user.limits?.packages]
  const list = patterns?.length ? `the ${what} ${patterns.join(', ')}` : `no ${what}`
  return `Your roles cover ${list}. Ask your administrator for access.`
}

function yours({ roles }: SessionUser): string {
  if (roles.length === 0) return 'You have no role.'
  const names = new Intl.ListFormat('en').format(roles)
  return roles.length === 1 ? `Your role is ${names}.` : `Your roles are ${names}.`
}
