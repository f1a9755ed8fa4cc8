import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import { knownTypes } from '../../../attestation/known-types.ts'
import { readerOf } from '../../../attestation/predicate-types.ts'
import { visibleText } from '../../../attestation/visible-text.ts'

/** What an attestation is called where there are several: by the kind of claim it makes. */
export function itemName({ statement, content }: DecodedItem): string {
  const type = statement?.predicateType
  if (type !== undefined) {
    const known = readerOf(type) ?? knownTypes.find(({ types }) => types.includes(type))
    return known?.name ?? visibleText(type.slice(0, 120))
  }
  if (statement !== undefined) return 'A statement that does not say what it claims'
  return content.kind === 'empty' ? 'An empty payload' : 'A payload that is no statement'
}
