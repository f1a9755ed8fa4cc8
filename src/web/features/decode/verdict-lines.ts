import type { Envelope } from '../../../attestation/decode/envelope.ts'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import {
  type CertificateIdentity,
  identityOf,
  validityText,
} from '../../../attestation/keys/identity.ts'
import type { KeylessResult } from '../../data/attestation/keyless.ts'
import type { LogEntryFit } from '../../../attestation/signatures/log-entry-fit.ts'
import {
  isGuess,
  isOtherForm,
  type KeyIdForm,
  type SignatureVerdict,
  type Threshold,
  threshold,
  type Verdict,
} from '../../../attestation/signatures/signature-verdict.ts'
import { keyOfCertificate } from '../../../attestation/keys/candidates.ts'
import { keyIdentity } from '../../../attestation/keys/public-key.ts'
import {
  isTrusted,
  type KeyOrigin,
  type TrustedKey,
} from '../../../attestation/keys/trusted-key.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { countOf } from '../../../protocol/count.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

/** One of the three things to know before believing anything, in a word and a sentence. */
export interface VerdictLine {
  readonly tone: StatusTone
  readonly word: string
  readonly sentence: string
}

/** How far the checking of an envelope is. */
export type Checking =
  | { readonly state: 'checking' }
  | { readonly state: 'broken'; readonly reason: string }
  | {
      readonly state: 'checked'
      readonly verdicts: readonly SignatureVerdict[]
      readonly keyless?: KeylessResult | undefined
      /** The keys of the configuration couldn't be loaded: one of them may be the signer's. */
      readonly areKeysMissing?: boolean
    }

/** Whether the signatures hold, anyone who made them. */
export function signatureLine({ envelope }: DecodedItem, checking: Checking): VerdictLine {
  if (envelope === undefined) {
    const sentence = "this isn't an envelope, so it isn't signed."
    return { tone: 'bad', word: 'none', sentence }
  }
  if (isUnsigned(envelope)) {
    const what = envelope.signatures.length === 0 ? 'no signatures' : 'no signature value'
    const sentence = `the envelope has ${what}, so anyone may have written it.`
    return { tone: 'bad', word: 'unsigned', sentence }
  }
  if (checking.state === 'checking') return beingChecked
  if (checking.state === 'broken') {
    return { tone: 'waiting', word: 'not checked', sentence: checking.reason }
  }
  return lineOfVerdicts(checking.verdicts)
}

/** Whether nothing is signed: no signatures, or only ones without a value and a key id. */
function isUnsigned({ signatures }: Envelope): boolean {
  return signatures.every(({ sigText, keyid }) => sigText === '' && keyid === undefined)
}

/** What is said until everything is checked. */
const beingChecked: VerdictLine = {
  tone: 'waiting',
  word: 'checking',
  sentence: 'checking…',
}

function lineOfVerdicts(verdicts: readonly SignatureVerdict[]): VerdictLine {
  const count = (wanted: SignatureVerdict['verdict']): number =>
    verdicts.filter(({ verdict }) => verdict === wanted).length
  const all = verdicts.length
  const [first] = verdicts
  const verified = count('verified')
  const unsigned = count('unsigned')
  const unjudged = count('unsupported')
  const mismatch = verdicts.filter((one) => wordsOf(one).tone === 'bad').length - unsigned
  if (all === 1 && first !== undefined) return lineOfOne(first)
  if (mismatch > 0) {
    const isOne = mismatch === 1
    const rest =
      verified > 0 ? `; ${countOf(verified, 'other')} ${verified === 1 ? 'is' : 'are'} valid` : ''
    // Anyone who changes a payload can sign it anew: only a trusted key shows that nothing was changed.
    const why =
      threshold(verdicts).keys.length > 0
        ? `The content is unchanged, as a trusted key has signed it: ${isOne ? 'that signature is' : 'those signatures are'} damaged, or another key made ${isOne ? 'it' : 'them'}.`
        : `The content was changed after signing, or another key made ${isOne ? 'it' : 'them'}.`
    const sentence = `${mismatch} of ${countOf(all, 'signature')} ${isOne ? "doesn't" : "don't"} match${rest}. ${why}`
    return { tone: 'bad', word: 'mismatch', sentence }
  }
  if (unsigned === all) {
    const sentence = `none of ${countOf(all, 'signature')} has a value, so anyone may have written it.`
    return { tone: 'bad', word: 'unsigned', sentence }
  }
  if (verified === all) {
    return {
      tone: 'good',
      word: 'valid',
      sentence: `all ${countOf(all, 'signature')} match the exact payload.`,
    }
  }
  if (verified > 0) {
    const others = all - verified === 1 ? 'the other' : 'the others'
    const isMixed = unjudged > 0 && unjudged + verified < all
    const rest = isMixed
      ? `${unjudged} of the others couldn't be checked`
      : verdicts.some(mayBeOfOtherKey)
        ? `no known key verifies ${others}`
        : verified + unsigned === all
          ? `${others} ${unsigned === 1 ? 'has' : 'have'} no value`
          : `${others} couldn't be checked`
    const match = verified === 1 ? 'matches' : 'match'
    const sentence = `${verified} of ${countOf(all, 'signature')} ${match} the exact payload; ${rest}.`
    return { tone: 'good', word: `${verified} of ${all} valid`, sentence }
  }
  const odd = verdicts.filter(isOtherForm)
  if (odd.length > 0) return { ...words.otherForm, sentence: goingOn(odd[0]?.reason ?? '') }
  if (verdicts.some((one) => one.verdict !== 'unsupported' && wasTried(one))) {
    if (unjudged > 0) {
      const sentence = `no trusted key verifies ${all - unjudged} of ${countOf(all, 'signature')}; ${unjudged === 1 ? 'the other' : 'the others'} couldn't be checked.`
      return { tone: 'waiting', word: 'not verified', sentence }
    }
    const sentence = `no trusted key verifies any of ${countOf(all, 'signature')}: the content was changed after signing, or other keys made them.`
    return { tone: 'waiting', word: 'not verified', sentence }
  }
  const sentence = verdicts.some(mayBeOfOtherKey)
    ? `there are no trusted keys to check ${countOf(all, 'signature')} with.`
    : `none of ${countOf(all, 'signature')} could be checked.`
  return { tone: 'waiting', word: 'not checked', sentence }
}

