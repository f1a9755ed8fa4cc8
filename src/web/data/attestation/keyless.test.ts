import { describe, expect, test } from 'vitest'
import { decode } from '../../../attestation/decode.ts'
import { verify } from '../../../attestation/verify.ts'
import type { SigstoreTrust } from '../../../protocol/proxy-config.ts'
import { signerLine } from '../../features/decode/verdict-lines.ts'
import { createAttestationEngine } from './attestation-engine.ts'
import type { FromAttestationWorker } from './attestation-jobs.ts'
import { checkKeyless, type KeylessResult } from './keyless.ts'
import {
  createTestSigstore,
  type EntryKind,
  type TestBundle,
  testIdentity,
  testIssuer,
} from './keyless.test-support.ts'

const ours = createTestSigstore()
const other = createTestSigstore()
const statement = JSON.stringify({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'shop', digest: { sha256: 'a'.repeat(64) } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {},
})
const trust: SigstoreTrust = {
  trustedRoot: ours.trustedRoot,
  identities: [{ name: 'release workflow', issuer: testIssuer, identity: testIdentity }],
}

async function check(bundle: TestBundle, trusted = trust): Promise<KeylessResult> {
  const decoded = decode(JSON.stringify(bundle))
  if (!decoded.ok || decoded.envelope === undefined) throw new Error('not decoded')
  const result = await checkKeyless(decoded.envelope, await verify(decoded.envelope, []), trusted)
  if (result === undefined) throw new Error('not checked')
  return result
}

/** The names of the checks that failed. */
async function failures(bundle: TestBundle, trusted = trust): Promise<string[]> {
  const { checks, signer } = await check(bundle, trusted)
  const failed = checks.filter(({ state }) => state === 'failed').map(({ name }) => name)
  expect(signer === undefined).toBe(failed.length > 0)
  return failed
}

/** A bundle after a change of its first log entry, or of all of it. */
function changed(change: (bundle: TestBundle) => void, from = ours.bundle(statement)): TestBundle {
  const bundle = structuredClone(from)
  change(bundle)
  return bundle
}

function entryOf({ verificationMaterial }: TestBundle) {
  const [entry] = verificationMaterial.tlogEntries
  if (entry === undefined) throw new Error('no entry')
  return entry
}

/** Base64 with one bit of its last bytes flipped. */
function damaged(base64: string): string {
  const bytes = Buffer.from(base64, 'base64')
  bytes[bytes.length - 2] = (bytes.at(-2) ?? 0) ^ 1
  return bytes.toString('base64')
}

describe('a keyless bundle is trusted', () => {
  test('by identity and issuer, with every check and what was not checked by name', async () => {
    const { signer, checks } = await check(ours.bundle(statement))
    expect(signer?.name).toBe('release workflow')
    expect(checks.map(({ name, state }) => `${state} ${name}`)).toEqual([
      'passed Signature',
      'passed Certificate',
      'passed Certificate purpose',
      'passed Certificate log',
      'passed Log entry',
      'passed Signed entry timestamp',
      'passed Inclusion proof',
      'passed Signing time',
      'passed Identity',
      'not-checked Trusted root',
      'not-checked Log consistency',
    ])
  })

  test('by a pattern that all of the identity matches', async () => {
    const by = (identityRegexp: string): SigstoreTrust => ({
      ...trust,
      identities: [{ name: 'any tag', issuer: testIssuer, identityRegexp }],
    })
    const bundle = ours.bundle(statement)
    expect(await failures(bundle, by('https://github\\.com/acme/shop/.*@refs/tags/v\\d+'))).toEqual(
      [],
    )
    expect(await failures(bundle, by('https://github\\.com/acme/shop/'))).toEqual(['Identity'])
    expect(await failures(bundle, by('a|https://github\\.com/acme'))).toEqual(['Identity'])
  })

  test('with a promise and no proof, and with a proof and a timestamp in place of a promise', async () => {
    const promised = changed((bundle) => {
      bundle.mediaType = 'application/vnd.dev.sigstore.bundle+json;version=0.1'
      delete entryOf(bundle).inclusionProof
    })
    expect(await failures(promised)).toEqual([])
    const at = Date.UTC(2026, 0, 1) / 1000 + 60
    const timeless = ours.bundle(statement, { isTimeless: true, stampedAt: at })
    expect(await failures(timeless)).toEqual([])
  })
})

