import { queryOptions, skipToken } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { type AttestationAddress, attestationPath } from '../../../protocol/package-address.ts'
import type { Request } from '../core/request.ts'

const AnyJson = z.union([z.looseObject({}), z.array(z.unknown()), z.string()])

/**
 * The text of a stored attestation (docs/services.md#fetch-attestation); what it holds is for
 * `decode` to say. The JSON is written anew: an envelope keeps its statement within a string,
 * untouched. Without an address nothing is asked.
 */
export function storedAttestationQuery(request: Request, address: AttestationAddress | undefined) {
  const path = address && `/upstream/governor${attestationPath(address)}`
  return queryOptions({
    queryKey: ['stored-attestation', path],
    queryFn: path === undefined ? skipToken : ({ signal }) => fetchText(request, path, signal),
    staleTime: Infinity,
  })
}

/** Fetches it now. Throws a ProblemError with the status that was answered. */
export function fetchStoredAttestation(
  request: Request,
  address: AttestationAddress,
  signal: AbortSignal,
): Promise<string> {
  return fetchText(request, `/upstream/governor${attestationPath(address)}`, signal)
}

async function fetchText(request: Request, path: string, signal: AbortSignal): Promise<string> {
  return JSON.stringify(await request(path, AnyJson, { signal }), null, 2)
}
