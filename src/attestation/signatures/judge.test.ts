import { describe, expect, test } from 'vitest'
import type { EnvelopeSignature } from '../decode/envelope.ts'
import { ecPem, ed25519Pem, rsaPem, secp256k1Pem } from '../foreign-keys.test-support.ts'
import type { TrustedKey } from '../keys/trusted-key.ts'
import { createSigner, envelopeOf, keyOf } from '../signing.test-support.ts'
import { sshSigOf } from '../ssh-signing.test-support.ts'
import type { Attempt } from './attempt.ts'
import { type Evidence, judge, unjudged } from './judge.ts'
import { describeScheme, type Scheme } from './schemes.ts'
import type { KeyIdForm } from './signature-verdict.ts'

const release = keyOf(ecPem, 'release')
const ed25519 = keyOf(ed25519Pem, 'ed')
const rsa = keyOf(rsaPem, 'rsa')
const foreign = keyOf(secp256k1Pem, 'foreign')
const brought: TrustedKey = { ...keyOf(ecPem, 'brought'), origin: 'certificate in the bundle' }
const mismatch: Attempt = { result: 'mismatch' }

interface Given {
  readonly signature?: Partial<EnvelopeSignature>
  readonly claimed?: readonly TrustedKey[]
  readonly others?: readonly TrustedKey[]
  readonly isNamed?: boolean
  readonly formOf?: (key: TrustedKey | undefined) => KeyIdForm
  readonly ofClaimed?: Attempt
  readonly ofOthers?: Attempt
  readonly hints?: Evidence['hints']
  readonly proven?: readonly TrustedKey[]
}

/** The verdict on a signature of 70 bytes of no known kind that no key verifies, unless given otherwise. */
function judged({ signature, claimed = [], others = [], proven = [], ...given }: Given) {
  const sig = new Uint8Array(70).fill(1)
  const [whole] = envelopeOf('{}', [{ sig, ...signature }]).signatures
  if (whole === undefined) throw new Error('no signature')
  const { isNamed = false, formOf = () => 'absent', ofClaimed = mismatch, hints = [] } = given
  const attempts = { claimed: ofClaimed, others: given.ofOthers ?? mismatch }
  const evidence = { signature: whole, by: { claimed, others, isNamed, formOf }, attempts, hints }
  return judge(evidence, new Set(proven))
}

function verifiedBy(key: TrustedKey, scheme: Scheme): Attempt {
  const algorithm = describeScheme(scheme)
  const proof = { scheme, algorithm, form: 'DER', message: 'DSSEv1 PAE' } as const
  return { result: 'verified', key, proof: { ...proof, namespace: undefined, isWrapped: false } }
}

const p256: Scheme = { name: 'ECDSA', curve: 'P-256', hash: 'SHA-256' }

describe('what is verified', () => {
  test('says how many trusted keys were tried, without those that the envelope brings along', () => {
    const keys = { claimed: [brought], others: [release, rsa] }
    expect(judged({ ...keys, ofOthers: verifiedBy(release, p256) }).triedKeys).toBe(2)
    expect(judged(keys).triedKeys).toBe(2)
  })

  test('by an RSA key of fewer than 1024 bits is remarked on', () => {
    const remarksOf = (bits: number) => {
      const key: TrustedKey = { ...rsa, algorithm: { type: 'RSA', bits, pssOnly: false } }
      const scheme = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const
      return judged({ others: [key], ofOthers: verifiedBy(key, scheme) }).hints.map(
        ({ code }) => code,
      )
    }
    expect([remarksOf(1023), remarksOf(1024)]).toEqual([['short-key'], []])
  })

  test('by a key that the key id does not name is remarked on, with the key that it names', () => {
    const names = (key: TrustedKey | undefined) => (key === rsa ? 'name' : 'none')
    const given = { signature: { keyid: 'rsa' }, formOf: names, others: [release] }
    const ofOthers = verifiedBy(release, p256)
    expect(judged({ ...given, claimed: [brought, rsa], ofOthers })).toMatchObject({
      verdict: 'verified',
      keyIdForm: 'none',
      hints: [{ code: 'keyid-names-another-key', key: rsa }],
    })
    expect(judged({ ...given, claimed: [brought], ofOthers }).hints).toMatchObject([
      { code: 'keyid-mismatch', key: undefined },
    ])
  })

  test('where only the bundle names a key, no key id of the signature names another one', () => {
    const names = (key: TrustedKey | undefined) => (key === rsa ? 'name' : 'none')
    const ofOthers = verifiedBy(release, p256)
    expect(
      judged({ claimed: [rsa], others: [release], formOf: names, ofOthers }).hints,
    ).toMatchObject([{ code: 'keyid-mismatch' }])
  })

  test.each([
    ['SHA-256', 'P-384', ['weak-hash']],
    ['SHA-384', 'P-384', []],
    ['SHA-512', 'P-384', []],
    ['SHA-384', 'P-521', ['weak-hash']],
  ] as const)('%s on %s has the remarks %j', (hash, curve, codes) => {
    const ofOthers = verifiedBy(release, { name: 'ECDSA', curve, hash })
    expect(judged({ others: [release], ofOthers }).hints.map(({ code }) => code)).toEqual(codes)
  })
})