describe.each<EntryKind>([
  'dsse 0.0.1',
  'dsse 0.0.2',
  'hashedrekord 0.0.1',
  'hashedrekord 0.0.2',
  'intoto 0.0.2',
])('an entry of kind %s', (kind) => {
  // Rekor 2 signs no time: a timestamp is needed.
  const isTimeless = kind.endsWith('0.0.2') && kind !== 'intoto 0.0.2'
  const options = {
    kind,
    isTimeless,
    ...(isTimeless ? { stampedAt: Date.UTC(2026, 0, 1) / 1000 + 60 } : {}),
  }

  test('is trusted', async () => {
    expect(await failures(ours.bundle(statement, options))).toEqual([])
  })

  test('of another envelope, signature or certificate is not', async () => {
    const own = ours.bundle(statement, options)
    const foreign = ours.bundle(statement.replace('shop', 'shot'), options)
    const again = ours.bundle(statement, options)
    for (const { verificationMaterial } of [foreign, again]) {
      const mixed = changed((bundle) => {
        bundle.verificationMaterial.tlogEntries = verificationMaterial.tlogEntries
      }, own)
      expect(await failures(mixed)).toContain('Log entry')
    }
    const others = await failures(ours.bundle(statement, { ...options, isOfOther: true }))
    expect(others.length).toBeGreaterThan(0)
  })
})

