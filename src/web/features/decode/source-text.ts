import { decodeBase64, toBase64, toBase64Url } from '../../../attestation/decode/base64.ts'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import { parseJsonTree } from '../../../attestation/decode/parse-json-tree.ts'

/**
 * The text of one attestation of an input: the whole where it is the only one, else its own line, or
 * an envelope written anew. Undefined where its part of the text cannot be separated from the rest.
 */
export function itemText(
  input: string,
  { at, envelope, findings }: DecodedItem,
  isOnly: boolean,
): string | undefined {
  // What was unpacked first doesn't stand in the input.
  const isUnpacked = findings.some(({ code }) => code === 'unpacked')
  if (isOnly && !isUnpacked) return input
  if (!isUnpacked && at.in === 'input' && at.unit === 'character') {
    const feed = input.indexOf('\n', at.offset)
    const line = input.slice(at.offset, feed === -1 ? undefined : feed).trim()
    if (parseJsonTree(line).ok) return line
  }
  if (envelope?.source !== 'envelope') return undefined
  const { payload, payloadType } = envelope
  const signatures = envelope.signatures.map(({ keyid = '', sigText }) => ({ keyid, sig: sigText }))
  return JSON.stringify({ payload: toBase64(payload), payloadType, signatures })
}

/** A longer link is cut by chats and mail programs; it is not offered. */
const longest = 32_000

/** The fragment that carries a text, which browsers never send; undefined where it is too large. */
export function envelopeFragment(text: string): string | undefined {
  if (text.length > longest) return undefined
  const fragment = `#envelope=${toBase64Url(new TextEncoder().encode(text))}`
  return fragment.length > longest ? undefined : fragment
}

/** What a fragment carries. */
export type FragmentContent =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'broken'; readonly message: string }

/** Reads the fragment of an address. A broken one is said so: links are cut on their way. */
export function readEnvelopeFragment(hash: string): FragmentContent {
  const value = /^#envelope=(.*)$/s.exec(hash)?.[1]
  if (value === undefined || value === '') return { kind: 'none' }
  const decoded = decodeBase64(value)
  if (!decoded.ok || decoded.bytes.length === 0) {
    const message =
      "The link doesn't contain a base64 envelope. It may be incomplete. Copy it again, or paste the envelope itself."
    return { kind: 'broken', message }
  }
  return { kind: 'bytes', bytes: decoded.bytes }
}
