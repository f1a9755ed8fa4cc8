import { parse } from 'yaml'
import { z } from 'zod'
import { matchRole, type RoleRules, valuesOf } from '../protocol/role-rules.ts'
import { SessionUser } from '../protocol/session.ts'
import type { Host } from './report-file.ts'
import { tokenRoles } from './token-create.ts'

/** Which role somebody with these claims would get: paths of two files. */
export interface RolesCommand {
  readonly claims: string
  readonly config: string
}

/**
 * Shows what each rule of a configuration file makes of the claims in a JSON file, and the role that
 * comes of it, exactly as signing in does (protocol/role-rules.ts). 0 where there is a role, 1 where
 * signing in would be refused, 2 where a file cannot be read.
 */
export function explainRoles(
  command: RolesCommand,
  { print, log, readFile }: Pick<Host, 'print' | 'log' | 'readFile'>,
): 0 | 1 | 2 {
  const config = decoded(command.config, readFile, 'YAML', ConfigFile)
  const claims = decoded(command.claims, readFile, 'JSON', Claims)
  for (const { mistake } of [config, claims]) if (mistake !== undefined) log(mistake)
  if (config.value === undefined || claims.value === undefined) return 2
  const { roles, everyoneElse } = config.value.signIn
  const rules: RoleRules = { rules: roles, otherwise: everyoneElse }
  for (const { claim, value, role } of roles) {
    const received = valuesOf(claims.value, claim)
    const found = received.length === 0 ? 'not received' : `received ${received.join(', ')}`
    const fits = received.includes(value) ? 'matches' : `doesn't match (${found})`
    print(`${claim} contains “${value}”: ${role} – ${fits}\n`)
  }
  const matched = matchRole(claims.value, rules)
  if (matched === undefined) {
    const none = roles.length === 0 ? `${command.config} has no signIn.roles` : 'No rule matches'
    print(`${none}, and signIn.everyoneElse is not set: sign-in is refused.\n`)
    return 1
  }
  print(`Role: ${matched.roles.join(', ')} (${matched.rule})\n`)
  for (const [what, patterns] of Object.entries(matched.limits ?? {})) {
    print(`Limited to ${what}: ${[patterns].flat().join(', ')}\n`)
  }
  return 0
}

const Limits = SessionUser.shape.limits
/** Screens get theirs with a code, and in no other way. */
const Role = z.enum(tokenRoles, {
  error: ({ input }) =>
    `must say viewer, releaser or admin${typeof input === 'string' ? `, not “${input}”,` : ''}`,
})
const Rule = z.object({
  claim: z.string(),
  value: z.string(),
  role: Role,
  limits: Limits,
})

/** As much of the file as this is about; the start of the server checks all of it. */
const ConfigFile = z.object({
  signIn: z
    .object({ roles: z.array(Rule).default([]), everyoneElse: z.optional(Role) })
    .prefault({}),
})

const Claims = z.record(z.string(), z.unknown())

function decoded<S extends z.ZodType>(
  path: string,
  readFile: Host['readFile'],
  format: 'YAML' | 'JSON',
  schema: S,
): { readonly value?: z.output<S>; readonly mistake?: string } {
  let text: string
  try {
    text = readFile(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    return { mistake: `Can't read ${path}${code}.` }
  }
  let content: unknown
  try {
    content =
      format === 'YAML'
        ? parse(text, { logLevel: 'error' })
        : JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return { mistake: `${path} isn't valid ${format}.` }
  }
  const read = z.safeParse(schema, content, { error: () => "isn't what is expected" })
  if (read.success) return { value: read.data }
  const [issue] = read.error.issues
  const place = issue?.path.join('.') ?? ''
  const wrong =
    place === '' ? `must be ${format} with names and values` : `${issue?.message} at ${place}`
  return { mistake: `${path} ${wrong}.` }
}
