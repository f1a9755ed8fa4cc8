import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { decode } from './decode.ts'
import { describeAlgorithm } from './keys/key-algorithm.ts'
import { readKeys } from './keys/read-keys.ts'
import type { KeyIdForm, SignatureVerdict } from './signatures/signature-verdict.ts'
import { verify } from './verify.ts'
import { realData } from '../real-data.test-support.ts'

const file = realData('envelopes/cases.jsonl')

const Expected = z.object({
  keyid: z.string().nullable(),
  verdict: z.string(),
  alg: z.string().nullable(),
  keyDesc: z.string().nullable(),
  msg: z.string().nullable(),
  keyidForm: z.string().nullable(),
})
type Expected = z.infer<typeof Expected>

const Case = z.object({
  id: z.string(),
  attestation: z.unknown(),
  trustedKeysPem: z.array(z.string()),
  expect: z.object({ result: z.string(), signatures: z.array(Expected) }),
})

/**
 * The words of the collection and ours. It calls verified whatever a key verifies in any way; here
 * only the PAE counts, and the other ways are hints (docs/attestations.md#signature-hints).
 */
const verdictWords: readonly [RegExp, Pick<SignatureVerdict, 'verdict'>, string?][] = [
  [/^verified \| DSSEv1 PAE \| .*after second base64/, { verdict: 'mismatch' }, 'doubled-base64'],
  [/^verified \| DSSEv1 PAE/, { verdict: 'verified' }],
  [/^verified \| raw payload/, { verdict: 'mismatch' }, 'raw-payload'],
  [/^verified \| 'DSSEV1'/, { verdict: 'mismatch' }, 'dssev1-pae'],
  [/^signature mismatch: verifies only with payloadType/, { verdict: 'mismatch' }, 'payload-type'],
  [/^signature mismatch \(embedded key present\)/, { verdict: 'mismatch' }],
  [/^no key found/, { verdict: 'unknown-key' }],
  [/^empty sig/, { verdict: 'mismatch' }],
]

/** Its names of algorithms, as ours with the form of the signature. */
const algorithmWords: readonly [RegExp, RegExp][] = [
  [/ecdsa-sha256-der$/, /^ECDSA P-\d+ with SHA-256 DER$/],
  [/^ecdsa-sha384-der$/, /^ECDSA P-384 with SHA-384 DER$/],
  [/^ecdsa-sha256-p1363$/, /^ECDSA P-256 with SHA-256 P1363$/],
  [/^ed25519$/, /^Ed25519 plain$/],
  [/^rsa-pss-sha256$/, /^RSA-PSS with SHA-256 and a salt of (?:32|478) bytes plain$/],
  [/^rsa-pkcs1v15-sha256$/, /^RSA PKCS#1 v1.5 with SHA-256 plain$/],
  [/^sshsig\/rsa-sha2-512 ns=git$/, /^RSA PKCS#1 v1.5 with SHA-512 SSHSIG git$/],
  [/^sshsig\/ecdsa-sha2-nistp256 ns=git$/, /^ECDSA P-256 with SHA-256 SSHSIG git$/],
]

/** Its forms of key ids; of those it does not know, six are by the canonical JSON of PSS keys. */
const keyIdWords: Readonly<Record<string, readonly KeyIdForm[]>> = {
  '(absent)': ['absent'],
  '(empty)': ['absent'],
  unknown: ['none', 'securesystemslib'],
  'hex(sha256(PEM with trailing newline))': ['sha256-pem'],
  'hex(sha256(SPKI DER))': ['sha256-spki'],
  'SSH fingerprint SHA256:base64(sha256(ssh wire key))': ['ssh'],
  'SHA256:... (ssh/other)': ['ssh'],
  'securesystemslib canonical-JSON sha256': ['securesystemslib'],
  'OIDC identity::issuer': ['identity'],
}

describe.runIf(existsSync(file))('every signature of the collected envelopes', async () => {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const rows = await Promise.all(
    lines.map(async (line) => {
      const { id, attestation, trustedKeysPem, expect: expected } = Case.parse(JSON.parse(line))
      const decoded = decode(JSON.stringify(attestation))
      const { keys } = readKeys(trustedKeysPem, { origin: 'configuration' })
      const envelope = decoded.ok ? decoded.envelope : undefined
      const trusted = trustedKeysPem.length === 0 ? [] : keys
      const verdicts = envelope ? await verify(envelope, trusted) : []
      return { id, expected, verdicts }
    }),
  )

  test('is there', () => {
    expect(rows.length).toBe(170)
    expect(rows.flatMap(({ verdicts }) => verdicts).length).toBe(181)
  })

  test.each(rows)('$id: $expected.result', ({ expected, verdicts }) => {
    expect(verdicts.length).toBe(expected.signatures.length)
    for (const [at, signature] of expected.signatures.entries()) {
      const verdict = verdicts[at]
      if (!verdict) throw new Error(`no verdict on ${at}`)
      const words = `${signature.verdict} | ${signature.msg ?? ''} | ${signature.alg ?? ''}`
      const [, ours, hint] = verdictWords.find(([pattern]) => pattern.test(words)) ?? []
      expect(ours, words).toBeDefined()
      expect(verdict).toMatchObject(ours ?? {})
      if (hint !== undefined) expect(verdict.hints).toMatchObject([{ code: hint }])
      if (verdict.verdict === 'verified') expectProof(verdict, signature)
      else expect(verdict.proof).toBeUndefined()
    }
  })
})

function expectProof({ key, proof, keyIdForm }: SignatureVerdict, expected: Expected): void {
  if (!key || !proof) throw new Error('verified by nothing')
  const found = [proof.algorithm, proof.form, proof.namespace].filter(Boolean).join(' ')
  const [, words] = algorithmWords.find(([pattern]) => pattern.test(expected.alg ?? '')) ?? []
  expect(words, expected.alg ?? '').toBeDefined()
  expect(found).toMatch(words ?? /never/)
  expect(describeAlgorithm(key.algorithm).toLowerCase()).toBe(expected.keyDesc?.toLowerCase())
  expect(key.origin).toBe('configuration')
  if (expected.keyidForm !== null) expect(keyIdWords[expected.keyidForm]).toContain(keyIdForm)
}
