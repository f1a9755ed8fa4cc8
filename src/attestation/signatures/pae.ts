import { decodeBase64 } from '../decode/base64.ts'
import { joinBytes } from '../decode/bytes.ts'
import type { Envelope } from '../decode/envelope.ts'

/** What a DSSE signature is over: "DSSEv1", type and payload with their lengths (docs/attestations.md#signed-bytes). */
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

/**
 * What model_signing 0.2.0 signed by mistake: "DSSEV1", the type and the payload as Python prints
 * bytes (docs/attestations.md#signature-hints). For a hint only: nothing is verified by it.
 */
export function dssev1Pae(payloadType: string, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  // Python counts the characters of the type, not its bytes.
  const head = `DSSEV1 ${Array.from(payloadType).length} ${payloadType} ${payload.length} `
  return new TextEncoder().encode(head + pythonBytes(payload))
}

function pythonBytes(bytes: Uint8Array): string {
  const quote = bytes.includes(singleQuote) && !bytes.includes(doubleQuote) ? '"' : "'"
  const pieces: string[] = []
  for (const byte of bytes) pieces.push(pythonByte(byte, quote))
  return `b${quote}${pieces.join('')}${quote}`
}

function pythonByte(byte: number, quote: string): string {
  const character = String.fromCharCode(byte)
  const escaped = escapes.get(character)
  if (escaped !== undefined) return escaped
  if (character === quote) return `\\${quote}`
  return byte < 0x20 || byte >= 0x7f ? `\\x${byte.toString(16).padStart(2, '0')}` : character
}

const singleQuote = 0x27
const doubleQuote = 0x22
const escapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
])

/** Something that a signing program is known to have signed by mistake. */
export interface OtherMessage {
  readonly code: 'raw-payload' | 'doubled-payload' | 'payload-type' | 'dssev1-pae'
  /** Made on first use, and once: it is as long as the payload. */
  readonly message: () => Uint8Array<ArrayBuffer>
}

/** What may have been signed in place of the envelope's PAE (docs/attestations.md#variants, 34 to 36). */
export function otherMessages({ payloadType, payload }: Envelope): readonly OtherMessage[] {
  const raw = { code: 'raw-payload', message: once(() => new Uint8Array(payload)) } as const
  const inner = isBase64Text(payload) ? decodeBase64(new TextDecoder().decode(payload)) : undefined
  const doubled = inner?.ok
    ? ({ code: 'doubled-payload', message: once(() => pae(payloadType, inner.bytes)) } as const)
    : undefined
  const inToto = { code: 'payload-type', message: once(() => pae(inTotoType, payload)) } as const
  const dssev1 = {
    code: 'dssev1-pae',
    message: once(() => dssev1Pae(payloadType, payload)),
  } as const
  return [
    raw,
    ...(doubled === undefined ? [] : [doubled]),
    ...(payloadType === inTotoType ? [] : [inToto]),
    // Spelled out byte by byte: not worth the seconds that a large payload would take.
    ...(payload.length > 2_000_000 ? [] : [dssev1]),
  ]
}

/** Whether the bytes may be base64 of an object: JSON itself begins with no letter. */
function isBase64Text(payload: Uint8Array): boolean {
  // "ey" is the base64 of `{"`, "ew" of `{` and a blank.
  return payload[0] === 0x65 && (payload[1] === 0x79 || payload[1] === 0x77)
}

const inTotoType = 'application/vnd.in-toto+json'

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
