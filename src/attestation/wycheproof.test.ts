import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { bytesOfHex } from './decode/bytes.ts'
import { createKeyTrials } from './signatures/key-trials.ts'
import { readKeys } from './keys/read-keys.ts'
import { realData } from '../real-data.test-support.ts'

const vectors = realData('wycheproof/')

const File = z.object({
  testGroups: z.array(
    z.object({
      publicKeyPem: z.string(),
      publicKeyJwk: z.record(z.string(), z.unknown()).optional(),
      sha: z.string().optional(),
      tests: z.array(
        z.object({
          tcId: z.number(),
          comment: z.string(),
          flags: z.array(z.string()),
          msg: z.string(),
          sig: z.string(),
          result: z.enum(['valid', 'invalid', 'acceptable']),
        }),
      ),
    }),
  ),
})

interface Row {
  readonly file: string
  readonly count: number
  /** A JSON Web Key says for which algorithm it is; a PEM key does not, and is tried with all. */
  readonly keyFrom: 'publicKeyPem' | 'publicKeyJwk'
}

const rows: readonly Row[] = [
  { file: 'ecdsa_secp256r1_sha256_test.json', count: 484, keyFrom: 'publicKeyPem' },
  { file: 'ecdsa_secp256r1_sha256_p1363_test.json', count: 262, keyFrom: 'publicKeyPem' },
  { file: 'ecdsa_secp256r1_sha256_p1363_test.json', count: 262, keyFrom: 'publicKeyJwk' },
  { file: 'ed25519_test.json', count: 151, keyFrom: 'publicKeyPem' },
  { file: 'ed25519_test.json', count: 151, keyFrom: 'publicKeyJwk' },
  { file: 'rsa_pss_2048_sha256_mgf1_32_test.json', count: 108, keyFrom: 'publicKeyJwk' },
]

/** None of the four files calls a vector "acceptable"; one that did would have to be refused. */
describe.runIf(existsSync(vectors))('every vector of wycheproof is judged as it says', () => {
  test.each(rows)('$file by $keyFrom', async ({ file, count, keyFrom }) => {
    const judged = await judgeAll(file, keyFrom)
    expect(judged.length).toBe(count)
    expect(judged.filter(({ result, expected }) => result !== expected)).toEqual([])
  })

  test('an RSA key that names no algorithm also takes the longest salt and PKCS#1, and says which other salts it was', async () => {
    const judged = await judgeAll('rsa_pss_2048_sha256_mgf1_32_test.json', 'publicKeyPem')
    const different = judged.filter(({ result, expected }) => result !== expected)
    expect(different.map(({ comment, result }) => [comment, result])).toEqual([
      ...[0, 1, 20, 31, 33].map((salt) => [`s_len changed to ${salt}`, 'unsupported']),
      ['s_len changed to 222', 'verified'],
      ['PKCS #1 v1.5 signature with SHA-256', 'verified'],
    ])
  })
})

async function judgeAll(file: string, keyFrom: Row['keyFrom']) {
  const { testGroups } = File.parse(JSON.parse(readFileSync(new URL(file, vectors), 'utf8')))
  const judged = []
  for (const group of testGroups) {
    const [key] = readKeys(group[keyFrom] ?? group.publicKeyPem).keys
    if (!key) throw new Error(`no key: ${group.publicKeyPem}`)
    const { subtle } = crypto
    const trials = createKeyTrials({ subtle, limit: Infinity, signal: undefined })
    for (const { tcId, comment, flags, msg, sig, result: expected } of group.tests) {
      const [message, signature] = [bytesOfHex(msg), bytesOfHex(sig)]
      if (!message || !signature) throw new Error(`not hex: ${tcId}`)
      const { result } = await trials.tryKey(key, message, signature)
      judged.push({
        tcId,
        comment,
        flags,
        result,
        expected: expected === 'valid' ? 'verified' : 'mismatch',
      })
    }
  }
  return judged
}