function lineOfOne(one: SignatureVerdict): VerdictLine {
  const { verdict, proof, key, reason } = one
  switch (verdict) {
    case 'verified': {
      const by = key === undefined ? 'a key' : signedBy(key)
      const sentence = `${proof?.algorithm ?? ''} over the exact payload, by ${by}.`
      return { tone: 'good', word: 'valid', sentence }
    }
    case 'mismatch':
      return { ...wordsOf(one), sentence: goingOn(reason) }
    case 'unknown-key':
      return {
        tone: 'waiting',
        word: wasTried(one) ? 'not verified' : 'not checked',
        sentence: goingOn(reason),
      }
    case 'unsupported':
      return { tone: 'waiting', word: 'not checked', sentence: goingOn(reason) }
    case 'unsigned':
      return { ...wordsOf(one), sentence: goingOn(reason) }
  }
}

/** A trusted key by its name; any other by where it came from, because anyone can name a key. */
function signedBy(key: TrustedKey): string {
  if (key.origin === 'certificate in the bundle' || key.origin === 'identity') {
    return 'the key of the included certificate'
  }
  if (key.origin === 'public key in the bundle') return 'the included public key'
  return `key “${visibleText(key.name)}”`
}

/** A sentence behind a word and a colon; one that begins with a name keeps its capital. */
export function goingOn(reason: string): string {
  return /^(?:The|This|These|It|Its|There|A|An|No) /.test(reason)
    ? `${reason.charAt(0).toLowerCase()}${reason.slice(1)}`
    : reason
}

/**
 * Whether anyone who signed is trusted here, and whether as many different trusted keys have signed
 * as are `needed`.
 */
export function signerLine(
  { envelope }: DecodedItem,
  checking: Checking,
  needed: number,
): VerdictLine {
  if (envelope === undefined || isUnsigned(envelope)) {
    return { tone: 'none', word: 'nobody', sentence: "it isn't signed." }
  }
  if (checking.state === 'checking') return beingChecked
  if (checking.state === 'broken') {
    return { tone: 'none', word: 'unknown', sentence: 'no signature was checked.' }
  }
  const { verdicts } = checking
  const counted = threshold(verdicts, needed)
  if (checking.areKeysMissing === true && !counted.isMet) {
    return { tone: 'waiting', word: 'unknown', sentence: goingOn(keysMissing) }
  }
  if (counted.keys.length > 0) return lineOfTrusted(counted, verdicts)
  const line = lineOfUntrusted(verdicts, checking.keyless)
  if (needed === 1) return line
  return { ...line, sentence: `${line.sentence} So far 0 of ${needed} trusted keys have signed.` }
}

