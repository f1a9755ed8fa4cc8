import { z } from 'zod'
import { packagePath } from '../../protocol/package-address.ts'

/** Which package an operation of the policy service was on, and what followed it in the address. */
export interface OperationAddress {
  /** As protocol/package-address.ts writes it. */
  readonly packagePath: string
  /** The last segment: the name of a policy scan where it was evaluated. */
  readonly last: string
}

/** What the body of an evaluation says of the package; empty where it says nothing readable. */
export interface AskedArtifact {
  /** Lower-case hex, or as it was asked. */
  readonly sha256: string
  readonly repositoryUrl: string
}

/**
 * Reads the decoded segments of `/packages/<type>/[<namespace>/]<name>/<version>` with `following`
 * segments behind it; the allow-list has seen to it that they are.
 */
export function operationAddress(segments: readonly string[], following: number): OperationAddress {
  const [, type = '', ...parts] = segments.slice(0, segments.length - following)
  const [name = '', version = ''] = parts.slice(-2)
  const namespace = parts.length > 2 ? parts[0] : undefined
  return {
    packagePath: packagePath({ type, namespace, name, version }),
    last: segments.at(-1) ?? '',
  }
}

/** Reads a body as JSON, form or multipart, by its media type (docs/services.md#request-bodies). */
export async function readAskedArtifact(
  body: Uint8Array,
  contentType: string | null,
): Promise<AskedArtifact> {
  const read = Body.safeParse(await valueOf(body, contentType ?? ''))
  return read.data ?? { sha256: '', repositoryUrl: '' }
}

/** So that nothing large is recorded of a body that the service let pass. */
const longest = 2000
const text = z
  .string()
  .catch('')
  .transform((value) => value.slice(0, longest))

const Body = z.object({
  sha256: text.transform((value) => (/^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : value)),
  // A password that somebody left in an address is nobody else's to read.
  repositoryUrl: text.transform((value) =>
    value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/]*@/i, '$1'),
  ),
})

async function valueOf(body: Uint8Array, contentType: string): Promise<unknown> {
  try {
    if (/^application\/json\b/i.test(contentType)) return JSON.parse(new TextDecoder().decode(body))
    const response = new Response(new Uint8Array(body), {
      headers: { 'content-type': contentType },
    })
    return Object.fromEntries(await response.formData())
  } catch {
    // The service judges what it is sent; here it is only noted.
    return {}
  }
}
