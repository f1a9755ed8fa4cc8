import { z } from 'zod'
import type { FromBase64 } from '../../src/attestation/decode/base64.ts'
import type { Signed } from './signed-envelopes.ts'

/** Which of the platform's ways to read base64: Node's own, that of new browsers, or that of all. */
export type Base64 = 'Buffer' | 'fromBase64' | 'atob'

const BareEnvelope = z.object({
  payload: z.string(),
  payloadType: z.string(),
  signatures: z.tuple([z.object({ sig: z.string() })]),
})

/**
 * The least that reading envelopes can be: nothing is checked but the signature (r||s, P-256), no
 * place is known, no number keeps its digits. Throws where a signature does not verify.
 */
export async function readBare({ texts, spki }: Signed, base64: Base64): Promise<void> {
  for (const text of texts) await readOne(text, spki, base64)
}

async function readOne(text: string, spki: Uint8Array<ArrayBuffer>, base64: Base64): Promise<void> {
  const { payload, payloadType, signatures } = BareEnvelope.parse(JSON.parse(text))
  const bytes = bytesOf(payload, base64)
  const statement: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${bytes.length} `
  const message = new Uint8Array(head.length + bytes.length)
  message.set(new TextEncoder().encode(head))
  message.set(bytes, head.length)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify'])
  const sig = bytesOf(signatures[0].sig, base64)
  const isValid = await crypto.subtle.verify(algorithm, key, sig, message)
  if (!isValid || typeof statement !== 'object') throw new Error('not verified')
}

function bytesOf(text: string, base64: Base64): Uint8Array<ArrayBuffer> {
  if (base64 === 'Buffer') return Buffer.from(text, 'base64')
  if (base64 === 'atob') return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  const { fromBase64 } = Uint8Array as { readonly fromBase64?: FromBase64 }
  if (fromBase64 === undefined) throw new Error('this browser has no Uint8Array.fromBase64')
  return fromBase64(text, { lastChunkHandling: 'strict' })
}
