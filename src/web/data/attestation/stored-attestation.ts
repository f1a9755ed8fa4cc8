import { queryOptions, skipToken } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { type AttestationAddress, attestationPath } from '../../../protocol/package-address.ts'
import type { Request } from '../core/request.ts'

/** A stored attestation's bytes as sent (docs/services.md#fetch-attestation). Without an address nothing is asked. */
export function storedAttestationQuery(request: Request, address: AttestationAddress | undefined) {
  const path = address && `/upstream/governor${attestationPath(address)}`
  return queryOptions({
    queryKey: ['stored-attestation', path],
    queryFn: path === undefined ? skipToken : ({ signal }) => fetchBytes(request, path, signal),
    staleTime: Infinity,
  })
}

/** Fetches it now. Throws a ProblemError with the status that was answered. */
export function fetchStoredAttestation(
  request: Request,
  address: AttestationAddress,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return fetchBytes(request, `/upstream/governor${attestationPath(address)}`, signal)
}

async function fetchBytes(
  request: Request,
  path: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  // JSON that was parsed and written anew would hide a field that stands twice, and change numbers.
  let bytes = new Uint8Array()
  const read = async (response: Response) => {
    bytes = new Uint8Array(await response.arrayBuffer())
  }
  await request(path, z.unknown(), { signal, read })
  return bytes
}
