import { describe, expect, test } from 'vitest'
import { joinBytes } from './decode/bytes.ts'
import { certificateOf } from './certificate.test-support.ts'
import { ecdsaDer } from './ecdsa-der.test-support.ts'
import { createSigner, envelopeOf, paeOf } from './signing.test-support.ts'
import { verify } from './verify.ts'

const text = '{"_type":"https://in-toto.io/Statement/v1"}'
const p256 = await createSigner('P-256', 'release')
const pss = await createSigner('RSA-PSS', 'rsa')
const all = [pss.key, p256.key]
const good = ecdsaDer(await p256.sign(paeOf(text)))

describe('many signatures', () => {
  const bad = ecdsaDer(joinBytes(good.subarray(-32), good.subarray(-32)))

  test('are limited, and the named keys are tried first for all of them', async () => {
    const signatures = Array.from({ length: 200 }, () => ({ sig: bad }))
    const named = { sig: good, keyid: 'release' }
    const envelope = envelopeOf(text, [...signatures, named])
    const progress: number[] = []
    const verdicts = await verify(envelope, all, {
      limit: 100,
      progress: (done, of) => progress.push(done / of),
    })
    expect(verdicts.map(({ index }) => index)).toEqual(envelope.signatures.map((_, at) => at))
    expect(verdicts.at(-1)).toMatchObject({ verdict: 'verified', key: p256.key })
    expect(verdicts.at(0)?.verdict).toBe('unknown-key')
    expect(verdicts.at(-2)?.verdict).toBe('unsupported')
    expect(verdicts.at(-2)?.reason).toContain(
      'Not checked: too many signatures and keys to try at once.',
    )
    expect(progress.length).toBe(201)
    expect(progress.at(-1)).toBe(1)
  })

  test('need no more effort than one each where they are by the first key, or by the same key', async () => {
    const others = await Promise.all(['a', 'b'].map((name) => createSigner('P-256', name)))
    const keys = [...others.map(({ key }) => key), p256.key]
    const verdicts = async (limit: number, trusted: typeof keys) => {
      const envelope = envelopeOf(text, [{ sig: good }, { sig: good }, { sig: good }])
      return (await verify(envelope, trusted, { limit })).map(({ verdict }) => verdict)
    }
    const verified = ['verified', 'verified', 'verified']
    expect(await verdicts(3, [p256.key])).toEqual(verified)
    expect(await verdicts(2, [p256.key])).toEqual(['verified', 'verified', 'unsupported'])
    // Each of the others is tried with three hashes, for the first signature alone.
    expect(await verdicts(9, keys)).toEqual(verified)
    expect(await verdicts(8, keys)).toEqual(['verified', 'verified', 'unsupported'])
  })

  test('are all tried before anything is looked for that explains the bad ones', async () => {
    const [first, last] = await Promise.all(['a', 'b'].map((name) => createSigner('P-256', name)))
    const stranger = await createSigner('P-256', 'stranger')
    if (first === undefined || last === undefined) throw new Error('no keys')
    const sigs = await Promise.all([stranger, last].map(({ sign }) => sign(paeOf(text))))
    const envelope = envelopeOf(
      text,
      sigs.map((sig) => ({ sig })),
    )
    // Two keys with three hashes for the first, four tries for the second.
    const verdicts = await verify(envelope, [first.key, last.key], { limit: 10 })
    expect(verdicts[0]?.reason).toMatch(/doesn't verify it/)
    expect(verdicts[1]).toMatchObject({ verdict: 'verified', key: last.key })
  })

  test('that name a key which there was no effort left for are not called a mismatch', async () => {
    const [verdict] = await verify(envelopeOf(text, [{ sig: good, keyid: 'release' }]), all, {
      limit: 0,
    })
    expect(verdict?.verdict).toBe('unsupported')
    expect(verdict?.reason).toMatch(/^Not checked/)
  })

  test('can be cancelled between two of them', async () => {
    const controller = new AbortController()
    const signatures = Array.from({ length: 50 }, () => ({ sig: bad }))
    const verifying = verify(envelopeOf(text, signatures), all, {
      signal: controller.signal,
      progress: (done) => {
        if (done === 3) controller.abort(new Error('enough'))
      },
    })
    await expect(verifying).rejects.toThrow('enough')
  })

  test('are distinguished: where one verifies, another that names no key is of another key', async () => {
    const envelope = envelopeOf(text, [{ sig: good }, { sig: bad }])
    const verdicts = await verify(envelope, [p256.key])
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['verified', 'unknown-key'])
    expect(verdicts[1]?.reason).toContain('the content is unchanged. Another')
  })

  test('are a mismatch where they name a key, whatever else verifies', async () => {
    const envelope = envelopeOf(text, [{ sig: good }, { sig: bad, keyid: 'release' }])
    const verdicts = await verify(envelope, [p256.key])
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['verified', 'mismatch'])
  })
})

test('a payload that was signed anew with a key of its own is not called unchanged', async () => {
  const other = await createSigner('P-256', 'other')
  const changed = '{"_type":"https://in-toto.io/Statement/v0.1"}'
  const anew = { sig: ecdsaDer(await other.sign(paeOf(changed))) }
  const signatures = [{ sig: good }, { ...anew, certificate: certificateOf(other.key) }]
  for (const keys of [[p256.key], all, [p256.key, (await createSigner('P-256', 'more')).key]]) {
    const [first, second] = await verify(envelopeOf(changed, signatures), keys)
    expect(second).toMatchObject({
      verdict: 'verified',
      key: { origin: 'certificate in the bundle' },
    })
    expect(first?.verdict).not.toBe('verified')
    expect(first?.reason).toMatch(/was changed/)
    expect(first?.reason).not.toMatch(/unchanged|damaged/)
  }
})

test('a large payload is hashed once for all RSA keys, so that each of them is tried', async () => {
  const large = `{"a":"${'y'.repeat(10_000_000)}"}`
  const signers = await Promise.all(
    ['1', '2', '3', '4', '5'].map((name) => createSigner('RSASSA-PKCS1-v1_5', name)),
  )
  const stranger = await createSigner('RSASSA-PKCS1-v1_5', 'stranger')
  const sigs = await Promise.all(
    [stranger, ...signers.slice(-1)].map(({ sign }) => sign(paeOf(large))),
  )
  const keys = [p256.key, ...signers.map(({ key }) => key)]
  const envelope = envelopeOf(
    large,
    sigs.map((sig) => ({ sig })),
  )
  // As much as one of a hundred attestations of a list gets.
  const verdicts = await verify(envelope, keys, { limit: 1_000 })
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['unknown-key', 'verified'])
})