describe('a keyless bundle is not trusted where', () => {
  test.each<[string, TestBundle, string[]]>([
    [
      'its content was changed',
      changed(({ dsseEnvelope }) => {
        const text = statement.replace('shop', 'shot')
        dsseEnvelope.payload = Buffer.from(text).toString('base64')
      }),
      ['Signature', 'Log entry'],
    ],
    [
      'its signature was changed',
      changed(({ dsseEnvelope: { signatures } }) => {
        signatures[0] = { sig: damaged(signatures[0]?.sig ?? '') }
      }),
      ['Signature', 'Log entry'],
    ],
    [
      'it has a second signature',
      changed(({ dsseEnvelope: { signatures } }) => signatures.push({ sig: 'AAAA' })),
      ['Signature', 'Log entry'],
    ],
    [
      'another authority made its certificate',
      other.bundle(statement),
      [
        'Certificate',
        'Signed entry timestamp',
        'Inclusion proof',
        'Transparency log',
        'Signing time',
      ],
    ],
    [
      'its certificate had expired when it was logged',
      ours.bundle(statement, { logged: Date.UTC(2026, 0, 1) / 1000 + 3600 }),
      ['Signed entry timestamp', 'Signing time'],
    ],
    [
      'its certificate is for something else',
      ours.bundle(statement, { purpose: '1.3.6.1.5.5.7.3.1' }),
      ['Certificate purpose'],
    ],
    [
      'no log promises to list its certificate',
      ours.bundle(statement, { withoutSct: true }),
      ['Certificate log'],
    ],
    [
      'the certificate is of somebody else',
      ours.bundle(statement, { identity: `${testIdentity}0` }),
      ['Identity'],
    ],
    [
      'somebody else vouched for the same identity',
      ours.bundle(statement, { issuer: 'https://login.evil.example' }),
      ['Identity'],
    ],
    [
      'it has no log entry',
      changed(({ verificationMaterial }) => verificationMaterial.tlogEntries.splice(0)),
      ['Transparency log', 'Signing time'],
    ],
    [
      'the log entry is that of another bundle',
      changed(({ verificationMaterial }) => {
        const bundle = ours.bundle(statement.replace('shop', 'shot'))
        verificationMaterial.tlogEntries = [entryOf(bundle)]
      }),
      ['Log entry', 'Signed entry timestamp', 'Signing time'],
    ],
    [
      "the log's promise was changed",
      changed((bundle) => {
        const promise = entryOf(bundle).inclusionPromise
        if (promise) promise.signedEntryTimestamp = damaged(promise.signedEntryTimestamp)
      }),
      ['Signed entry timestamp', 'Signing time'],
    ],
    [
      'the time in the entry was changed',
      changed((bundle) => {
        entryOf(bundle).integratedTime = String(Date.UTC(2026, 0, 1) / 1000 + 9)
      }),
      ['Signed entry timestamp', 'Signing time'],
    ],
    [
      "the promise is missing, so that nobody signed the entry's time",
      changed((bundle) => delete entryOf(bundle).inclusionPromise),
      ['Signing time'],
    ],
    [
      'a hash of the proof was changed',
      changed((bundle) => {
        const proof = entryOf(bundle).inclusionProof
        if (proof) proof.hashes = proof.hashes.map(damaged)
      }),
      ['Inclusion proof'],
    ],
    [
      'the root hash is another than the log signed',
      changed((bundle) => {
        const proof = entryOf(bundle).inclusionProof
        if (proof?.checkpoint) {
          const envelope = proof.checkpoint.envelope.replace('\n2\n', '\n3\n')
          proof.checkpoint = { envelope }
        }
      }),
      ['Inclusion proof'],
    ],
    [
      'the proof is for a tree of another size',
      changed((bundle) => {
        const proof = entryOf(bundle).inclusionProof
        if (proof) Object.assign(proof, { logIndex: '2', treeSize: '4' })
      }),
      ['Inclusion proof'],
    ],
    [
      'the proof is there without what the log signed, and the promise is missing',
      changed((bundle) => {
        const entry = entryOf(bundle)
        delete entry.inclusionPromise
        delete entry.inclusionProof?.checkpoint
      }),
      ['Transparency log', 'Signing time'],
    ],
    [
      'the timestamp is of another signature',
      changed(({ verificationMaterial }) => {
        const at = Date.UTC(2026, 0, 1) / 1000 + 60
        const { verificationMaterial: theirs } = ours.bundle(statement, { stampedAt: at })
        verificationMaterial.timestampVerificationData = theirs.timestampVerificationData ?? {
          rfc3161Timestamps: [],
        }
      }),
      ['Timestamp'],
    ],
    [
      'the timestamp says that the certificate had expired',
      ours.bundle(statement, {
        isTimeless: true,
        stampedAt: Date.UTC(2026, 0, 1) / 1000 + 3600,
      }),
      ['Certificate'],
    ],
    [
      'the entry has no time and there is no timestamp',
      ours.bundle(statement, { isTimeless: true }),
      ['Signed entry timestamp', 'Signing time'],
    ],
  ])('%s', async (_, bundle, expected) => {
    expect((await failures(bundle)).toSorted()).toEqual(expected.toSorted())
  })

  test('there is no trusted time: whether the certificate was valid then is not said', async () => {
    const { checks } = await check(ours.bundle(statement, { isTimeless: true }))
    expect(checks.find(({ name }) => name === 'Certificate')).toMatchObject({
      state: 'not-checked',
      detail: "It leads to the trusted root; whether it was valid then isn't known.",
    })
  })

  test('the trusted root is none, or is of another Sigstore', async () => {
    const bundle = ours.bundle(statement)
    expect(await failures(bundle, { ...trust, trustedRoot: {} })).toEqual(['Certificate'])
    expect(await failures(bundle, { ...trust, trustedRoot: other.trustedRoot })).toContain(
      'Certificate',
    )
  })
})

