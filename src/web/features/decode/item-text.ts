import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import { parseJsonTree } from '../../../attestation/parse-json-tree.ts'
import { toBase64 } from '../../../attestation/to-base64.ts'

/**
 * The text of one attestation of an input: the whole where it is the only one, else its own line, or
 * an envelope written anew. Undefined where its part of the text cannot be told from the rest.
 */
export function itemText(
  input: string,
  { at, envelope }: DecodedItem,
  isOnly: boolean,
): string | undefined {
  if (isOnly) return input
  if (at.in === 'input' && at.unit === 'character') {
    const feed = input.indexOf('\n', at.offset)
    const line = input.slice(at.offset, feed === -1 ? undefined : feed).trim()
    if (parseJsonTree(line).ok) return line
  }
  if (envelope?.source !== 'envelope') return undefined
  const { payload, payloadType } = envelope
  const signatures = envelope.signatures.map(({ keyid = '', sigText }) => ({ keyid, sig: sigText }))
  return JSON.stringify({ payload: toBase64(payload), payloadType, signatures })
}
