import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import { type CertificateIdentity, identityOf } from '../../../attestation/identity.ts'
import type { SignatureVerdict } from '../../../attestation/signature-verdict.ts'
import { type Threshold, threshold } from '../../../attestation/threshold.ts'
import { isTrusted, type TrustedKey } from '../../../attestation/trusted-key.ts'
import { visibleText } from '../../../attestation/visible-text.ts'
import { countOf } from '../../../protocol/count.ts'
import { mayBeOfOtherKey } from './signature-words.ts'
import { beingChecked, type Checking, type VerdictLine } from './verdict-lines.ts'

/**
 * Whether somebody here trusts whoever signed, and whether as many different trusted keys have signed
 * as are `needed`.
 */
export function signerLine(
  { envelope }: DecodedItem,
  checking: Checking,
  needed: number,
): VerdictLine {
  if (envelope === undefined || envelope.signatures.length === 0) {
    return { tone: 'none', word: 'nobody', sentence: 'nobody signed it.' }
  }
  if (checking.state === 'checking') return beingChecked
  if (checking.state === 'broken') {
    return { tone: 'none', word: 'unknown', sentence: 'no signature was checked.' }
  }
  const { verdicts } = checking
  const counted = threshold(verdicts, needed)
  if (counted.keys.length > 0) return lineOfTrusted(counted, verdicts)
  const line = lineOfUntrusted(verdicts)
  if (needed === 1) return line
  return { ...line, sentence: `${line.sentence} So far 0 of ${needed} trusted keys have signed.` }
}

function lineOfTrusted(
  { keys, required, isMet, repeated }: Threshold,
  verdicts: readonly SignatureVerdict[],
): VerdictLine {
  const all = keys.map((key) => `“${visibleText(key.name)}” (${key.origin})`)
  const more = all.length > 3 ? ` and ${all.length - 3} more` : ''
  const names = `${all.slice(0, 3).join(', ')}${more}`
  if (required === 1) return { tone: 'good', word: 'trusted', sentence: `${names}.` }
  const again =
    repeated.length > 0
      ? ` ${countOf(repeated.length, 'signature')} by the same key ${repeated.length === 1 ? 'counts' : 'count'} for nothing more.`
      : ''
  if (isMet) {
    const sentence = `${keys.length} trusted keys have signed, ${required} are needed: ${names}.${again}`
    return { tone: 'good', word: 'trusted', sentence }
  }
  const unknown = verdicts.filter(mayBeOfOtherKey).length
  const rest =
    unknown > 0
      ? ` ${countOf(unknown, 'signature')} may be by a key that is not known here: add it, if you know whose it is.`
      : ''
  return {
    tone: 'bad',
    word: `${keys.length} of ${required} needed`,
    sentence: `only ${names} ${keys.length === 1 ? 'has' : 'have'} signed.${again}${rest}`,
  }
}

function lineOfUntrusted(verdicts: readonly SignatureVerdict[]): VerdictLine {
  const brought = verdicts.find(({ verdict }) => verdict === 'verified')?.key
  if (brought !== undefined) return lineOfBroughtKey(brought)
  if (verdicts.some(mayBeOfOtherKey)) {
    const sentence = 'no trusted key made it: add the key, if you know whose it is.'
    return { tone: 'waiting', word: 'unknown key', sentence }
  }
  return {
    tone: 'none',
    word: 'nobody',
    sentence: 'no signature holds, so nobody stands behind it.',
  }
}

/** A key that came along proves only that the envelope fits itself. */
function lineOfBroughtKey(key: TrustedKey): VerdictLine {
  const identity = key.certificate === undefined ? undefined : identityOf(key.certificate)
  const name = identity?.names[0]?.value ?? identity?.subject
  const who =
    identity === undefined || name === undefined || name === ''
      ? 'its key came along with the envelope, which anybody can do'
      : `its certificate names ${shown(name)}, ${vouchedFor(identity)}; no authority was asked whether it is genuine`
  const sentence = `${who}. Add the key, if you know whose it is.`
  return { tone: 'waiting', word: isTrusted(key) ? 'trusted' : 'not trusted', sentence }
}

function vouchedFor({ oidcIssuer, issuer }: CertificateIdentity): string {
  return oidcIssuer === undefined
    ? `issued by ${shown(issuer)}`
    : `signed in at ${shown(oidcIssuer)}`
}

function shown(text: string): string {
  return visibleText(text.slice(0, 200))
}