describe('what could not be judged', () => {
  test.each([
    [undefined, 'absent'],
    ['a', 'none'],
  ])('with the key id %j has the form "%s"', (keyid, keyIdForm) => {
    const [signature] = envelopeOf('{}', [{ keyid, sig: Uint8Array.of(1) }]).signatures
    if (signature === undefined) throw new Error('no signature')
    expect(unjudged(signature, 'There is no cryptography.')).toEqual({
      index: 0,
      keyid,
      verdict: 'unsupported',
      reason: 'There is no cryptography.',
      key: undefined,
      proof: undefined,
      keyIdForm,
      triedKeys: 0,
      hints: [],
    })
  })

  test('without any key is unsupported only where the keys it is from refuse it, or its maker does', () => {
    const refused: Attempt = { result: 'unsupported', reason: 'No browser can.' }
    expect(judged({ claimed: [release], ofClaimed: refused })).toMatchObject({
      verdict: 'unsupported',
      reason: 'No browser can.',
      key: release,
    })
    expect(judged({ others: [rsa], ofOthers: { ...refused, maker: rsa } })).toMatchObject({
      verdict: 'unsupported',
      reason: 'No browser can.',
      key: rsa,
    })
    // What others can't judge says nothing of the key that it is said to be from.
    const named = { claimed: [release], others: [foreign], ofOthers: refused }
    expect(judged(named)).toMatchObject({ verdict: 'mismatch', key: release })
    expect(judged({ others: [foreign], ofOthers: refused })).toMatchObject({
      verdict: 'unsupported',
      reason: 'No browser can.',
      key: undefined,
    })
    expect(judged({ others: [foreign], isNamed: true, ofOthers: refused }).verdict).toBe(
      'unknown-key',
    )
  })

  test.each([
    [{ result: 'not-tried' }, mismatch],
    [mismatch, { result: 'not-tried' }],
  ] as const)('for lack of effort is unsupported (%j, %j)', (ofClaimed, ofOthers) => {
    const verdict = judged({ others: [release], ofClaimed, ofOthers })
    expect(verdict).toMatchObject({ verdict: 'unsupported', key: undefined })
    expect(verdict.reason).toContain('Not checked')
  })
})

describe('a signature without a value', () => {
  test('that names no key signs nothing', () => {
    expect(judged({ signature: { sigText: '' }, others: [release] })).toMatchObject({
      verdict: 'unsigned',
      key: undefined,
    })
  })

  test('that names a key is a mismatch of that key, and never unsigned', () => {
    const signature = { keyid: 'release', sigText: '', sig: undefined }
    const formOf = () => 'name' as const
    expect(judged({ signature, claimed: [release], isNamed: true, formOf })).toMatchObject({
      verdict: 'mismatch',
      reason: 'It has no signature value.',
      key: release,
      keyIdForm: 'name',
    })
    const mistake = 'Its value is a number.'
    expect(judged({ signature: { ...signature, mistake } })).toMatchObject({
      verdict: 'mismatch',
      reason: mistake,
      key: undefined,
    })
  })
})

describe('a signature that names no known key', () => {
  const mistake = 'Its value is not base64.'

  test('is of an unknown key where there is none to try, and its mistake is said', () => {
    expect(judged({})).toMatchObject({
      verdict: 'unknown-key',
      reason: 'It names no key, and there are no trusted keys to try.',
    })
    expect(judged({ isNamed: true }).reason).toContain("names a key that isn't trusted here")
    expect(judged({ signature: { mistake } }).reason).toBe(
      `It names no key, and there are no trusted keys to try. ${mistake}`,
    )
  })

  test('is a mismatch by its own mistake where there are keys', () => {
    expect(
      judged({ signature: { mistake, sig: undefined, sigText: '!' }, others: [release] }),
    ).toMatchObject({
      verdict: 'mismatch',
      reason: mistake,
      key: undefined,
    })
  })

  test('but brings a key is of that one', () => {
    const ofOthers: Attempt = { result: 'other-key', reason: 'It contains another.' }
    expect(judged({ others: [release], ofOthers })).toMatchObject({
      verdict: 'unknown-key',
      reason: 'No trusted key made it. It contains another.',
    })
  })

  test('is a mismatch of the key that a hint found', () => {
    const message = 'It covers the payload only.'
    const hints = [
      { code: 'doubled-base64', message: 'Twice.', key: undefined },
      { code: 'raw-payload', message, key: rsa },
    ] as const
    expect(judged({ others: [release, rsa], hints })).toMatchObject({
      verdict: 'mismatch',
      reason: message,
      key: rsa,
    })
  })

  test('was said to be made by another key where no key makes that kind', () => {
    const [none, vouched] = [
      judged({ others: [release] }),
      judged({ others: [release], proven: [rsa] }),
    ]
    expect([none.verdict, vouched.verdict]).toEqual(['unknown-key', 'unknown-key'])
    expect(none.reason).toContain('none of them makes this kind of signature')
    // Bytes that were cut off are of no kind either.
    expect(none.reason).toMatch(/another key made it, or it is damaged\.$/)
    const ofRsa = judged({ signature: { sig: new Uint8Array(256).fill(1) }, others: [release] })
    expect(ofRsa.reason).toMatch(/another key made it\.$/)
    expect(vouched.reason).toContain('the content is unchanged')
  })

  test('of a key that only the envelope vouches for says nothing of the content', () => {
    expect(judged({ others: [release], proven: [brought] }).reason).not.toContain('unchanged')
  })
})

