import type { Envelope } from './envelope.ts'
import { dssev1Pae } from './legacy-pae.ts'
import { pae } from './pae.ts'

/** Something that a signing program is known to have signed by mistake. */
export interface OtherMessage {
  readonly code: 'raw-payload' | 'payload-type' | 'dssev1-pae'
  /** Made when first asked for, and once: it is as long as the payload. */
  readonly message: () => Uint8Array<ArrayBuffer>
}

/**
 * What may have been signed in place of the envelope's PAE (docs/attestations.md#variants, 34 to
 * 36).
 */
export function otherMessages({ payloadType, payload }: Envelope): readonly OtherMessage[] {
  const raw = { code: 'raw-payload', message: once(() => new Uint8Array(payload)) } as const
  const inToto = { code: 'payload-type', message: once(() => pae(inTotoType, payload)) } as const
  const dssev1 = {
    code: 'dssev1-pae',
    message: once(() => dssev1Pae(payloadType, payload)),
  } as const
  return [
    raw,
    ...(payloadType === inTotoType ? [] : [inToto]),
    // Spelled out byte by byte: not worth the seconds that a large payload would take.
    ...(payload.length > 2_000_000 ? [] : [dssev1]),
  ]
}

const inTotoType = 'application/vnd.in-toto+json'

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
