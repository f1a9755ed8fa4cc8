import type {
  KeyIdForm,
  SignatureVerdict,
  Verdict,
} from '../../../attestation/signature-verdict.ts'
import type { KeyOrigin } from '../../../attestation/trusted-key.ts'
import type { LogEntryFit } from '../../../attestation/log-entry-fit.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

interface Words {
  readonly tone: StatusTone
  readonly word: string
}

/**
 * What a verdict means to its reader. Where nothing names the key, nobody knows that something was
 * changed: the key that was tried may simply be another.
 */
export function wordsOf(verdict: SignatureVerdict): Words {
  return isGuess(verdict)
    ? { tone: 'waiting', word: 'not verified' }
    : verdictWords[verdict.verdict]
}

/** Whether a signature may be good and by a key that is not here. */
export function mayBeOfOtherKey(verdict: SignatureVerdict): boolean {
  return verdict.verdict === 'unknown-key' || isGuess(verdict)
}

function isGuess({ hints }: SignatureVerdict): boolean {
  return hints.some(({ code }) => code === 'key-not-named')
}

const verdictWords: Readonly<Record<Verdict, Words>> = {
  verified: { tone: 'good', word: 'valid' },
  mismatch: { tone: 'bad', word: 'mismatch' },
  'unknown-key': { tone: 'waiting', word: 'unknown key' },
  unsupported: { tone: 'waiting', word: 'not judged' },
}

/** Where a key came from, and whether anybody here trusts it. */
export const originWords: Readonly<Record<KeyOrigin, string>> = {
  configuration: 'trusted by the configuration',
  device: 'trusted on this device',
  'certificate in the bundle': 'came along as a certificate; trusted by nobody here',
  'public key in the bundle': 'came along in the bundle; trusted by nobody here',
}

const formWords: Readonly<Record<KeyIdForm, string>> = {
  absent: 'no key id',
  none: 'names no key that is known here',
  name: 'the name of the key',
  identity: 'identity and issuer of the certificate',
  'sha256-pem': 'SHA-256 of the PEM text with its last line end',
  'sha256-pem-trimmed': 'SHA-256 of the PEM text without its last line end',
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

/** How a transparency log entry that came along fits the envelope. */
export const fitWords: Readonly<
  Record<LogEntryFit, { readonly tone: StatusTone; readonly word: string }>
> = {
  fits: { tone: 'info', word: 'is about this envelope (the log itself was not asked)' },
  'payload-only': {
    tone: 'info',
    word: 'is about this payload, and names no signature (the log itself was not asked)',
  },
  'other-payload': { tone: 'bad', word: 'is about another payload' },
  'other-signature': { tone: 'bad', word: 'is about other signatures' },
  unreadable: { tone: 'waiting', word: 'cannot be read' },
}
