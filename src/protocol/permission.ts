import { decodedSegment, packageNameOf } from './package-address.ts'
import type { Role, SessionUser } from './session.ts'

/**
 * What somebody may be allowed to do, and the least role that it takes. `admin` includes `releaser`,
 * which includes `viewer`; a `screen` reads what walls show and nothing else.
 */
const leastRole = {
  /** The configuration, what is live, and who looks after failing tiles: all that a screen may. */
  watch: 'screen',
  /** Everything that changes nothing: builds, packages, recorded evaluations, waivers, boards. */
  read: 'viewer',
  evaluate: 'releaser',
  publish: 'releaser',
  waive: 'releaser',
  /** To say who looks after what fails on a board, and until when. */
  assign: 'releaser',
  /** To accept the failures of a test until a date. */
  quarantine: 'releaser',
  /** To say that one is on a failing tile of a wall, and to let it sleep. */
  claim: 'releaser',
  decide: 'releaser',
  /** To save queries for everybody, and to change those. */
  'share-queries': 'releaser',
  /** To save walls for everybody, to delete and to restore them. */
  'edit-walls': 'releaser',
  'manage-screens': 'releaser',
  'create-access-tokens': 'admin',
  'read-audit-log': 'admin',
} as const satisfies Record<string, Role>

export type Permission = keyof typeof leastRole

export const rank: Record<Role, number> = { screen: 0, viewer: 1, releaser: 2, admin: 3 }

/** Whether one of somebody's roles allows it. Limits to packages and scans are apart (`isWithin`). */
export function mayDo({ roles }: Pick<SessionUser, 'roles'>, permission: Permission): boolean {
  return roles.some((role) => rank[role] >= rank[leastRole[permission]])
}

/** Which roles allow it, for a sentence: “releaser or admin”. */
export function rolesFor(permission: Permission): string {
  const least = leastRole[permission]
  const names: Role[] = ['viewer', 'releaser', 'admin']
  const enough = names.filter((role) => rank[role] >= rank[least])
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(enough)
}

/** What something is done to, where roles may be limited to some packages and policy scans. */
export interface PermissionSubject {
  /** The package's path without its version: `type/namespace/name`. */
  readonly packageName?: string
  readonly scan?: string
}

/** What limits are about, of a policy scan of the package at a path (package-address.ts). */
export function subjectAt({
  packagePath,
  scan,
}: {
  readonly packagePath: string
  readonly scan: string
}): PermissionSubject {
  const [, , ...name] = packageNameOf(packagePath).split('/').map(decodedSegment)
  return { packageName: name.join('/'), scan }
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

/** Those of several things that somebody may do something to. Where there are none, `subject` is why. */
export function permittedOf<T>(
  user: SessionUser,
  permission: Permission,
  all: readonly T[],
  subjectOf: (one: T) => PermissionSubject,
): { readonly allowed: readonly T[]; readonly subject: PermissionSubject | undefined } {
  const allowed = all.filter((one) => whyNot(user, permission, subjectOf(one)) === undefined)
  const [first] = all
  const isNone = allowed.length === 0 && first !== undefined
  return { allowed, subject: isNone ? subjectOf(first) : undefined }
}

function yours({ roles }: SessionUser): string {
  if (roles.length === 0) return 'You have no role.'
  const names = new Intl.ListFormat('en').format(roles)
  return roles.length === 1 ? `Your role is ${names}.` : `Your roles are ${names}.`
}

/** Whether a package and a policy scan are within limits: patterns with `*`. Without limits everything is. */
export function isWithin(
  { limits }: Pick<SessionUser, 'limits'>,
  { packageName, scan }: PermissionSubject,
): boolean {
  return (
    (packageName === undefined || fitsOne(limits?.packages, packageName)) &&
    (scan === undefined || fitsOne(limits?.scans, scan))
  )
}

function fitsOne(patterns: readonly string[] | undefined, text: string): boolean {
  return patterns?.some((pattern) => fitsPattern(pattern, text)) ?? true
}

/** Whether a text fits a pattern, in which `*` stands for any run of characters. */
export function fitsPattern(pattern: string, text: string): boolean {
  return fits(pattern.split('*'), text)
}

/** Linear: each piece is looked for behind the one before it. */
function fits([first = '', ...rest]: readonly string[], text: string): boolean {
  const last = rest.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
