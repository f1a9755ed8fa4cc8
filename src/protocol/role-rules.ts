import { rank } from './permission.ts'
import type { Role, SessionUser } from './session.ts'

/** A rule that gives a role to whoever has a claim with a value. */
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
 * the first without limits, else the first.
 */
export function matchRole(
  claims: Readonly<Record<string, unknown>>,
  { rules, otherwise }: RoleRules,
): MatchedRole | undefined {
  const fitting = rules.filter(({ claim, value }) => valuesOf(claims, claim).includes(value))
  const [best] = fitting.toSorted(
    (a, b) =>
      rank[b.role] - rank[a.role] ||
      Number(a.limits !== undefined) - Number(b.limits !== undefined),
  )
  if (best !== undefined) {
    const { claim, value, role, limits } = best
    return {
      roles: [role],
      ...(limits === undefined ? {} : { limits }),
      rule: `${claim} contains “${value}”: ${role}`,
    }
  }
  return otherwise === undefined
    ? undefined
    : { roles: [otherwise], rule: `no rule matches: ${otherwise}` }
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