function lineOfTrusted(
  { keys, required, isMet, repeated }: Threshold,
  verdicts: readonly SignatureVerdict[],
): VerdictLine {
  const all = keys.map(trustedName)
  const more = all.length > 3 ? ` and ${all.length - 3} more` : ''
  const names = `${all.slice(0, 3).join(', ')}${more}`
  if (required === 1) return { tone: 'good', word: 'trusted', sentence: `${names}.` }
  const again =
    repeated.length > 0
      ? ` ${countOf(repeated.length, 'more signature')} by the same key ${repeated.length === 1 ? "doesn't" : "don't"} count.`
      : ''
  if (isMet) {
    const sentence = `${keys.length} trusted keys have signed, ${required} are needed: ${names}.${again}`
    return { tone: 'good', word: 'trusted', sentence }
  }
  const unknown = verdicts.filter(mayBeOfOtherKey).length
  const rest =
    unknown > 0
      ? ` ${countOf(unknown, 'signature')} may be by an unknown key. Add the key if you know whose it is.`
      : ''
  return {
    tone: 'bad',
    word: `${keys.length} of ${required} needed`,
    sentence: `only ${names} ${keys.length === 1 ? 'has' : 'have'} signed.${again}${rest}`,
  }
}

/** What a trusted key is called, and by what it is trusted. */
function trustedName({ name, origin, certificate }: TrustedKey): string {
  const identity = certificate === undefined ? undefined : identityOf(certificate)
  if (identity === undefined) return `“${visibleText(name)}” (${origin})`
  if (origin !== 'identity') {
    return `“${visibleText(name)}” (${origin}, by a certificate ${validityText(identity)})`
  }
  return `“${visibleText(name)}”: ${shown(identity.names[0]?.value ?? '')}, ${vouchedFor(identity)}`
}

function lineOfUntrusted(
  verdicts: readonly SignatureVerdict[],
  keyless: KeylessResult | undefined,
): VerdictLine {
  const brought = verdicts.find(({ verdict }) => verdict === 'verified')?.key
  if (brought !== undefined) return lineOfBroughtKey(brought, keyless)
  const odd = verdicts.find(isOtherForm)?.key
  if (odd !== undefined && isTrusted(odd)) {
    const sentence = `“${visibleText(odd.name)}” (${odd.origin}) made it in another form, which doesn't count.`
    return { tone: 'waiting', word: 'not counted', sentence }
  }
  const unjudged = verdicts.filter(({ verdict }) => verdict === 'unsupported').length
  if (unjudged > 0) {
    const sentence =
      unjudged === verdicts.length
        ? 'no signature could be checked.'
        : `${unjudged} of ${countOf(verdicts.length, 'signature')} couldn't be checked, and no trusted key verifies the rest.`
    return { tone: 'waiting', word: 'unknown', sentence }
  }
  if (verdicts.some(mayBeOfOtherKey)) {
    const sentence = 'no trusted key verifies it. Add the key if you know whose it is.'
    return { tone: 'waiting', word: 'unknown key', sentence }
  }
  return {
    tone: 'none',
    word: 'nobody',
    sentence: 'no signature is valid.',
  }
}

/** A key that came along proves only that the envelope fits itself. */
function lineOfBroughtKey(key: TrustedKey, keyless: KeylessResult | undefined): VerdictLine {
  const identity = key.certificate === undefined ? undefined : identityOf(key.certificate)
  const name = identity?.names[0]?.value ?? identity?.subject
  const line = { tone: 'waiting', word: 'not trusted' } as const
  if (identity === undefined || name === undefined || name === '') {
    const came = 'its key came with the envelope, so anyone could have added it.'
    return { ...line, sentence: `${came} Add the key if you know whose it is.` }
  }
  const who = `its certificate names ${shown(name)}, ${vouchedFor(identity)}`
  const checks = keyless?.checks ?? []
  const failed = checks.filter(({ state }) => state === 'failed')
  // Without one that failed, nobody is trusted because nothing was checked.
  const [first, ...more] = failed.length > 0 ? failed : checks
  if (first !== undefined) {
    const rest = more.length === 0 ? '' : ` ${countOf(more.length, 'more check')} failed.`
    const why = `${first.name}: ${goingOn(first.detail)}`
    return { ...line, sentence: `${who}. ${why}${rest} See “Certificate”.` }
  }
  const next =
    identity.oidcIssuer === undefined
      ? 'Add the key if you know whose it is.'
      : 'Check it by hand with cosign, or let your administrator trust this identity.'
  return {
    ...line,
    sentence: `${who}; no trusted root is configured to check the certificate against. ${next}`,
  }
}

function vouchedFor({ oidcIssuer, issuer }: CertificateIdentity): string {
  return oidcIssuer === undefined
    ? `issued by ${shown(issuer)}`
    : `signed in at ${shown(oidcIssuer)}`
}

function shown(text: string): string {
  return visibleText(text, 200)
}

