import { visibleText } from '../../../attestation/visible-text.ts'
import type { EvidenceSignature } from '../../data/scans/evidence-signature.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

/** What a signature comes to in a few words, and what that means; `more` is a sentence or empty. */
export interface SignatureWords {
  readonly tone: StatusTone
  readonly word: string
  readonly more: string
}

/** The words for a signature that was judged. */
export function signatureWords(signature: EvidenceSignature): SignatureWords {
  switch (signature.is) {
    case 'valid': {
      const [first = '', ...others] = signature.by.map(visibleText)
      const and = others.length === 0 ? '' : ` and ${others.length} more`
      return { tone: 'good', word: `signature valid, ${first}${and}`, more: '' }
    }
    case 'unknown-key':
      return {
        tone: 'waiting',
        word: 'signed by an unknown key',
        more: 'No trusted key made it. Open the attestation to add the key, if you know whose it is.',
      }
    case 'not-valid':
      return {
        tone: 'bad',
        word: 'signature not valid',
        more: 'The key that is said to have signed this attestation does not verify it.',
      }
    case 'unsigned':
      return { tone: 'bad', word: 'not signed', more: 'Anybody may have written it.' }
    case 'not-checked':
      return { tone: 'waiting', word: 'signature not checked', more: signature.reason }
  }
}

/** The words for an attestation that could not be looked at. */
export function failedWords(error: Error): SignatureWords {
  return { tone: 'waiting', word: 'signature not checked', more: failedReason(error) }
}

function failedReason({ message }: Error): string {
  return `The attestation could not be fetched: ${message}`
}
