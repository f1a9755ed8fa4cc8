import { pae } from '../../src/attestation/signatures/pae.ts'
import { toBase64 } from '../../src/attestation/decode/base64.ts'
import { pemOf } from '../../src/attestation/keys/trusted-key.ts'

/** Envelopes that verify with one key. */
export interface Signed {
  readonly texts: readonly string[]
  readonly pem: string
  readonly spki: Uint8Array<ArrayBuffer>
}

const payloadType = 'application/vnd.in-toto+json'

/** Signs `count` different statements of about `payloadBytes` with a new P-256 key. */
export async function createSigned({
  payloadBytes,
  count,
}: {
  readonly payloadBytes: number
  readonly count: number
}): Promise<Signed> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])
  const spki = new Uint8Array(await crypto.subtle.exportKey('spki', publicKey))
  const texts: string[] = []
  for (let number = 0; number < count; number++) {
    const payload = new TextEncoder().encode(statement(payloadBytes, number))
    const message = pae(payloadType, payload)
    const sig = new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, message))
    const signatures = [{ keyid: '', sig: toBase64(sig) }]
    texts.push(JSON.stringify({ payloadType, payload: toBase64(payload), signatures }))
  }
  return { texts, pem: pemOf({ spki }), spki }
}

/** Resolved dependencies, as the longest statements have them: an address and a digest each. */
function statement(bytes: number, number: number): string {
  const dependency = (at: number) => ({
    uri: `pkg:maven/org.example.group${at % 97}/artifact-${at}@${at % 13}.${at % 7}.${number}`,
    digest: { sha256: (at * 2654435761).toString(16).padStart(64, '0') },
  })
  const length = JSON.stringify(dependency(0)).length + 8
  const count = Math.max(1, Math.floor((bytes - 400) / length))
  return JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'app.jar', digest: { sha256: 'a'.repeat(64) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://example.com/build/v1',
        externalParameters: { number },
        resolvedDependencies: Array.from({ length: count }, (_, at) => dependency(at)),
      },
      runDetails: { builder: { id: 'https://example.com/builder' } },
    },
  })
}