test('a signature that only one of two implementations takes counts for nothing', async () => {
  const padded = changed(({ dsseEnvelope: { signatures } }) => {
    const der = Buffer.from(signatures[0]?.sig ?? '', 'base64')
    const r = der.subarray(4, 4 + (der[3] ?? 0))
    const s = der.subarray(6 + r.length)
    // A zero more than DER allows in front of r.
    const content = Buffer.concat([Buffer.of(2, r.length + 1, 0), r, Buffer.of(2, s.length), s])
    const sig = Buffer.concat([Buffer.of(0x30, content.length), content]).toString('base64')
    signatures[0] = { sig }
  })
  const { checks, signer } = await check(padded)
  expect(signer).toBeUndefined()
  expect(checks[0]?.detail).toBe('Two implementations disagree about it, so it counts for nothing.')
})

test('what a root without logs cannot check is named, and a timestamp takes the place of the log', async () => {
  const withoutLogs = { ...trust, trustedRoot: { ...ours.trustedRoot, tlogs: [], ctlogs: [] } }
  const at = Date.UTC(2026, 0, 1) / 1000 + 60
  const { checks, signer } = await check(
    ours.bundle(statement, { stampedAt: at, withoutSct: true }),
    withoutLogs,
  )
  expect(signer?.name).toBe('release workflow')
  const open = checks.filter(({ state }) => state === 'not-checked').map(({ name }) => name)
  expect(open).toEqual(['Certificate log', 'Transparency log', 'Trusted root', 'Log consistency'])
  expect(await failures(ours.bundle(statement), withoutLogs)).toEqual(['Signing time'])
})

describe('the identity that is shown', () => {
  async function signerOf(text: string): Promise<string> {
    const decoded = decode(text)
    if (!decoded.ok || decoded.envelope === undefined) throw new Error('not decoded')
    const posted: FromAttestationWorker[] = []
    const engine = createAttestationEngine((message) => posted.push(message))
    const { envelope } = decoded
    await engine({ id: 1, job: { kind: 'inspect', envelope, keys: [], sigstore: trust } })
    const done = posted.find((message) => message.kind === 'done')
    if (done?.outcome.kind !== 'inspect') throw new Error('not inspected')
    const { word, sentence } = signerLine(decoded, { state: 'checked', ...done.outcome.answer }, 1)
    return `${word}: ${sentence}`
  }
  const bundle = ours.bundle(statement)
  /** The same certificate in all but the name, which its authority never signed. */
  const renamed = Buffer.from(
    Buffer.from(bundle.verificationMaterial.certificate.rawBytes, 'base64')
      .toString('latin1')
      .replace(testIdentity, 'https://example.com/'.padEnd(testIdentity.length, 'x')),
    'latin1',
  ).toString('base64')

  test('is that of the certificate that was checked, whatever stands beside the signature', async () => {
    const forged = changed(({ dsseEnvelope: { signatures } }) => {
      Object.assign(signatures[0] ?? {}, { cert: renamed })
    }, bundle)
    const text = JSON.stringify(forged)
    expect(await signerOf(text)).toBe(await signerOf(JSON.stringify(bundle)))
    expect(await signerOf(text)).toContain(testIdentity)
    const decoded = decode(text)
    expect(decoded.ok && decoded.findings).toMatchObject([{ code: 'bundle-several-signers' }])
    const { rawBytes: cert } = bundle.verificationMaterial.certificate
    const repeated = changed(({ dsseEnvelope: { signatures } }) => {
      Object.assign(signatures[0] ?? {}, { cert })
    }, bundle)
    const harmless = decode(JSON.stringify(repeated))
    expect(harmless.ok && harmless.findings).toEqual([])
  })

  test('is not trusted beside a plain envelope, and the reason is not a missing root', async () => {
    const { signatures, ...rest } = bundle.dsseEnvelope
    const cert = bundle.verificationMaterial.certificate.rawBytes
    const plain = { ...rest, signatures: signatures.map((one) => ({ ...one, cert })) }
    const said = await signerOf(JSON.stringify(plain))
    expect(said).toMatch(/^not trusted: .*Keyless identities are only checked in Sigstore bundles/)
  })
})
