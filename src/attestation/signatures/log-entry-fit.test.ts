import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { decode } from '../decode.ts'
import type { Envelope, LogEntry } from '../decode/envelope.ts'
import { hexOf } from '../decode/bytes.ts'
import { logEntryFit } from './log-entry-fit.ts'
import { envelopeOf, paeOf } from '../signing.test-support.ts'
import { toBase64 } from '../decode/base64.ts'
import { realData } from '../../real-data.test-support.ts'

const { subtle } = crypto
const sig = new TextEncoder().encode('a signature')
const hashOf = async (data: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await subtle.digest('SHA-256', data))
const ofPayload = await hashOf(new TextEncoder().encode('{}'))
const ofPae = await hashOf(paeOf('{}'))
const envelope = envelopeOf('{}', [{ sig }])

function entry(body: unknown): LogEntry {
  return {
    logIndex: '1',
    logId: '',
    kind: '',
    version: '',
    integratedTime: undefined,
    canonicalizedBody: toBase64(new TextEncoder().encode(JSON.stringify(body))),
  }
}

const rows: [string, object][] = [
  [
    'dsse 0.0.1',
    { payloadHash: { value: hexOf(ofPayload) }, signatures: [{ signature: toBase64(sig) }] },
  ],
  [
    'dsse 0.0.2',
    {
      dsseV002: {
        payloadHash: { digest: toBase64(ofPayload) },
        signatures: [{ content: toBase64(sig) }],
      },
    },
  ],
  [
    'intoto 0.0.2',
    {
      content: {
        payloadHash: { value: hexOf(ofPayload) },
        envelope: { signatures: [{ sig: toBase64(new TextEncoder().encode(toBase64(sig))) }] },
      },
    },
  ],
  [
    'hashedrekord 0.0.1',
    { data: { hash: { value: hexOf(ofPae) } }, signature: { content: toBase64(sig) } },
  ],
  [
    'hashedrekord 0.0.2',
    {
      hashedRekordV002: {
        data: { digest: toBase64(ofPae) },
        signature: { content: toBase64(sig) },
      },
    },
  ],
]

test.each(rows)(
  '%s distinguishes an entry of this envelope from that of another',
  async (_, spec) => {
    const fit = (other: Envelope) => logEntryFit(entry({ spec }), other, subtle)
    expect(await fit(envelope)).toBe('fits')
    expect(await fit(envelopeOf('{ }', [{ sig }]))).toBe('other-payload')
    expect(await fit(envelopeOf('{}', [{ sig: sig.slice(1) }]))).toBe('other-signature')
    expect(await fit(envelopeOf('{}', [{ sig }, {}]))).toBe('other-signature')
    expect(await fit(envelopeOf('{}', []))).toBe('other-signature')
  },
)

/** The body with whatever stands at the end of each path put in another's place. */
function changed(
  body: unknown,
  change: (leaf: string, name: string) => unknown,
  name = '',
): unknown {
  if (typeof body === 'string') return change(body, name)
  if (Array.isArray(body)) {
    const items: readonly unknown[] = body
    return items.map((item) => changed(item, change, name))
  }
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key, changed(value, change, key)]),
  )
}
const isHash = (name: string) => name === 'value' || name === 'digest'

test.each(rows)(
  '%s without a hash or a signature that can be read is unreadable',
  async (_, spec) => {
    const fit = (change: (leaf: string, name: string) => unknown) =>
      logEntryFit(entry({ spec: changed(spec, change) }), envelope, subtle)
    for (const wrong of ['', '%', 7, null, {}]) {
      expect(await fit((leaf, name) => (isHash(name) ? wrong : leaf))).toBe('unreadable')
      expect(await fit((leaf, name) => (isHash(name) ? leaf : wrong))).toBe('unreadable')
    }
    expect(await fit((leaf) => leaf)).toBe('fits')
  },
)

test.each(rows.filter(([, spec]) => JSON.stringify(spec).includes('signatures')))(
  '%s may have more signatures than the envelope, and ones that cannot be read',
  async (_, spec) => {
    const other = new TextEncoder().encode('another signature')
    const of = (signatures: (item: unknown) => unknown) => {
      const all = (value: unknown): unknown => {
        if (typeof value !== 'object' || value === null) return value
        return Object.fromEntries(
          Object.entries(value).map(([key, inner]: [string, unknown]) => [
            key,
            key === 'signatures' && Array.isArray(inner) ? signatures(inner[0]) : all(inner),
          ]),
        )
      }
      return entry({ spec: all(spec) })
    }
    const both = envelopeOf('{}', [{ sig }, { sig: other }])
    const second = (item: unknown) =>
      changed(item, (leaf) => {
        const [first, another] = [toBase64(sig), toBase64(other)]
        const twice = (text: string) => toBase64(new TextEncoder().encode(text))
        return leaf === first ? another : twice(another)
      })
    const two = of((item) => [7, item, {}, second(item)])
    expect(await logEntryFit(two, envelope, subtle)).toBe('fits')
    expect(await logEntryFit(two, both, subtle)).toBe('fits')
    expect(
      await logEntryFit(
        of((item) => [item]),
        both,
        subtle,
      ),
    ).toBe('other-signature')
    expect(
      await logEntryFit(
        of(() => []),
        envelope,
        subtle,
      ),
    ).toBe('unreadable')
    expect(
      await logEntryFit(
        of(() => ({ 0: 1 })),
        envelope,
        subtle,
      ),
    ).toBe('unreadable')
  },
)

