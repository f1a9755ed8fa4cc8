import { joinBytes } from './bytes.ts'

/**
 * What a DSSE signature is made over: "DSSEv1", the type and the payload, each with its length in
 * bytes as decimals (docs/attestations.md#signed-bytes). The type is opaque.
 */
export function pae(payloadType: string, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const type = encoder.encode(payloadType)
  return joinBytes(
    encoder.encode(`DSSEv1 ${type.length} `),
    type,
    encoder.encode(` ${payload.length} `),
    payload,
  )
}

const encoder = new TextEncoder()
