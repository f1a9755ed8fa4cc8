import { z } from 'zod'
import { readBody } from '../request-body.ts'
import { badRequest } from './governor-problem.ts'

/** What the body of an evaluation, or of a publish, says of the package. */
export interface PackageRequest {
  /** Lower-case hex. */
  readonly sha256: string
  readonly repositoryUrl: string
  /** Which builds to publish of. */
  readonly buildScan: { readonly ids: readonly string[]; readonly queries: readonly string[] }
  /** Whether it was JSON with both lists, if only empty, as the vendor's Publish Action sends it. */
  readonly hasBothLists: boolean
}

/** One text, or several; none where it is left out or null. An empty query would select everything. */
const list = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : (value ?? [])),
  z.array(z.string().refine((text) => text.trim() !== '', 'must not be empty')),
)

const Body = z.object({
  sha256: z
    .string({ error: 'sha256 is missing' })
    .regex(/^[0-9a-f]{64}$/i, 'sha256 must be 64 hexadecimal digits')
    .transform((text) => text.toLowerCase()),
  repositoryUrl: z
    .string({ error: 'repositoryUrl is missing' })
    .refine(isRepository, 'repositoryUrl must be a host and path, with or without a scheme'),
  buildScan: z.preprocess((value) => value ?? {}, z.object({ ids: list, queries: list })),
})

const BothLists = z.object({
  buildScan: z.object({ ids: z.array(z.unknown()), queries: z.array(z.unknown()) }),
})

/**
 * Reads a body as JSON, form or multipart, by its media type (docs/services.md#request-bodies); in
 * the latter two the nested fields have dotted names, and one left empty counts for nothing. Throws
 * a ProblemError (400) that names the field.
 */
export async function readPackageRequest(request: Request): Promise<PackageRequest> {
  const type = request.headers.get('Content-Type')?.split(';', 1)[0]?.trim().toLowerCase()
  const body = await bodyOf(request, type)
  const read = Body.safeParse(body)
  if (read.success) {
    return {
      ...read.data,
      hasBothLists: type === 'application/json' && BothLists.safeParse(body).success,
    }
  }
  const what = read.error.issues.map(({ path, message }) =>
    path.length > 0 && !message.startsWith(String(path[0]))
      ? `${path.join('.')}: ${message}`
      : message,
  )
  throw badRequest(`Bad criteria (${what.join('; ')}).`)
}

const largestBody = 1024 * 1024

async function bodyOf(request: Request, type: string | undefined): Promise<unknown> {
  const bytes = await readBody(request, largestBody, () =>
    badRequest('The body is larger than 1 MiB.'),
  )
  // Where nothing says what it is, a look at it does (RFC 9110, 8.3).
  const isJson = type === undefined && /^\s*\{/.test(new TextDecoder().decode(bytes))
  switch (isJson ? 'application/json' : type) {
    case 'application/json':
      return parsed(new TextDecoder().decode(bytes))
    case 'application/x-www-form-urlencoded':
    case 'multipart/form-data': {
      const copy = new Request(request.url, {
        method: 'POST',
        headers: request.headers,
        body: bytes,
      })
      const form = await copy.formData().catch(() => {
        throw badRequest("The body doesn't match its content type.")
      })
      return nested(form)
    }
    case undefined:
    default:
      throw badRequest(
        'Send application/json, application/x-www-form-urlencoded or multipart/form-data.',
      )
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest("The body isn't valid JSON.")
  }
}

function nested(form: FormData): unknown {
  const text = (name: string): string | undefined => texts(form, name)[0]
  return {
    sha256: text('sha256'),
    repositoryUrl: text('repositoryUrl'),
    buildScan: {
      ids: texts(form, 'buildScan.ids')
        .flatMap((ids) => ids.split(','))
        .map((id) => id.trim())
        .filter((id) => id !== ''),
      queries: texts(form, 'buildScan.queries').filter((query) => query.trim() !== ''),
    },
  }
}

function texts(form: FormData, name: string): string[] {
  return form.getAll(name).filter((value) => typeof value === 'string')
}

/** `registry.example.com/shop`, or the same behind `https://`. */
function isRepository(text: string): boolean {
  try {
    const url = new URL(text.includes('://') ? text : `https://${text}`)
    const isSecret = url.username + url.password !== ''
    return /^https?:$/.test(url.protocol) && !isSecret && !/[\s"<>\\^`{|}]/.test(text)
  } catch {
    return false
  }
}

/** How many hexadecimal digits a digest has, by its algorithm. */
const lengths: ReadonlyMap<string, number> = new Map([
  ['sha1', 40],
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
])

/**
 * Whether a text has the form `{digestType}:{digest}` (docs/services.md#package-address), in any
 * case.
 */
export function isDigest(text: string): boolean {
  const [, type = '', hex = ''] = /^([a-z0-9]+):([0-9a-f]+)$/i.exec(text) ?? []
  return hex !== '' && lengths.get(type.toLowerCase()) === hex.length
}
