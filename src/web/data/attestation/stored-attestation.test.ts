import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { readAttestationUri } from '../../../protocol/package-address.ts'
import { fetchStoredAttestation } from './stored-attestation.ts'

test('a stored attestation is what the service sent, byte for byte', async () => {
  const sent = '{"payload": {"a": 9007199254740993, "b": 1e400, "c": 1.0}}\n'
  const address = readAttestationUri(`/packages/oci/a/1/sha256:${'ab'.repeat(32)}/attestations/s/1`)
  if (address === undefined) throw new Error('the address of the test is none')
  const bytes = await fetchStoredAttestation(
    async (_path, schema, { read } = {}) => z.parse(schema, await read?.(new Response(sent))),
    address,
    new AbortController().signal,
  )
  expect(new TextDecoder().decode(bytes)).toBe(sent)
})
