import { certificatePem } from '../../../attestation/foreign-keys.test-support.ts'
import { describe, expect, test } from 'vitest'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import { certificateOf } from '../../../attestation/certificate.test-support.ts'
import {
  createSigner,
  decodedItem,
  decodedStatement,
  inTotoType,
  paeOf,
  type Signer,
  type SignerKind,
} from '../../../attestation/signing.test-support.ts'
import type { TrustedKey } from '../../../attestation/keys/trusted-key.ts'
import { verify } from '../../../attestation/verify.ts'
import { compareSubjects, subjectLine } from './compared-digest.ts'
import {
  type Checking,
  goingOn,
  verifiesNothing,
  logWarning,
  signatureLine,
  signerLine,
  verdictsWithoutKeys,
} from './verdict-lines.ts'

const digest = 'a'.repeat(64)
const text = JSON.stringify({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'x', digest: { sha256: digest } }],
  predicateType: 'https://gradle.com/attestation/build-tool/v1',
  predicate: {},
})

async function item(signers: readonly Signer[], keyid = true, signed = text): Promise<DecodedItem> {
  const signatures = await Promise.all(
    signers.map(async ({ sign, key }) => ({
      ...(keyid ? { keyid: key.name } : {}),
      sig: Buffer.from(await sign(paeOf(signed))).toString('base64'),
    })),
  )
  const payload = Buffer.from(text).toString('base64')
  return decodedItem({ payloadType: inTotoType, payload, signatures })
}

const signerOf = (name: string, kind: SignerKind = 'P-256') => createSigner(kind, name)

/** Both lines, each as "tone word: sentence". */
const linesFor = (one: DecodedItem, checking: Checking, needed = 1): string[] =>
  [signatureLine(one, checking), signerLine(one, checking, needed)].map(
    ({ tone, word, sentence }) => `${tone} ${word}: ${sentence}`,
  )

async function linesOf(
  one: DecodedItem,
  keys: readonly TrustedKey[],
  needed = 1,
): Promise<string[]> {
  const verdicts = one.envelope ? await verify(one.envelope, keys) : []
  return linesFor(one, { state: 'checked', verdicts }, needed)
}

test('one valid signature by a trusted key is shown with its algorithm and its name', async () => {
  const release = await signerOf('acme-release')
  expect(await linesOf(await item([release]), [release.key])).toEqual([
    'good valid: ECDSA P-256 with SHA-256 over the exact payload, by key “acme-release”.',
    'good trusted: “acme-release” (configuration).',
  ])
})

test('an unknown key is neither valid nor a mismatch, and the next step is named', async () => {
  const [known, stranger] = await Promise.all([signerOf('known'), signerOf('other')])
  const [signature, signer] = await linesOf(await item([stranger]), [known.key])
  expect(signature).toBe(
    'waiting not verified: no trusted key verifies it: it was changed after signing, or another key made it.',
  )
  expect(signer).toBe(
    'waiting unknown key: no trusted key verifies it. Add the key if you know whose it is.',
  )
})

test('where no signature could be judged nothing is said of who signed, and nothing is refuted', async () => {
  const [release, stranger] = await Promise.all([signerOf('release'), signerOf('stranger')])
  const lines = async (limit: number, ...signers: readonly Signer[]) => {
    const one = await item(signers, false)
    const keys = [release.key, (await signerOf('more')).key]
    const verdicts = one.envelope ? await verify(one.envelope, keys, { limit }) : []
    return linesFor(one, { state: 'checked', verdicts }).map((line) => line.replace(/^\w+ /, ''))
  }
  expect(await lines(0, release, release)).toEqual([
    'not checked: none of 2 signatures could be checked.',
    'unknown: no signature could be checked.',
  ])
  // Two keys with three hashes each are all that there is effort for.
  expect(await lines(6, stranger, release)).toEqual([
    "not verified: no trusted key verifies 1 of 2 signatures; the other couldn't be checked.",
    "unknown: 1 of 2 signatures couldn't be checked, and no trusted key verifies the rest.",
  ])
  expect((await lines(8, release, stranger, release))[0]).toMatch(
    /^2 of 3 valid: .*; no known key verifies the other\.$/,
  )
  expect((await lines(8, release, stranger, stranger))[0]).toBe(
    "1 of 3 valid: 1 of 3 signatures matches the exact payload; 1 of the others couldn't be checked.",
  )
})

