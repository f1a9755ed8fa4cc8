import { z } from 'zod'
import { dayMs } from '../../../protocol/clock.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { compareVersions } from '../../../protocol/version-order.ts'
import { mostWaiversAtOnce, type NewWaiver, ticketMistake } from '../../../protocol/waiver.ts'
import { badFields, checkedBody, type FieldMistake } from '../read-request.ts'

/** Clocks differ: by so much a waiver may last longer than is allowed, ms. */
const skewMs = 60_000

/** When waivers are asked for (epoch ms), and how long they may last. */
interface WaiverLimits {
  readonly now: number
  readonly longestDays: number
}

/** A ProblemError 400 with a sentence for each mistake. */
export function badWaiver(mistakes: readonly FieldMistake[]): ProblemError {
  return badFields(refusal, mistakes)
}

const refusal = { code: 'bad-waiver', title: 'Bad waiver' }

/**
 * Reads what somebody asks for who waives a policy. Throws a ProblemError 400 whose detail has a
 * sentence for each mistake, and whose `mistakes` name the fields.
 */
export function readNewWaiver(body: Uint8Array, limits: WaiverLimits): NewWaiver {
  return readBody(body, waiverBody(limits))
}

/** Reads several; the fields in the sentences are those of `waivers[0]` and so on. */
export function readNewWaivers(body: Uint8Array, limits: WaiverLimits): readonly NewWaiver[] {
  return readBody(
    body,
    z.object({ waivers: listOf(waiverBody(limits), 'waivers') }, { error: noObject }),
  ).waivers
}

/** Reads the ids of waivers, each once. Throws a ProblemError 400. */
export function readWaiverIds(body: Uint8Array): readonly string[] {
  const id = z.string('must be the id of a waiver.').min(1, 'is empty.').max(100, 'is too long.')
  const { ids } = readBody(body, z.object({ ids: listOf(id, 'ids') }, { error: noObject }))
  return [...new Set(ids)]
}

function listOf<Item extends z.ZodType>(item: Item, what: string) {
  return z
    .array(item, `must be a list of ${what}.`)
    .min(1, `has no ${what}.`)
    .max(mostWaiversAtOnce, `has more than ${mostWaiversAtOnce} ${what}. Send them in parts.`)
}

const noObject = 'The body must be a JSON object.'

function readBody<Body>(body: Uint8Array, schema: z.ZodType<Body>): Body {
  return checkedBody(body, schema, refusal, ({ path, message }) => {
    const field = path.reduce<string>(
      (before, part) =>
        typeof part === 'number'
          ? `${before}[${part}]`
          : [before, String(part)].filter(Boolean).join('.'),
      '',
    )
    return { field: field === '' ? 'body' : field, mistake: `${field} ${message}`.trim() }
  })
}

// Messages follow the name of their field.
function waiverBody({ now, longestDays }: WaiverLimits) {
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
      reason: filled('is empty. Explain why the policy is waived.', 2000),
      person: filled('is empty. Name the person responsible for it.', 200),
      expiresAt: z
        .int({ error: 'must be a time in milliseconds since 1970. Every waiver must end.' })
        .gt(now, "isn't in the future.")
        .lte(latest, `is too far ahead. A waiver can last at most ${longestDays} days.`),
      carriedFrom: z
        .string('must be the id of a waiver, or null.')
        .max(100, 'must be the id of a waiver.')
        .nullish(),
      renews: z
        .string('must be the id of a waiver, or null.')
        .max(100, 'must be the id of a waiver.')
        .nullish(),
      ticket: z
        .string('must be text, or null.')
        .trim()
        .superRefine((ticket, context) => {
          const message = ticket === '' ? undefined : ticketMistake(ticket)
          if (message !== undefined) context.addIssue({ code: 'custom', message })
        })
        .transform((ticket) => (ticket === '' ? null : ticket))
        .nullish(),
      versions: z
        .object({ from: versionText, until: versionText.nullable() }, noVersions)
        .superRefine(({ from, until }, context) => {
          const message = versionMistake(from, until)
          if (message !== undefined) context.addIssue({ code: 'custom', message })
        })
        .nullish(),
    },
    { error: 'The body must be a JSON object with the fields of a waiver.' },
  )
}

const noVersions = 'must be an object with from and until, or null.'
const versionText = z.string('must be text.').trim().min(1, 'is empty.').max(200, 'is too long.')

function versionMistake(from: string, until: string | null): string | undefined {
  if (until === null || until === from) return undefined
  const order = compareVersions(from, until)
  if (order === undefined) {
    return `can't be compared: ${from} and ${until}. Both must begin with a number.`
  }
  return order > 0 ? `match nothing: ${from} comes after ${until}.` : undefined
}

const missing = {
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? 'is missing.' : 'must be text.',
}

const required = z.string(missing).min(1, 'is empty.').max(2000, 'has more than 2000 characters.')

function filled(empty: string, longest: number) {
  return z.string(missing).trim().min(1, empty).max(longest, `has more than ${longest} characters.`)
}