test('an entry that says of itself more than one kind is read as the newest', async () => {
  const [first, dsse2, , , hashed2] = rows.map(([, spec]) => spec)
  const fit = (kind: object | undefined, more: object) =>
    logEntryFit(entry({ spec: { ...kind, ...more } }), envelope, subtle)
  expect(await fit(first, { dsseV002: {} })).toBe('unreadable')
  expect(await fit(dsse2, { hashedRekordV002: {}, content: {}, payloadHash: {} })).toBe('fits')
  expect(await fit(hashed2, { content: {}, payloadHash: {} })).toBe('fits')
  expect(await fit(first, { content: {} })).toBe('unreadable')
})

test('intoto 0.0.1 kept hashes alone, so that only the payload can be compared', async () => {
  const logged = entry({ spec: { content: { payloadHash: { value: hexOf(ofPayload) } } } })
  expect(await logEntryFit(logged, envelope, subtle)).toBe('payload-only')
  const other = envelopeOf('{ }', [{ sig }])
  expect(await logEntryFit(logged, other, subtle)).toBe('other-payload')
})

test('what is no entry of a known kind is unreadable', async () => {
  for (const body of [undefined, null, 7, {}, { spec: { content: {} } }, { spec: { data: [] } }]) {
    expect(await logEntryFit(entry(body ?? ''), envelope, subtle)).toBe('unreadable')
  }
  for (const body of [null, { spec: null }, { spec: { content: null } }, { spec: [] }]) {
    expect(await logEntryFit(entry(body), envelope, subtle)).toBe('unreadable')
  }
  const spoiled = { ...entry({}), canonicalizedBody: '%' }
  expect(await logEntryFit(spoiled, envelope, subtle)).toBe('unreadable')
})

const cases = realData('envelopes/cases.jsonl')

test.runIf(existsSync(cases))('the entries of verified real bundles fit them', async () => {
  const Case = z.object({
    attestation: z.unknown(),
    expect: z.object({ result: z.string(), quirks: z.array(z.string()) }),
  })
  let count = 0
  for (const line of readFileSync(cases, 'utf8').trim().split('\n')) {
    const { attestation, expect: expected } = Case.parse(JSON.parse(line))
    const decoded = decode(JSON.stringify(attestation))
    if (!decoded.ok || !decoded.envelope || expected.result !== 'verified') continue
    if (expected.quirks.some((quirk) => quirk.startsWith('double-base64'))) continue
    for (const logged of decoded.envelope.logEntries) {
      expect(await logEntryFit(logged, decoded.envelope, subtle)).toBe('fits')
      count += 1
    }
  }
  expect(count).toBeGreaterThan(30)
})

test.each([
  ['sha384', 'SHA2_384', 'SHA-384'],
  ['sha512', 'SHA2_512', 'SHA-512'],
])('an entry with a hash of %s is compared in that', async (ofRekor1, ofRekor2, name) => {
  const digest = new Uint8Array(await subtle.digest(name, paeOf('{}')))
  const content = toBase64(sig)
  const entries = (bytes: Uint8Array, names = [ofRekor1, ofRekor2]) => [
    {
      data: { hash: { algorithm: names[0], value: hexOf(bytes) } },
      signature: { content },
    },
    {
      hashedRekordV002: {
        data: { algorithm: names[1], digest: toBase64(bytes) },
        signature: { content },
      },
    },
  ]
  for (const spec of entries(digest)) {
    expect(await logEntryFit(entry({ spec }), envelope, subtle)).toBe('fits')
  }
  for (const spec of entries(digest.toReversed())) {
    expect(await logEntryFit(entry({ spec }), envelope, subtle)).toBe('other-payload')
  }
  for (const spec of entries(digest, ['md5', 'SHA3_512'])) {
    expect(await logEntryFit(entry({ spec }), envelope, subtle)).toBe('unreadable')
  }
})