describe('while the keys of the configuration are not loaded', () => {
  async function linesWithoutKeys(
    one: DecodedItem,
    keys: readonly TrustedKey[],
    needed = 1,
  ): Promise<string[]> {
    const verdicts = verdictsWithoutKeys(one.envelope ? await verify(one.envelope, keys) : [])
    return linesFor(one, { state: 'checked', verdicts, areKeysMissing: true }, needed)
  }
  const notLoaded = [
    "waiting not checked: the trusted keys couldn't be loaded.",
    "waiting unknown: the trusted keys couldn't be loaded.",
  ]

  test('nothing is said of a signature that no other key verifies', async () => {
    const [release, other] = await Promise.all([signerOf('release'), signerOf('other')])
    expect(await linesWithoutKeys(await item([release]), [])).toEqual(notLoaded)
    expect(await linesWithoutKeys(await item([release], false), [])).toEqual(notLoaded)
    expect(await linesWithoutKeys(await item([release]), [other.key])).toEqual(notLoaded)
    expect(await linesWithoutKeys(await item([release], false), [other.key])).toEqual(notLoaded)
  })

  test('a key of this browser counts, unless more are needed', async () => {
    const { key, ...signer } = await signerOf('release')
    const one = await item([{ key, ...signer }])
    const ofDevice = { ...key, origin: 'device' } as const
    expect((await linesWithoutKeys(one, [ofDevice]))[1]).toBe('good trusted: “release” (device).')
    expect((await linesWithoutKeys(one, [ofDevice], 2))[1]).toBe(notLoaded[1])
  })

  test('a change that the named key shows is still one', async () => {
    const signer = await signerOf('release')
    const changed = await item([signer], true, text.replace('x', 'y'))
    const [signature] = await linesWithoutKeys(changed, [{ ...signer.key, keyIds: ['release'] }])
    expect(signature).toMatch(/^bad mismatch: /)
  })
})

test('a sentence behind a colon begins small, unless it begins with a name', () => {
  expect(goingOn('These tests were run.')).toBe('these tests were run.')
  expect(goingOn("Sightline doesn't know it.")).toBe("Sightline doesn't know it.")
})

test('a signature that names no key is not called changed because the only key is another', async () => {
  const [known, stranger] = await Promise.all([signerOf('known'), signerOf('other')])
  const [signature, signer] = await linesOf(await item([stranger], false), [known.key])
  expect(signature).toMatch(
    /^waiting not verified: it names no key. .*or another key made it\. Another hash .*\.$/,
  )
  expect(signer).toMatch(/^waiting unknown key: no trusted key verifies it/)
  const unlike = await signerOf('unlike', 'P-384')
  const [other] = await linesOf(await item([stranger], false), [unlike.key])
  expect(other).toMatch(/^waiting not verified: .*another key made it\.$/)
})