/** Whether it is known that the key of a certificate verifies none of the signatures. */
export function verifiesNothing(
  certificate: string,
  verdicts: readonly SignatureVerdict[],
): boolean {
  const own = keyOfCertificate(certificate)
  if (own === undefined || verdicts.length === 0) return false
  const isOwn = ({ key }: SignatureVerdict): boolean =>
    key !== undefined && keyIdentity(key) === keyIdentity(own)
  return !verdicts.some(
    (one) =>
      one.verdict === 'unsupported' ||
      (isOwn(one) && (one.verdict === 'verified' || isOtherForm(one))),
  )
}

interface Words {
  readonly tone: StatusTone
  readonly word: string
}

/**
 * What a verdict means to its reader. Where nothing names the key, nobody knows that something was
 * changed: the key that was tried may simply be another.
 */
export function wordsOf(verdict: SignatureVerdict): Words {
  if (isOtherForm(verdict)) return words.otherForm
  return isGuess(verdict) || (verdict.verdict === 'unknown-key' && wasTried(verdict))
    ? words.notVerified
    : verdictWords[verdict.verdict]
}

const words = {
  otherForm: { tone: 'waiting', word: 'other form' },
  notVerified: { tone: 'waiting', word: 'not verified' },
} as const

function wasTried({ triedKeys }: SignatureVerdict): boolean {
  return triedKeys > 0
}

/** Whether a signature may be good and by a key that is not here. */
function mayBeOfOtherKey(verdict: SignatureVerdict): boolean {
  return verdict.verdict === 'unknown-key' || isGuess(verdict)
}

const keysMissing = "The trusted keys couldn't be loaded."

/**
 * The verdicts where the keys of the configuration couldn't be loaded: what none of the others verifies
 * one of those may verify.
 */
export function verdictsWithoutKeys(
  verdicts: readonly SignatureVerdict[],
): readonly SignatureVerdict[] {
  return verdicts.map((one) =>
    mayBeOfOtherKey(one)
      ? {
          ...one,
          verdict: 'unsupported',
          reason: keysMissing,
          key: undefined,
          triedKeys: 0,
          hints: [],
        }
      : one,
  )
}

const verdictWords: Readonly<Record<Verdict, Words>> = {
  verified: { tone: 'good', word: 'valid' },
  mismatch: { tone: 'bad', word: 'mismatch' },
  'unknown-key': { tone: 'waiting', word: 'unknown key' },
  unsupported: { tone: 'waiting', word: 'not judged' },
  unsigned: { tone: 'bad', word: 'unsigned' },
}

/** Where a key came from, and whether it is trusted here. */
export const originWords: Readonly<Record<KeyOrigin, string>> = {
  configuration: 'trusted by the configuration',
  device: 'trusted in this browser',
  identity: 'trusted by its identity and issuer',
  'certificate in the bundle': 'included as a certificate; not trusted',
  'public key in the bundle': 'included in the bundle; not trusted',
}

const formWords: Readonly<Record<KeyIdForm, string>> = {
  absent: 'no key id',
  none: 'matches no known key',
  name: 'key name',
  listed: 'listed with the key',
  identity: 'identity and issuer of the certificate',
  'sha256-pem': 'SHA-256 of the PEM text with the final line break',
  'sha256-pem-trimmed': 'SHA-256 of the PEM text without the final line break',
  'sha256-spki': 'SHA-256 of the public key (DER), hex',
  'sha256-spki-base64': 'SHA-256 of the public key (DER), base64',
  ssh: 'SSH fingerprint',
  securesystemslib: 'SHA-256 of the canonical JSON of the key (in-toto)',
  'jwk-thumbprint': 'JWK thumbprint',
  'sha1-key': 'SHA-1 of the key bits',
  'sha256-certificate': 'SHA-256 of the certificate',
}

/** How the key id of a signature names a key. */
export function keyIdWords({ keyIdForm }: SignatureVerdict): string {
  return formWords[keyIdForm]
}

/** What to know before the verdicts: that a log entry is of something else. Undefined where none is. */
export function logWarning(fits: readonly LogEntryFit[]): string | undefined {
  const foreign = fits.find((fit) => fit === 'other-payload' || fit === 'other-signature')
  return (
    foreign &&
    `Its transparency log entry ${fitWords[foreign].word}, so the log says nothing about this attestation.`
  )
}

/** How a transparency log entry that came along fits the envelope. */
export const fitWords: Readonly<
  Record<LogEntryFit, { readonly tone: StatusTone; readonly word: string }>
> = {
  fits: { tone: 'info', word: "is about this envelope (the log itself wasn't checked)" },
  'payload-only': {
    tone: 'info',
    word: "is about this payload, without a signature (the log itself wasn't checked)",
  },
  'other-payload': { tone: 'bad', word: 'is about another payload' },
  'other-signature': { tone: 'bad', word: 'is about other signatures' },
  unreadable: { tone: 'waiting', word: 'is unreadable' },
}
