import { useMemo } from 'react'
import type { PackageAddress } from '../../../protocol/package-address.ts'
import {
  type Permission,
  type PermissionSubject,
  permittedOf,
  whyNot,
} from '../../../protocol/permission.ts'
import { useSessionUser } from '../../data/core/services.ts'

export type May =
  | { readonly isAllowed: true; readonly reason: undefined }
  | { readonly isAllowed: false; readonly reason: string }

/** What limits are about, of a package and one of its scans. */
export function packageSubject(
  { type, namespace, name }: PackageAddress,
  scan?: string,
): PermissionSubject {
  const packageName = [type, namespace, name].filter((part) => part !== undefined).join('/')
  return { packageName, ...(scan === undefined ? {} : { scan }) }
}

/**
 * Whether the one who is signed in may do something, to `subject` where it is about a package or a
 * policy scan. Until it is known who that is, everything: the server decides anyway.
 */
export function useMay(permission: Permission, subject?: PermissionSubject): May {
  const user = useSessionUser()
  const reason = user && whyNot(user, permission, subject)
  return reason === undefined ? { isAllowed: true, reason } : { isAllowed: false, reason }
}

/**
 * Those of several things that the one who is signed in may do something to, and what a
 * PermittedButton for them takes: it is enabled where there are any, or nothing at all.
 */
export function usePermitted<T>(
  permission: Permission,
  all: readonly T[],
  subjectOf: (one: T) => PermissionSubject,
): {
  readonly allowed: readonly T[]
  readonly button: { readonly permission: Permission; readonly subject?: PermissionSubject }
} {
  const user = useSessionUser()
  return useMemo(() => {
    if (user === undefined) return { allowed: all, button: { permission } }
    const { allowed, subject } = permittedOf(user, permission, all, subjectOf)
    return { allowed, button: { permission, ...(subject && { subject }) } }
  }, [user, permission, all, subjectOf])
}
