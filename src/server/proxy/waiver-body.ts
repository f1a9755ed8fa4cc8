import { z } from 'zod'
import { packagePath } from '../../protocol/package-address.ts'
import { readPackageReference } from '../../protocol/package-reference.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'
import type { NewWaiver } from '../../protocol/waiver.ts'
import { dayMs } from './history-settings.ts'

/** Clocks differ: by so much a waiver may last longer than is allowed, ms. */
const skewMs = 60_000

/**
 * Reads what somebody asks for who waives a policy. Throws a ProblemError 400 whose detail has a
 * sentence for each mistake, and whose `mistakes` name the fields.
 */
export function readNewWaiver(
  body: Uint8Array,
  { now, longestDays }: { readonly now: number; readonly longestDays: number },
): NewWaiver {
  const read = waiverBody(now, longestDays).safeParse(parsed(body))
  if (read.success) return read.data
  const mistakes = read.error.issues.map(({ path, message }) => ({
    field: String(path[0] ?? 'body'),
    mistake: path.length === 0 ? message : `${String(path[0])} ${message}`,
  }))
  const detail = mistakes.map(({ mistake }) => mistake).join(' ')
  throw new ProblemError(problem(400, 'bad-waiver', 'Bad waiver', detail, { mistakes }))
}

// Messages follow the name of their field.
function waiverBody(now: number, longestDays: number) {
  const latest = now + longestDays * dayMs + skewMs
  return z.object(
    {
      packagePath: required.transform((path, context) => {
        const read = readPackageReference(path)
        if (read.ok && path.startsWith('/packages/') && read.reference.scan === undefined) {
          return packagePath(read.reference.address)
        }
        context.addIssue({
          code: 'custom',
          message: 'must be the path of a package: /packages/type/namespace/name/version.',
        })
        return z.NEVER
      }),
      sha256: z
        .string(missing)
        .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits.')
        .transform((text) => text.toLowerCase()),
      scan: required.max(256, 'has more than 256 characters.'),
      policyUri: required,
      reason: filled('says nothing: write why the policy may be waived.', 2000),
      person: filled('names nobody: write who answers for it.', 200),
      expiresAt: z
        .int({ error: 'must be a time in milliseconds since 1970: a waiver has to end.' })
        .gt(now, 'is not in the future.')
        .lte(latest, `is too far ahead: a waiver may last ${longestDays} days at most.`),
      carriedFrom: z
        .string('must be the id of a waiver, or null.')
        .max(100, 'must be the id of a waiver.')
        .nullish(),
    },
    { error: 'The body must be a JSON object with the fields of a waiver.' },
  )
}

const missing = {
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? 'is missing.' : 'must be a text.',
}

const required = z.string(missing).min(1, 'is empty.').max(2000, 'has more than 2000 characters.')

function filled(empty: string, longest: number) {
  return z.string(missing).trim().min(1, empty).max(longest, `has more than ${longest} characters.`)
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