test('a key that is for one algorithm says which, as no other was tried', () => {
  const sig = new Uint8Array(64).fill(1)
  const bound: TrustedKey = { ...release, jwsAlgorithm: 'ES256' }
  const reasonOf = (key: TrustedKey) => judged({ signature: { sig }, claimed: [key] }).reason
  expect(reasonOf(bound)).toMatch(/Only ES256 counts, as the "alg" of the key says\.$/)
  expect(reasonOf(release)).toContain('Another hash than SHA-256, -384 or -512')
})

describe('the only key that could have made it', () => {
  /** Any bytes of RSA's length: the modulus alone decides. */
  const ofRsa = new Uint8Array(Math.ceil(rsa.algorithm.type === 'RSA' ? rsa.algorithm.bits / 8 : 0))

  test.each([[0x00], [0x30], [0x7b]])(
    'is RSA by the length alone, whatever it begins with (%i)',
    (first) => {
      const sig = ofRsa.slice()
      sig[0] = first
      const verdict = judged({ signature: { sig }, others: [release, rsa, ed25519] })
      expect(verdict).toMatchObject({ verdict: 'mismatch', key: rsa })
      expect(verdict.hints.map(({ code }) => code)).toEqual(['key-not-named'])
    },
  )

  test('is none that no browser verifies with', () => {
    const sig = new Uint8Array(64).fill(1)
    expect(judged({ signature: { sig }, others: [foreign] })).toMatchObject({
      verdict: 'unknown-key',
      key: undefined,
    })
    expect(judged({ signature: { sig }, others: [foreign, ed25519] }).key).toBe(ed25519)
  })

  test('is none where two could have', () => {
    const sig = new Uint8Array(64).fill(1)
    const two = [release, ed25519]
    expect(judged({ signature: { sig }, others: two }).verdict).toBe('unknown-key')
    // One that has signed already hardly signed twice.
    expect(judged({ signature: { sig }, others: two, proven: [release] })).toMatchObject({
      verdict: 'mismatch',
      key: ed25519,
    })
  })
})

describe('bytes that no key can have made', () => {
  const noise = (length: number, first = 0x30) => new Uint8Array(length).fill(7).fill(first, 0, 1)

  test.each([
    ['too few', noise(20, 1), true],
    ['64, the S of Ed25519 above the order of its group', new Uint8Array(64).fill(255), true],
    ['65 that are no DER', noise(65), true],
    ['65 of no known kind', noise(65, 1), false],
    ['64 that are r||s', noise(64, 1), false],
    ['100 that are no DER', noise(100), true],
    ['128, as of RSA', noise(128), false],
    ['150 that are no DER', noise(150), true],
    ['256, as of RSA', noise(256), false],
  ])('%s', (_, sig, isBroken) => {
    const { verdict, reason } = judged({ signature: { sig }, others: [rsa, foreign] })
    const isSaid = reason.includes("aren't a signature of any known kind")
    expect([verdict === 'mismatch' && isSaid, isSaid]).toEqual([isBroken, isBroken])
  })

  test('may be cut off where they name an unknown key, and are not said to be of another kind', () => {
    const { verdict, reason } = judged({
      signature: { sig: noise(20, 1), keyid: 'unknown' },
      others: [release],
      isNamed: true,
    })
    expect([verdict, reason]).toEqual([
      'unknown-key',
      "No trusted key verifies it: its bytes aren't a signature of any known kind, so it may be cut off or damaged.",
    ])
  })

  test('a damaged SSH signature is broken; a whole one of another key, or of a kind that is not supported, is not', async () => {
    const signer = await createSigner('Ed25519')
    const message = Uint8Array.of(1)
    const { binary } = await sshSigOf(signer, message, 'git')
    const { binary: ofToken } = await sshSigOf(signer, message, 'git', 'sk-ssh-ed25519@openssh.com')
    const others = [foreign, ed25519]
    const verdictOn = (sig: Uint8Array) => judged({ signature: { sig }, others })
    expect(verdictOn(binary.slice(0, -1))).toMatchObject({ verdict: 'mismatch', key: undefined })
    expect(verdictOn(binary)).toMatchObject({ verdict: 'unknown-key', key: undefined })
    expect(verdictOn(ofToken)).toMatchObject({ verdict: 'unknown-key', key: undefined })
    expect(judged({ signature: { sig: binary }, others: [...others, signer.key] }).key).toBe(
      signer.key,
    )
  })
})
