import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { decode, type DecodedSuccess } from './decode.ts'
import { explain } from './explain.ts'
import { subjectAt, subjectNodes } from './statement/subjects.ts'
import { realData } from '../real-data.test-support.ts'

const file = realData('envelopes/cases.jsonl')

const Case = z.object({
  id: z.string(),
  attestation: z.unknown(),
  isBundle: z.boolean(),
  expect: z.object({
    result: z.string(),
    payloadType: z.string(),
    statementType: z.string().nullable(),
    predicateType: z.string().nullable(),
    subjects: z.number().nullable(),
    digestAlgs: z.array(z.string()),
    payloadBytes: z.number().nullable(),
    quirks: z.array(z.string()),
    signatures: z.array(z.object({ keyid: z.string().nullable() })),
  }),
})
type Case = z.infer<typeof Case>

const cases = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => Case.parse(JSON.parse(line)))
  : []

/**
 * The collection's names of quirks and the finding that tells of each; the rest of its names are of
 * keys, algorithms and what was signed, which the verifying half answers for.
 */
const quirkWords: readonly [RegExp, RegExp | undefined][] = [
  [/^snake-case-statement/, /^statement-snake-case$/],
  [/^payloadType=/, /^payload-type-unusual$/],
  // One of them is text with a hyphen that is no base64 at all.
  [/^url-safe-base64-sig/, /^signature-(?:base64-unusual|not-base64)$/],
  [/^double-base64-sig/, /^signature-twice-base64$/],
  [/^digest-alg:|^digest-is-a-string/, undefined],
  [/^sig-extra-field:|^[23]-signatures$|^PEP740|^DSSE-extension/, undefined],
  [/^SSHSIG|^RSA-PSS|^ecdsa-raw|^curve\/hash|^signature-over-raw|^non-standard-PAE/, undefined],
]

function decoded({ attestation }: Case): DecodedSuccess {
  const result = decode(JSON.stringify(attestation))
  if (!result.ok) throw new Error(result.mistakes[0]?.message)
  return result
}

function subjectsOf({ content, statement }: DecodedSuccess) {
  if (content.kind !== 'json' || !statement) return []
  const nodes = subjectNodes(content.tree, statement)
  return Array.from(nodes, (node) => subjectAt(content.tree, node))
}

const readable = cases.filter(({ expect: { payloadBytes } }) => payloadBytes !== null)

describe.skipIf(cases.length === 0)('the collected envelopes', () => {
  test('are all there', () => {
    expect(cases).toHaveLength(170)
  })

  test('are refused with a place where the payload is no base64, and only there', () => {
    const unreadable = cases.filter(({ expect: { payloadBytes } }) => payloadBytes === null)
    expect(unreadable.map(({ expect: { result } }) => result)).toEqual(['malformed', 'malformed'])
    for (const { attestation } of unreadable) {
      const result = decode(JSON.stringify(attestation))
      expect(result).toMatchObject({
        ok: false,
        mistakes: [{ code: 'payload-not-base64', at: { in: 'input', line: 1, column: 13 } }],
      })
    }
  })

  test.each(readable.map((one) => [one.id, one] as const))('%s decodes as found', (_id, one) => {
    const result = decoded(one)
    const { expect: wanted } = one
    expect(result.items).toHaveLength(1)
    expect(result.mistakes).toEqual([])
    expect(result.envelope?.payloadType).toBe(wanted.payloadType)
    expect(result.payload).toHaveLength(wanted.payloadBytes ?? 0)
    expect(result.envelope?.signatures.map(({ keyid }) => keyid ?? '')).toEqual(
      wanted.signatures.map(({ keyid }) => keyid ?? ''),
    )
    const isJson = wanted.statementType !== '(not JSON)'
    expect(result.content.kind === 'json').toBe(isJson)
    const bare = (text: string | null) => text?.replace(/^\((?:type|predicate_type)\) /, '')
    expect(result.statement?._type).toBe(isJson ? bare(wanted.statementType) : undefined)
    expect(result.statement?.predicateType).toBe(bare(wanted.predicateType))
    const subjects = subjectsOf(result)
    expect(subjects).toHaveLength(wanted.subjects ?? 0)
    // The collection takes an algorithm named "999" for none.
    const algorithms = subjects
      .flatMap(({ digests }) => digests.map(({ algorithm }) => algorithm))
      .filter((algorithm) => algorithm !== '999')
    expect(new Set(algorithms)).toEqual(new Set(wanted.digestAlgs))
  })

  test.each(readable.map((one) => [one.id, one] as const))(
    '%s has its quirks named',
    (_id, one) => {
      const codes = decoded(one).findings.map(({ code }) => code)
      for (const quirk of one.expect.quirks) {
        const known = quirkWords.find(([pattern]) => pattern.test(quirk))
        expect(known, quirk).toBeDefined()
        const expected = known?.[1]
        if (expected)
          expect(
            codes.filter((code) => expected.test(code)),
            quirk,
          ).not.toEqual([])
      }
    },
  )

  test.each(readable.map((one) => [one.id, one] as const))('%s is explained', (_id, one) => {
    const { content, statement } = decoded(one)
    if (content.kind !== 'json' || !statement) return
    const { rows, lists, proves } = explain(content.tree, statement)
    expect(proves).toMatch(/\.$/)
    for (const row of rows) expect(row.value).not.toBe('')
    for (const list of lists) {
      for (let at = 0; at < list.length; at++) expect(list.at(at).value).not.toBe('')
    }
  })

  test('carry in bundles a certificate, a key or a hint of one', () => {
    const without = readable
      .filter(({ isBundle }) => isBundle)
      .map(decoded)
      .filter(({ envelope }) => {
        const isNamed = envelope?.publicKeyHint !== undefined || envelope?.publicKey !== undefined
        return envelope?.source === 'bundle' && envelope.certificates.length === 0 && !isNamed
      })
    expect(without).toEqual([])
  })
})