describe('an envelope that was changed, whose key id only its signer understands', () => {
  const kms = 'gcpkms://projects/acme/locations/eu/keyRings/release/cryptoKeys/1'
  async function changed(keyIds?: readonly string[]): Promise<string[]> {
    const signer = await signerOf(kms)
    const one = await item([signer], true, text.replace('x', 'y'))
    const { key } = signer
    return linesOf(one, [{ ...key, name: 'release', ...(keyIds && { keyIds }) }])
  }

  test('is said to be changed or made by another key, and never to be unchecked', async () => {
    const [signature, signer] = await changed()
    expect(signature).toBe(
      'waiting not verified: no trusted key verifies it: it was changed after signing, or another key made it.',
    )
    expect(signer).not.toContain('made it')
  })

  test('is a mismatch where the trusted key lists that key id', async () => {
    const [signature, signer] = await changed([kms])
    expect(signature).toMatch(/^bad mismatch: "release" .* doesn't verify it: the payload/)
    expect(signer).toBe('none nobody: no signature is valid.')
  })
})

const base64 = (data: string | Uint8Array): string => Buffer.from(data).toString('base64')
const raw = new TextEncoder().encode(text)

test.each([
  ['the payload without its type', raw, base64(text), base64, 'older than DSSE'],
  ['its own base64', paeOf(text), base64(text), (sig: Uint8Array) => base64(base64(sig)), 'twice'],
  ['a payload that is base64 twice', paeOf(text), base64(base64(text)), base64, 'second time'],
])("a signature over %s is its key's, in another form", async (_, signed, payload, write, says) => {
  const signer = await signerOf('release')
  const sig = write(await signer.sign(signed))
  const decoded = decodedItem({ payloadType: inTotoType, payload, signatures: [{ sig }] })
  const [signature, by] = await linesOf(decoded, [signer.key])
  expect(signature).toMatch(/^waiting other form: "release" .* made it /)
  expect(signature).toContain(says)
  expect(by).toBe(
    "waiting not counted: “release” (configuration) made it in another form, which doesn't count.",
  )
})

test.each([
  ['no signatures field', undefined],
  ['an empty list', []],
  ['a signature without fields', [{}]],
  ['an empty signature', [{ keyid: '', sig: '' }]],
])('%s is unsigned, and anyone may have written it', async (_, signatures) => {
  const payload = Buffer.from(text).toString('base64')
  const decoded = decodedItem({ payloadType: inTotoType, payload, signatures })
  const { key } = await signerOf('release')
  const [signature, signer] = await linesOf(decoded, [key])
  expect(signature).toMatch(
    /^bad unsigned: the envelope has no .* so anyone may have written it\.$/,
  )
  expect(signer).toBe("none nobody: it isn't signed.")
})

test('one mismatch among valid signatures is shown before them', async () => {
  const [first, second] = await Promise.all([signerOf('first'), signerOf('second', 'Ed25519')])
  const good = await item([first, second])
  const bad = await item([second], true, text.replace('x', 'y'))
  const signatures = [
    ...(good.envelope?.signatures ?? []).slice(0, 1),
    ...(bad.envelope?.signatures ?? []).map((signature) => ({ ...signature, index: 1 })),
  ]
  const mixed = { ...good, envelope: good.envelope && { ...good.envelope, signatures } }
  const [signature, signer] = await linesOf(mixed, [first.key, second.key])
  expect(signature).toBe(
    "bad mismatch: 1 of 2 signatures doesn't match; 1 other is valid. The content is unchanged, as a trusted key has signed it: that signature is damaged, or another key made it.",
  )
  expect(signer).toBe('good trusted: “first” (configuration).')
})

test('a signature without a value beside a valid one has no value, and nothing was changed', async () => {
  const signer = await signerOf('first')
  const good = await item([signer])
  const signatures = (good.envelope?.signatures ?? []).flatMap((signature) => [
    signature,
    { ...signature, index: 1, sigText: '', keyid: undefined, sig: undefined },
  ])
  const mixed = { ...good, envelope: good.envelope && { ...good.envelope, signatures } }
  const [signature] = await linesOf(mixed, [signer.key])
  expect(signature).toBe(
    'good 1 of 2 valid: 1 of 2 signatures matches the exact payload; the other has no value.',
  )
})

test('one valid signature beside one of an unknown key is shown as one of two', async () => {
  const [first, second] = await Promise.all([signerOf('first'), signerOf('second', 'Ed25519')])
  const [signature] = await linesOf(await item([first, second]), [first.key])
  expect(signature).toBe(
    'good 1 of 2 valid: 1 of 2 signatures matches the exact payload; no known key verifies the other.',
  )
})

test('a key that came along is shown as that, whatever name the envelope gives it', async () => {
  const stranger = await signerOf('acme-release')
  const one = await item([stranger])
  const signatures = (one.envelope?.signatures ?? []).map((signature) => ({
    ...signature,
    certificate: certificateOf(stranger.key),
  }))
  const own = { ...one, envelope: one.envelope && { ...one.envelope, signatures } }
  expect(await linesOf(own, [])).toEqual([
    'good valid: ECDSA P-256 with SHA-256 over the exact payload, by the key of the included certificate.',
    'waiting not trusted: its key came with the envelope, so anyone could have added it. Add the key if you know whose it is.',
  ])
})

test('as many different trusted keys as are needed must have signed, the same one counting once', async () => {
  const [first, second] = await Promise.all([signerOf('first'), signerOf('second', 'Ed25519')])
  const [both, keys] = [await item([first, second]), [first.key, second.key]]
  expect((await linesOf(both, keys, 2))[1]).toBe(
    'good trusted: 2 trusted keys have signed, 2 are needed: “first” (configuration), “second” (configuration).',
  )
  expect((await linesOf(both, [first.key], 2))[1]).toBe(
    'bad 1 of 2 needed: only “first” (configuration) has signed. 1 signature may be by an unknown key. Add the key if you know whose it is.',
  )
  expect((await linesOf(await item([first, first]), keys, 2))[1]).toBe(
    "bad 1 of 2 needed: only “first” (configuration) has signed. 1 more signature by the same key doesn't count.",
  )
  expect((await linesOf(both, keys, 3))[1]).toMatch(/^bad 2 of 3 needed: .* have signed\.$/)
  expect((await linesOf(both, [], 2))[1]).toMatch(
    /^waiting unknown key: .* 0 of 2 trusted keys have/,
  )
})

test('what nobody signed is shown as that, and is never good', async () => {
  expect(await linesOf(await item([]), [])).toEqual([
    'bad unsigned: the envelope has no signatures, so anyone may have written it.',
    "none nobody: it isn't signed.",
  ])
  expect((await linesOf(decodedItem(text), []))[0]).toMatch(/^bad none: /)
})

test('until it is checked, and where checking broke, nothing is called valid', async () => {
  const one = await item([await createSigner('P-256')])
  expect(signatureLine(one, { state: 'checking' }).tone).toBe('waiting')
  expect(signerLine(one, { state: 'checking' }, 1).tone).toBe('waiting')
  const broken = { state: 'broken', reason: 'why' } as const
  expect(signatureLine(one, broken)).toEqual({
    tone: 'waiting',
    word: 'not checked',
    sentence: 'why',
  })
  expect(signerLine(one, broken, 1).tone).toBe('none')
})

test('a key that is trusted by a certificate says how long that is valid', async () => {
  const signer = await signerOf('release')
  const certificate = certificatePem
  const key = { ...signer.key, certificate }
  const [, line] = await linesOf(await item([signer]), [key])
  expect(line).toMatch(
    /“release” \(configuration, by a certificate valid \w+ \d+, \d{4} to \w+ \d+, \d{4}\)\.$/,
  )
})

test('the subject is compared with each thing there is, and the worst is shown', async () => {
  const one = await item([])
  const thing = (what: string, value: string) => ({
    what,
    digests: [{ algorithm: 'sha256', value }],
  })
  const line = (...all: ReturnType<typeof thing>[]): string => {
    const { tone, sentence } = subjectLine(one, compareSubjects(one, all))
    return `${tone} ${sentence}`
  }
  expect(line()).toBe('none nothing to compare with. Drop a file, or enter a digest.')
  expect(line(thing('this package', digest))).toBe('good is this package: sha256 equals aaaa…aaaa.')
  expect(line(thing('this package', digest), thing('the file a.jar', 'b'.repeat(64)))).toBe(
    "bad is not the file a.jar: its subject doesn't have sha256 bbbb…bbbb.",
  )
})

test('an equal SHA-1 is no tick, and a contradiction is a mismatch that says so', () => {
  const value = 'c'.repeat(40)
  const line = (digests: object): string => {
    const one = decodedStatement([{ name: 'x', digest: digests }])
    const digestsOfFile = [
      { algorithm: 'sha256', value: digest },
      { algorithm: 'sha1', value },
    ]
    const all = compareSubjects(one, [{ what: 'the file a.jar', digests: digestsOfFile }])
    const { tone, word, sentence } = subjectLine(one, all)
    return `${tone} ${word}: ${sentence}`
  }
  expect(line({ sha1: value })).toBe(
    'waiting weak match: has the sha1 of the file a.jar (cccc…cccc), which proves little: different files can have the same sha1.',
  )
  expect(line({ sha1: value, sha256: 'b'.repeat(64) })).toBe(
    'bad mismatch: is not the file a.jar: a subject has its sha1, and another sha256.',
  )
  expect(line({ sha1: value, sha256: digest })).toMatch(/^good matches: /)
  expect(line({ sm3: digest })).toBe(
    "waiting not compared: can't be compared with the file a.jar: no subject has a sha256 or sha1 to compare it with.",
  )
})

test('a log entry about something else is warned of above the verdicts, one that fits is not', () => {
  expect(logWarning(['fits', 'other-payload'])).toBe(
    'Its transparency log entry is about another payload, so the log says nothing about this attestation.',
  )
  expect(logWarning(['other-signature'])).toContain('is about other signatures')
  expect(logWarning(['fits', 'payload-only', 'unreadable'])).toBeUndefined()
})

test('a certificate is marked only when its key is known to verify no signature', async () => {
  const [own, other] = [await signerOf('own'), await signerOf('other')]
  const certificate = certificateOf(own.key)
  const isIdle = async (one: DecodedItem, keys: readonly TrustedKey[] = []): Promise<boolean> =>
    verifiesNothing(certificate, one.envelope ? await verify(one.envelope, keys) : [])
  const bundleOf = (one: DecodedItem): DecodedItem =>
    decodedItem({
      verificationMaterial: { certificate: { rawBytes: certificate } },
      dsseEnvelope: JSON.parse(one.text) as unknown,
    })
  const byOwn = bundleOf(await item([own], false))
  const byOther = bundleOf(await item([other], false))
  expect(await isIdle(byOwn)).toBe(false)
  expect(await isIdle(byOwn, [own.key])).toBe(false)
  expect(await isIdle(byOther)).toBe(true)
  expect(await isIdle(byOther, [other.key])).toBe(true)
  expect(await isIdle(bundleOf(await item([own], false, `${text} `)))).toBe(true)
  expect(verifiesNothing(certificate, [])).toBe(false)
  expect(verifiesNothing('MIIB', [])).toBe(false)
})
