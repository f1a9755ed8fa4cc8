import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import type { SignatureVerdict } from '../../../attestation/signature-verdict.ts'
import type { TrustedKey } from '../../../attestation/trusted-key.ts'
import { visibleText } from '../../../attestation/visible-text.ts'
import { countOf } from '../../../protocol/count.ts'
import { shortenMiddle } from '../../ui/shorten-middle.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'
import { mayBeOfOtherKey, wordsOf } from './signature-words.ts'

/** One of the three things to know before believing anything: told in a word and a sentence. */
export interface VerdictLine {
  readonly tone: StatusTone
  readonly word: string
  readonly sentence: string
}

/** How far the checking of an envelope is. */
export type Checking =
  | { readonly state: 'checking' }
  | { readonly state: 'broken'; readonly reason: string }
  | { readonly state: 'checked'; readonly verdicts: readonly SignatureVerdict[] }

/** Whether the signatures hold, whoever made them. */
export function signatureLine({ envelope }: DecodedItem, checking: Checking): VerdictLine {
  if (envelope === undefined) {
    const sentence = 'this is no envelope, so there is no signature and nothing vouches for it.'
    return { tone: 'bad', word: 'none', sentence }
  }
  if (envelope.signatures.length === 0) {
    const sentence = 'the envelope has no signatures: anybody may have written it.'
    return { tone: 'bad', word: 'unsigned', sentence }
  }
  if (checking.state === 'checking') return beingChecked
  if (checking.state === 'broken') {
    return { tone: 'waiting', word: 'not checked', sentence: checking.reason }
  }
  return lineOfVerdicts(checking.verdicts)
}

/** What is said until everything is checked. */
export const beingChecked: VerdictLine = {
  tone: 'waiting',
  word: 'checking',
  sentence: 'being checked…',
}

function lineOfVerdicts(verdicts: readonly SignatureVerdict[]): VerdictLine {
  const count = (wanted: SignatureVerdict['verdict']): number =>
    verdicts.filter(({ verdict }) => verdict === wanted).length
  const all = verdicts.length
  const [first] = verdicts
  const verified = count('verified')
  const mismatch = verdicts.filter((one) => wordsOf(one).tone === 'bad').length
  if (all === 1 && first !== undefined) return lineOfOne(first)
  if (mismatch > 0) {
    const rest =
      verified > 0 ? `; ${countOf(verified, 'other')} ${verified === 1 ? 'is' : 'are'} valid` : ''
    const sentence = `${mismatch} of ${countOf(all, 'signature')} ${mismatch === 1 ? 'does' : 'do'} not match what is here${rest}. Something was changed after signing, or another key made ${mismatch === 1 ? 'it' : 'them'}.`
    return { tone: 'bad', word: 'mismatch', sentence }
  }
  if (verified === all) {
    return {
      tone: 'good',
      word: 'valid',
      sentence: `all ${countOf(all, 'signature')} over the exact payload.`,
    }
  }
  if (verified > 0) {
    const others = all - verified === 1 ? 'the other' : 'the others'
    const rest = verdicts.some(mayBeOfOtherKey)
      ? `no key that is known here verifies ${others}`
      : `${others} could not be judged`
    const sentence = `${verified} of ${countOf(all, 'signature')} over the exact payload; ${rest}.`
    return { tone: 'good', word: `${verified} of ${all} valid`, sentence }
  }
  const sentence = verdicts.some(mayBeOfOtherKey)
    ? `none of ${countOf(all, 'signature')} is by a key that is known here.`
    : `none of ${countOf(all, 'signature')} could be judged.`
  return { tone: 'waiting', word: 'not checked', sentence }
}

function lineOfOne(one: SignatureVerdict): VerdictLine {
  const { verdict, proof, key, keyid, reason } = one
  switch (verdict) {
    case 'verified': {
      const by = key === undefined ? 'a key' : signedBy(key, keyid)
      const sentence = `${proof?.algorithm ?? ''} over the exact payload, by ${by}.`
      return { tone: 'good', word: 'valid', sentence }
    }
    case 'mismatch':
      return { ...wordsOf(one), sentence: goingOn(reason) }
    case 'unknown-key':
    case 'unsupported':
      return { tone: 'waiting', word: 'not checked', sentence: goingOn(reason) }
  }
}

/** A trusted key by what names it; another by what brought it along, as anybody can name a key. */
function signedBy(key: TrustedKey, keyid: string | undefined): string {
  if (key.origin === 'certificate in the bundle')
    return 'the key of the certificate that came along'
  if (key.origin === 'public key in the bundle') return 'the public key that came along'
  return keyid === undefined
    ? `key “${visibleText(key.name)}”`
    : `key ${shortenMiddle(visibleText(keyid.slice(0, 200)))}`
}

/** A reason behind a word and a colon. */
function goingOn(reason: string): string {
  return /^(?:The|It|Its|There|A|An) /.test(reason)
    ? `${reason.charAt(0).toLowerCase()}${reason.slice(1)}`
    : reason
}
