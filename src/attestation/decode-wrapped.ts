import { decodeBase64 } from './base64.ts'
import { mistake, type Finding } from './finding.ts'
import { decodeUtf8 } from './utf8.ts'
import { describeBytes, describeText } from './wrong-paste.ts'

/** What a text that is base64, with or without quotes around it, decodes to. */
export type Unwrapped =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'nothing'; readonly mistake: Finding }

/**
 * Decodes a text that is base64 of JSON (a payload copied on its own, an envelope from a header or a
 * secret). Base64 of something else is said to be that; undefined where it is no base64 at all.
 */
export function unwrap(text: string): Unwrapped | undefined {
  const bare = text.trim().replace(/^"([^"]*)"$/, '$1')
  const decoded = bare.length >= shortest ? decodeBase64(bare) : undefined
  if (decoded?.ok !== true) return undefined
  const inner = decodeUtf8(decoded.bytes)
  if (inner.ok && /^\s*[{[]/.test(inner.text)) return { kind: 'text', text: inner.text }
  const known = inner.ok ? describeText(inner.text) : describeBytes(decoded.bytes)
  if (known?.code === 'private-key') return { kind: 'nothing', mistake: known }
  // Words of prose are base64 too, by their letters: say so only where that is likely.
  if (known === undefined && (/\s/.test(bare) || !inner.ok)) return undefined
  const says = known?.message ?? 'It is base64 of other text.'
  const message = `This is base64, but of no attestation. ${says}`
  return { kind: 'nothing', mistake: mistake('wrong-paste', message) }
}

const shortest = 12
