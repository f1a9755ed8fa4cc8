import { parse } from 'yaml'
import { z } from 'zod'
import { problemError } from '../../protocol/problem.ts'
import { mistakes } from './build-intake.ts'
import { allPermissions, type EmbeddedCredential, isPermission } from './credentials.ts'

/** Who may use the embedded services, as a file says it. */
export interface Accounts {
  readonly credentials: readonly EmbeddedCredential[]
  /** Whether tokens are bound to projects (docs/services.md#access-tokens). */
  readonly projectAccessControl: boolean
}

const text = z.string().min(1)
const permission = z.string().refine(isPermission, {
  error: `not a permission; known: all, ${allPermissions.join(', ')}`,
})
const patterns = z.array(text).optional()

const Account = z
  .strictObject({
    user: text.regex(/^[^:]+$/, 'must not contain a colon'),
    password: text.optional(),
    accessKey: text.optional(),
    accessKeyExpiresAt: z
      .string()
      .refine((at) => Number.isFinite(Date.parse(at)), 'not a date, such as 2027-01-31T10:00:00Z')
      .transform((at) => Date.parse(at))
      .optional(),
    permissions: z.union([z.literal('all').transform(() => allPermissions), z.array(permission)]),
    projects: patterns,
    packages: patterns,
    repositories: patterns,
  })
  .refine(({ password, accessKey }) => password !== undefined || accessKey !== undefined, {
    error: 'has neither a password nor an access key',
  })

const File = z
  .strictObject({
    projectAccessControl: z.boolean().default(false),
    accounts: z.array(Account),
  })
  .refine(({ accounts }) => new Set(accounts.map(({ user }) => user)).size === accounts.length, {
    error: 'two accounts have the same user',
  })

/**
 * Reads the accounts of the embedded services from YAML or JSON (docs/services.md#accounts-of-the-embedded-services).
 * Throws a ProblemError (400) that says what is wrong where; `name` is what the text is called in it.
 */
export function readAccounts(source: string, name: string): Accounts {
  try {
    const { accounts, projectAccessControl } = File.parse(parse(source))
    return { credentials: accounts, projectAccessControl }
  } catch (error) {
    // The other lines of what is wrong with YAML show the text, with its passwords.
    const [first = ''] = String(error).split('\n')
    const what = error instanceof z.core.$ZodError ? mistakes(error) : first.replace(/:$/, '')
    throw problemError(400, 'accounts', "Can't read the accounts", `${name}: ${what}.`)
  }
}
