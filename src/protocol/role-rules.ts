import { rank } from './permission.ts'
import type { Role, SessionUser } from './session.ts'

export interface RoleRule {
  /** The name of the claim, such as `groups`, or its path with dots, such as `realm_access.roles`. */
  readonly claim: string
  /** What the claim is or, where it is a list, has in it. */
  readonly value: string
  readonly role: Role
  readonly limits?: SessionUser['limits']
}

/** How claims become a role. */
export interface RoleRules {
  readonly rules: readonly RoleRule[]
  /** What somebody gets whom no rule fits; undefined: they are refused. */
  readonly otherwise: Role | undefined
}

/** A role and what gave it, in words; undefined where nothing did. */
export interface MatchedRole extends Pick<SessionUser, 'roles' | 'limits'> {
  readonly rule: string
}

/**
 * The role that claims give: of all rules that fit, the one with the highest role; among equal ones
 * the first without limits, else the first. Limits are about releasing only, so those of all fitting
 * rules that allow it are put together: none where one has none. Where two differ in packages and in
 * scans, no limits say what both allow: the higher or first one counts.
 */
export function matchRole(
  claims: Readonly<Record<string, unknown>>,
  { rules, otherwise }: RoleRules,
): MatchedRole | undefined {
  const [best, ...others] = rules
    .filter(({ claim, value }) => valuesOf(claims, claim).includes(value))
    .toSorted(
      (a, b) =>
        rank[b.role] - rank[a.role] ||
        Number(a.limits !== undefined) - Number(b.limits !== undefined),
    )
  if (best !== undefined) {
    const counting = [best]
    let { packages, scans } = best.limits ?? {}
    for (const other of others) {
      if (rank[other.role] < Math.min(rank[best.role], rank.releaser)) break
      const more = other.limits ?? {}
      const has = [covers(packages, more.packages), covers(scans, more.scans)] as const
      const isIn = [covers(more.packages, packages), covers(more.scans, scans)] as const
      // What both allow is a product again where they agree in one part, or one is within the other.
      if (has.every(Boolean) || !((has[0] || isIn[1]) && (has[1] || isIn[0]))) continue
      packages = together(packages, more.packages)
      scans = together(scans, more.scans)
      counting.push(other)
    }
    const limits = { ...(packages && { packages }), ...(scans && { scans }) }
    return {
      roles: [best.role],
      ...(packages === undefined && scans === undefined ? {} : { limits }),
      rule: counting.map(inWords).join('; '),
    }
  }
  return otherwise === undefined
    ? undefined
    : { roles: [otherwise], rule: `no rule matches: ${otherwise}` }
}

/** Patterns; undefined: everything. */
type Patterns = string[] | undefined

function covers(all: Patterns, some: Patterns): boolean {
  return all === undefined || some?.every((one) => all.includes(one)) === true
}

function together(some: Patterns, others: Patterns): Patterns {
  return some && others && [...new Set([...some, ...others])]
}

function inWords({ claim, value, role }: RoleRule): string {
  return `${claim} contains “${value}”: ${role}`
}

/** The texts of a claim, by its name or its path; none where there is no such claim. */
export function valuesOf(claims: Readonly<Record<string, unknown>>, claim: string): string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : at(claims, claim.split('.'))
  return (Array.isArray(value) ? value : [value]).flatMap((one: unknown) =>
    typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean'
      ? [String(one)]
      : [],
  )
}

function at(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return value
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
  return at(Object.entries(value).find(([key]) => key === step)?.[1], rest)
}
