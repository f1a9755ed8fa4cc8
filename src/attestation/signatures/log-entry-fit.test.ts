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

const rows: [string, unknown][] = [
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
