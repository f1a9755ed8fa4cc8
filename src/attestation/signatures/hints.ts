import { attempt } from './attempt.ts'
import { decodeBase64 } from '../decode/base64.ts'
import { derSequence } from '../decode/der.ts'
import type { EnvelopeSignature } from '../decode/envelope.ts'
import { bytesOfHex } from '../decode/bytes.ts'
import type { KeyTrials } from './key-trials.ts'
import type { OtherMessage } from './pae.ts'
import type { Hint } from './signature-verdict.ts'
import { describeKey, sentenceOf, type TrustedKey } from '../keys/trusted-key.ts'

interface HintTools {
  readonly keys: readonly TrustedKey[]
  /** The PAE of the envelope. */
  readonly message: Uint8Array<ArrayBuffer>
  /** What might have been signed in its place. */
  readonly otherMessages: readonly OtherMessage[]
  readonly trials: KeyTrials
}

type Mistake = OtherMessage['code'] | 'doubled-base64' | 'hex-signature'

/**
 * Why a signature that no key verifies may have been meant well: the first of the known mistakes of
 * signing programs with which it would verify (docs/attestations.md#signature-hints). A hint never
 * makes it verified: what it would prove is not what the envelope says.
 */
export async function hintsFor(
  { sig, sigText }: EnvelopeSignature,
  tools: HintTools,
): Promise<readonly Hint[]> {
  if (sig === undefined || sig.length === 0) return []
  const written = otherSpellings(sig, sigText)
  for (const { code, bytes } of written) {
    const hint = await hintIf(code, tools.message, bytes, tools)
    if (hint) return [hint]
  }
  // Without a key there is nothing to make them for, and they are as long as the payload.
  for (const { code, message } of tools.keys.length === 0 ? [] : tools.otherMessages) {
    const hint = await hintIf(code, message(), sig, tools)
    if (hint) return [hint]
  }
  // With no key that fits it is still worth saying that the bytes are not what they look like.
  return written
    .filter(({ code, bytes }) => isTelling(code, bytes))
    .map(({ code }) => ({ code, message: `${sentences[code]}.`, key: undefined }))
}

const sentences: Readonly<Record<Mistake, string>> = {
  'doubled-base64': 'The signature is base64-encoded twice',
  'hex-signature': 'The signature is hexadecimal instead of base64',
  'raw-payload':
    'The signature covers the payload only, without its type (a format older than DSSE)',
  'doubled-payload': 'The payload is base64-encoded twice, and the signature covers it decoded',
  'payload-type':
    'The signature covers the type application/vnd.in-toto+json, not the one in the envelope',
  'dssev1-pae':
    'The signature covers "DSSEV1" and the payload as printed by Python (model_signing 0.2.0)',
}

/** What a key did that would verify the signature in another form; completes "… made it ". */
const madeAs: Readonly<Record<Mistake, string>> = {
  'doubled-base64': "and its signature is base64-encoded twice, which DSSE doesn't allow",
  'hex-signature': 'and its signature is hexadecimal, where DSSE has base64',
  'raw-payload': "in a form older than DSSE, which doesn't cover the payload type",
  'doubled-payload': 'before the payload was base64-encoded a second time',
  'payload-type':
    'for the payload type application/vnd.in-toto+json, not for the one in the envelope',
  'dssev1-pae': "in the form of model_signing 0.2.0, which isn't DSSE",
}

/** Two numbers in DER are no accident, and neither is base64 of nothing but hex digits. */
function isTelling(code: Mistake, bytes: Uint8Array): boolean {
  return code === 'hex-signature' ? bytes.length >= 32 : derSequence(bytes)?.length === 2
}

async function hintIf(
  code: Mistake,
  message: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array,
  { keys, trials }: HintTools,
): Promise<Hint | undefined> {
  const outcome = await attempt(keys, message, bytes, trials)
  if (outcome.result !== 'verified') return undefined
  const { key } = outcome
  return {
    code,
    message: `${sentenceOf(describeKey(key))} made it ${madeAs[code]}.`,
    key,
  }
}

function otherSpellings(
  sig: Uint8Array,
  sigText: string,
): { readonly code: Mistake; readonly bytes: Uint8Array }[] {
  const spellings: { code: Mistake; bytes: Uint8Array }[] = []
  // No signature of any kind is longer than this in either spelling.
  if (sig.length > 20_000) return spellings
  const again = decodeBase64(new TextDecoder().decode(sig))
  if (again.ok && again.bytes.length > 0) {
    spellings.push({ code: 'doubled-base64', bytes: again.bytes })
  }
  const hex = bytesOfHex(sigText.trim())
  if (hex && hex.length > 0) spellings.push({ code: 'hex-signature', bytes: hex })
  return spellings
}
