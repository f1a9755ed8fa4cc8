import { afterEach, describe, expect, test, vi } from 'vitest'
import { certificateOf } from '../certificate.test-support.ts'
import type { Envelope, EnvelopeSignature } from '../decode/envelope.ts'
import { certificatePem, ecPem, ed25519Pem, rsaPem } from '../foreign-keys.test-support.ts'
import { envelopeOf, keyOf } from '../signing.test-support.ts'
import { prepareCandidates } from './candidates.ts'
import type { TrustedKey } from './trusted-key.ts'

const { subtle } = globalThis.crypto
const [release, ed, rsa] = [keyOf(ecPem, 'release'), keyOf(ed25519Pem, 'ed'), keyOf(rsaPem, 'rsa')]

afterEach(() => {
  vi.restoreAllMocks()
})

/** Who may have made each signature: the names of the keys, and how the key id names them. */
async function askedOf(
  signatures: readonly Partial<EnvelopeSignature>[],
  trusted: readonly TrustedKey[] = [release, ed],
  more: Partial<Envelope> = {},
) {
  const envelope = envelopeOf('{}', signatures, more)
  const candidatesFor = await prepareCandidates(envelope, trusted, subtle)
  return envelope.signatures.map((signature) => {
    const { claimed, others, isNamed, formOf } = candidatesFor(signature)
    const named = (keys: readonly TrustedKey[]) => keys.map((key) => `${key.name} ${formOf(key)}`)
    return { claimed: named(claimed), others: named(others), isNamed, none: formOf(undefined) }
  })
}

describe('the keys that may have made a signature', () => {
  test('are all where nothing names one, and no fingerprint is made', async () => {
    const digest = vi.spyOn(subtle, 'digest')
    expect(await askedOf([{}])).toEqual([
      { claimed: [], others: ['release absent', 'ed absent'], isNamed: false, none: 'absent' },
    ])
    expect(digest).not.toHaveBeenCalled()
  })

  test('are first those that its key id names, by name, list or fingerprint', async () => {
    const listed = { ...ed, keyIds: ['kms://1', 'kms://2'] }
    const fingerprint = '08eb6cd925ee9335e09e970645d2ce23d643334c52abd5fd59121d4543ee9c2b'
    const asked = await askedOf(
      [{ keyid: 'release' }, { keyid: 'kms://2' }, { keyid: fingerprint }, { keyid: 'else' }, {}],
      [ed, release, listed],
    )
    expect(asked).toEqual([
      {
        claimed: ['release name'],
        others: ['ed none', 'ed none'],
        isNamed: true,
        none: 'none',
      },
      {
        claimed: ['ed listed'],
        others: ['ed none', 'release none'],
        isNamed: true,
        none: 'none',
      },
      {
        claimed: ['release sha256-spki'],
        others: ['ed none', 'ed none'],
        isNamed: true,
        none: 'none',
      },
      {
        claimed: [],
        others: ['ed none', 'release none', 'ed none'],
        isNamed: true,
        none: 'none',
      },
      {
        claimed: [],
        others: ['ed absent', 'release absent', 'ed absent'],
        isNamed: false,
        none: 'absent',
      },
    ])
  })

  test('are named by the bundle where the signature names none', async () => {
    const asked = await askedOf([{}, { keyid: 'ed' }], [release, ed], { publicKeyHint: 'release' })
    expect(asked.map(({ claimed }) => claimed)).toEqual([['release name'], ['ed name']])
    expect(asked.map(({ isNamed }) => isNamed)).toEqual([true, true])
  })

  test('are those that the envelope brings, the certificate of the bundle before that of the signature', async () => {
    const more = { certificates: [certificateOf(rsa), certificateOf(ed)], publicKey: ecPem }
    const asked = await askedOf([{}, { certificate: certificateOf(ed) }], [], more)
    expect(asked.map(({ claimed }) => claimed)).toEqual([
      ['certificate absent', 'public key absent'],
      ['certificate absent', 'public key absent'],
    ])
    const envelope = envelopeOf('{}', [{}, { certificate: certificateOf(ed) }], more)
    const candidatesFor = await prepareCandidates(envelope, [], subtle)
    const spkis = envelope.signatures.map((each) =>
      candidatesFor(each).claimed.map(({ spki }) => spki),
    )
    expect(spkis).toEqual([
      [rsa.spki, release.spki],
      [rsa.spki, release.spki],
    ])
    const [plain] = await askedOf([{ certificate: certificateOf(ed) }], [ed])
    expect(plain?.claimed).toEqual(['ed absent'])
  })

  test('that the envelope brings are the trusted ones where these are the same', async () => {
    const more = { certificates: [certificateOf(ed)], publicKey: ecPem }
    expect(await askedOf([{}], [rsa, release, ed], more)).toMatchObject([
      { claimed: ['ed absent', 'release absent'], others: ['rsa absent'] },
    ])
    expect(
      await askedOf([{}], [ed], { publicKey: 'no key', certificates: ['none'] }),
    ).toMatchObject([{ claimed: [], others: ['ed absent'] }])
  })

  test('have fingerprints as well where only the envelope brings them', async () => {
    const keyid = '08eb6cd925ee9335e09e970645d2ce23d643334c52abd5fd59121d4543ee9c2b'
    expect(await askedOf([{}, { keyid }], [], { publicKey: ecPem })).toMatchObject([
      { claimed: ['public key absent'], isNamed: false },
      { claimed: ['public key sha256-spki'], isNamed: true },
    ])
  })

  test('have a certificate that a key id names by its identity, which names no other key', async () => {
    const keyid = 'ann@acme.example::https://issuer.example'
    const certificate = certificatePem.split('\n').slice(1, -2).join('')
    expect(await askedOf([{ keyid, certificate }], [ed], { publicKey: rsaPem })).toMatchObject([
      { claimed: ['certificate identity', 'public key none'], others: ['ed none'] },
    ])
    expect(await askedOf([{ keyid, certificate }], [ed, release])).toMatchObject([
      { claimed: ['release identity'], others: ['ed none'] },
    ])
    // The trusted key of a certificate that isn't beside this signature.
    expect(await askedOf([{ keyid }], [release])).toMatchObject([
      { claimed: [], others: ['release none'] },
    ])
    expect(
      await askedOf([{ keyid: 'other@acme.example::https://issuer.example', certificate }], []),
    ).toMatchObject([{ claimed: ['certificate none'] }])
  })

  test('are read from each certificate once, however many signatures bring it', async () => {
    const certificate = certificateOf(ed)
    const signatures = [{ certificate }, { certificate }]
    const envelope = envelopeOf('{}', signatures)
    const candidatesFor = await prepareCandidates(envelope, [], subtle)
    const [first, second] = envelope.signatures.map((each) => candidatesFor(each).claimed[0])
    expect(first).toBeDefined()
    expect(first).toBe(second)
  })
})
