import { describe, expect, test } from 'vitest'
import { decode, type Decoded } from './decode.ts'
import { explain } from './explain.ts'
import { safeLink } from './decode/visible-text.ts'

/**
 * The rows of docs/attestations.md#variants that concern decoding, by their
 * numbers there. R: refused; W: shown with a warning; N: shown, a signature cannot be judged; V:
 * nothing stands in the way of verifying. Those about signatures and keys are verify's.
 */
const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')
const bytes64 = (...bytes: number[]) => Buffer.from(bytes).toString('base64')

const subject = [{ name: 'app', digest: { sha256: 'a'.repeat(64) } }]
const statement = {
  _type: 'https://in-toto.io/Statement/v1',
  subject,
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: { runDetails: { builder: { id: 'https://builder.example.com' } } },
}
const payloadType = 'application/vnd.in-toto+json'
const sig = bytes64(0x30, 0x06, 2, 1, 1, 2, 1, 1)
const signatures = [{ keyid: 'k', sig }]
const plain = { payloadType, payload: base64(statement), signatures }

const envelope = (changes: object) => JSON.stringify({ ...plain, ...changes })
const withPayload = (payload: string) => envelope({ payload })
const withStatement = (changes: object) => withPayload(base64({ ...statement, ...changes }))
const withSignature = (signature: unknown) => envelope({ signatures: [signature] })
const withSubject = (one: unknown) => withStatement({ subject: [one] })
const text = JSON.stringify(plain)
const json = JSON.stringify(statement)
/** Base64 that has both characters in which the alphabets differ. */
const telling = base64({ ...statement, predicate: { note: '????>>>>~~~~' } })

type Outcome = 'R' | 'W' | 'N' | 'V'
type Row = readonly [number, string, string | Uint8Array, Outcome, string?, object?]

const rows: readonly Row[] = [
  [1, 'nothing', '', 'R', 'empty'],
  [1, 'blanks only', ' \n\t', 'R', 'empty'],
  [2, 'a byte order mark before it', `\uFEFF${text}`, 'W', 'byte-order-mark'],
  [2, 'bytes with a mark', Buffer.from(`\uFEFF${text}`), 'W', 'byte-order-mark'],
  [2, 'UTF-16 with a mark', Buffer.from(`\uFEFF${text}`, 'utf16le'), 'W', 'byte-order-mark'],
  [
    2,
    'UTF-16 with the high byte first',
    Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
    'W',
    'byte-order-mark',
  ],
  [2, 'blanks before it', `\n  ${text}`, 'V', 'leading-blanks'],
  [3, 'cut', text.slice(0, -20), 'R', 'cut', { line: 1, column: text.length - 19 }],
  [3, 'cut in its third line', '{\n "payload":\n  "abc', 'R', 'cut', { line: 3, column: 7 }],
  [4, 'text behind it', `${text} }`, 'R', 'trailing-text', { offset: text.length + 1 }],
  [4, 'a second one in its line', `${text}${text}`, 'R', 'trailing-text', { offset: text.length }],
  [5, 'a bad line among lines', `${text}\n{bad}\n${text}`, 'W', 'bad-line', { line: 2 }],
  [6, 'an array', `[${text},${text}]`, 'V'],
  [7, 'two payloads', `{"payload":"e30=",${text.slice(1)}`, 'R', 'duplicate-field', { line: 1 }],
  [
    7,
    'two payloads, one escaped',
    `{"pay\\u006coad":"e30=",${text.slice(1)}`,
    'R',
    'duplicate-field',
  ],
  [
    8,
    'two predicate types',
    withPayload(base64(`{"predicateType":"x",${json.slice(1)}`)),
    'W',
    'payload-duplicate-key',
    { in: 'payload' },
  ],
  [
    9,
    '__proto__ as a key',
    withPayload(base64(`{"__proto__":{"admin":true},${json.slice(1)}`)),
    'W',
    'payload-special-key',
  ],
  [10, 'no payload type', envelope({ payloadType: undefined }), 'R', 'payload-type-missing'],
  [10, 'a number as payload type', envelope({ payloadType: 1 }), 'R', 'payload-type-missing'],
  [11, 'no payload', envelope({ payload: undefined }), 'R', 'payload-missing'],
  [12, 'no signatures', envelope({ signatures: undefined }), 'W', 'signatures-missing'],
  [12, 'an empty list of signatures', envelope({ signatures: [] }), 'W', 'unsigned'],
  [13, 'a signature without fields', withSignature({}), 'N', 'signature-without-value'],
  [14, 'signatures that are no list', envelope({ signatures: {} }), 'R', 'signatures-not-list'],
  [15, 'an object as payload', envelope({ payload: statement }), 'N', 'payload-is-object'],
  [16, 'a number as payload', envelope({ payload: 7 }), 'R', 'payload-not-text'],
  [16, 'null as payload', envelope({ payload: null }), 'R', 'payload-not-text'],
  [17, 'fields beyond the standard', envelope({ attachments: [] }), 'V', 'extra-fields'],
  [18, 'no key id', withSignature({ sig }), 'V'],
  [18, 'null as key id', withSignature({ sig, keyid: null }), 'V'],
  [18, 'an empty key id', withSignature({ sig, keyid: '' }), 'V'],
  [20, 'a huge key id', withSignature({ sig, keyid: 'x'.repeat(1e6) }), 'W', 'keyid-unusual'],
  [
    20,
    'a key id that turns around',
    withSignature({ sig, keyid: 'a\u202Eb' }),
    'W',
    'keyid-unusual',
  ],
  [
    21,
    'a payload that is no base64',
    withPayload('e30*'),
    'R',
    'payload-not-base64',
    { column: text.indexOf('payload":"') + 14 },
  ],
  [
    22,
    'the URL-safe alphabet',
    withPayload(telling.replace(/\+/g, '-').replace(/\//g, '_')),
    'V',
    'payload-base64-unusual',
  ],
  [23, 'both alphabets', withPayload(telling.replace(/\//g, '_')), 'W', 'payload-base64-unusual'],
  [24, 'no padding', withPayload(base64('{}').replace(/=+$/, '')), 'W', 'payload-base64-unusual'],
  [25, 'too much padding', withPayload('e30=='), 'R', 'payload-not-base64'],
  [25, 'padding in the middle', withPayload('e3=0e30='), 'R', 'payload-not-base64'],
  [26, 'line breaks inside', withPayload('e\n3\r\n0='), 'W', 'payload-base64-unusual'],
  [27, 'bits behind the last byte', withPayload('e31='), 'W', 'payload-base64-unusual'],
  [28, 'an empty payload', withPayload(''), 'V', 'payload-empty'],
  [29, 'an empty signature', withSignature({ sig: '' }), 'N', 'signature-without-value'],
  [
    30,
    'a signature that is no base64',
    withSignature({ sig: 'no base64!' }),
    'N',
    'signature-not-base64',
  ],
  [
    31,
    'a signature in base64 twice',
    withSignature({ sig: base64(Buffer.alloc(72, 0x30).toString('base64')) }),
    'W',
    'signature-twice-base64',
  ],
  [
    32,
    'a signature in hexadecimal',
    withSignature({ sig: '30'.repeat(72) }),
    'W',
    'signature-looks-hexadecimal',
  ],
  [
    50,
    'a bundle without a certificate',
    JSON.stringify({
      mediaType: 'x',
      verificationMaterial: { x509CertificateChain: { certificates: [] } },
      dsseEnvelope: plain,
    }),
    'W',
    'bundle-without-certificate',
  ],
  [
    52,
    'a byte that is no UTF-8',
    withPayload(bytes64(0x7b, 0xff, 0x7d)),
    'V',
    'payload-not-utf8',
    { in: 'payload', unit: 'byte', offset: 1 },
  ],
  [
    52,
    'an overlong form',
    withPayload(bytes64(0x22, 0xc0, 0x80, 0x22)),
    'V',
    'payload-not-utf8',
    { offset: 1 },
  ],
  [
    52,
    'half a surrogate pair',
    withPayload(bytes64(0x22, 0x61, 0xed, 0xa0, 0x80, 0x22)),
    'V',
    'payload-not-utf8',
    { offset: 2 },
  ],
  [
    52,
    'a cut character',
    withPayload(bytes64(0x22, 0xe2, 0x82)),
    'V',
    'payload-not-utf8',
    { offset: 1 },
  ],
  [
    53,
    'a payload that is no JSON',
    withPayload(base64('hello world')),
    'W',
    'payload-not-json',
    { in: 'payload', line: 1, column: 1 },
  ],
  [54, 'an array', withPayload(base64([1])), 'W', 'not-a-statement'],
  [54, 'a string', withPayload(base64('"text"')), 'W', 'not-a-statement'],
  [54, 'a number', withPayload(base64(12)), 'W', 'not-a-statement'],
  [54, 'an object of another kind', withPayload(base64({ steps: {} })), 'W', 'not-a-statement'],
  [
    55,
    'an unknown type of statement',
    withStatement({ _type: 'https://in-toto.io/StatementA/v1' }),
    'W',
    'statement-type-unknown',
  ],
  [
    56,
    'fields in snake case',
    withPayload(base64({ type: statement._type, subject, predicate_type: 'x', predicate: {} })),
    'W',
    'statement-snake-case',
  ],
  [
    56,
    'a predicate type in two spellings',
    withStatement({ predicate_type: 'https://slsa.dev/provenance/v1' }),
    'W',
    'statement-snake-case',
  ],
  [57, 'no subject', withStatement({ subject: undefined }), 'W', 'subject-missing'],
  [57, 'an empty list of subjects', withStatement({ subject: [] }), 'W', 'subject-missing'],
  [58, 'a subject without digest', withSubject({ name: 'a' }), 'W', 'digest-missing'],
  [
    58,
    'a digest that is text',
    withSubject({ name: 'a', digest: 'sha256:abc' }),
    'W',
    'digest-missing',
  ],
  [
    58,
    'a digest in upper case',
    withSubject({ name: 'a', digest: { sha256: 'A'.repeat(64) } }),
    'W',
    'digest-unusual',
  ],
  [
    58,
    'a digest of the wrong length',
    withSubject({ name: 'a', digest: { sha256: 'abc123' } }),
    'W',
    'digest-unusual',
  ],
  [
    58,
    'an unknown algorithm',
    withSubject({ name: 'a', digest: { foo: 'bar' } }),
    'W',
    'digest-unusual',
  ],
  [
    58,
    'only an MD5 digest,',
    withSubject({ name: 'a', digest: { md5: 'a'.repeat(32) } }),
    'W',
    'digest-unusual',
  ],
  [
    58,
    'md5 beside another',
    withSubject({ name: 'a', digest: { md5: 'a'.repeat(32), sha256: 'a'.repeat(64) } }),
    'V',
  ],
  [58, 'a subject that is no object', withSubject('app'), 'W', 'subject-malformed'],
  [
    60,
    'a hundred thousand subjects',
    withStatement({ subject: Array.from({ length: 1e5 }, () => subject[0]) }),
    'V',
  ],
  [61, 'no predicate', withStatement({ predicate: undefined }), 'V', 'predicate-missing'],
  [61, 'null as predicate', withStatement({ predicate: null }), 'V', 'predicate-missing'],
  [
    64,
    'a payload nested deeply',
    withPayload(base64('['.repeat(1e5) + ']'.repeat(1e5))),
    'W',
    'payload-very-deep',
  ],
  [
    64,
    'a payload nested deeply and cut',
    withPayload(base64('['.repeat(1e5))),
    'W',
    'payload-not-json',
    { offset: 1e5 },
  ],
  [
    72,
    'a blank behind the type',
    withStatement({ predicateType: 'https://slsa.dev/provenance/v1 ' }),
    'W',
    'predicate-type-unknown',
  ],
  [
    72,
    'a host in upper case',
    withStatement({ predicateType: 'https://SLSA.dev/provenance/v1' }),
    'W',
    'predicate-type-unknown',
  ],
  [
    72,
    'a misspelt type',
    withStatement({ predicateType: 'https://slsa.dev/provenanc/v0.2' }),
    'W',
    'predicate-type-unknown',
  ],
  [74, 'blank lines and CRLF', `${text}\r\n\r\n${text}\r\n`, 'V'],
  [74, 'lines cut in the last one', `${text}\n${text.slice(0, 50)}`, 'W', 'cut', { line: 2 }],
  [
    74,
    'a problem among lines',
    `${text}\n{"type":"about:blank","title":"Not Found","status":404}\n${text}`,
    'W',
    'problem-answer',
    { line: 2 },
  ],
]

function outcomeOf(decoded: Decoded): Outcome {
  if (!decoded.ok) return 'R'
  const { envelope: found, findings, mistakes } = decoded
  const hasJudgeable = found?.signatures.every((signature) => signature.sig !== undefined)
  if (found?.unverifiable !== undefined || hasJudgeable === false) return 'N'
  const isWarned = findings.some(({ level }) => level === 'warning')
  return isWarned || mistakes.length > 0 ? 'W' : 'V'
}

describe('the malformed and hostile variants', () => {
  const table = rows.map(([number, name, input, outcome, code, place]) => {
    return { number, name, input, outcome, code, place }
  })

  test.each(table)('$number, $name', ({ input, outcome, code, place }) => {
    const decoded = decode(input)
    expect(outcomeOf(decoded)).toBe(outcome)
    const findings = [...decoded.mistakes, ...(decoded.ok ? decoded.findings : [])]
    const found = findings.find((finding) => finding.code === code)
    if (code === undefined) expect(findings).toEqual([])
    else expect(found?.message).toMatch(/[.…]$/)
    if (place) expect(found?.at).toMatchObject(place)
  })

  test('show a payload that is an object and say that it cannot be verified', () => {
    const decoded = decode(envelope({ payload: statement }))
    expect(decoded).toMatchObject({
      ok: true,
      statement: { predicateType: statement.predicateType },
    })
    expect(decoded.ok && decoded.envelope?.payload).toHaveLength(0)
  })

  test('leave no trace of a key that means something to JavaScript', () => {
    decode(withPayload(base64(`{"__proto__":{"admin":true},${json.slice(1)}`)))
    expect('admin' in {}).toBe(false)
  })

  test('name the nearest known type (72)', () => {
    const decoded = decode(withStatement({ predicateType: 'https://slsa.dev/provenanc/v0.2' }))
    if (!decoded.ok || decoded.content.kind !== 'json' || !decoded.statement)
      throw new Error('refused')
    const explained = explain(decoded.content.tree, decoded.statement)
    expect(explained.near?.type).toBe('https://slsa.dev/provenance/v0.2')
    expect(explained.isKnown).toBe(false)
  })

  test('show both values of a key that stands twice (8)', () => {
    const decoded = decode(withPayload(base64(`{"predicateType":"first",${json.slice(1)}`)))
    const found =
      decoded.ok && decoded.findings.find(({ code }) => code === 'payload-duplicate-key')
    expect(found && found.message).toContain(
      'first "first", then "https://slsa.dev/provenance/v1". The last one is shown',
    )
    const numbers = decode(withPayload(base64('{"a":7,"a":"7"}')))
    expect(numbers.ok && numbers.findings.map(({ message }) => message).join()).toContain(
      'first 7, then "7".',
    )
    expect(decoded).toMatchObject({ statement: { predicateType: statement.predicateType } })
  })

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//evil.example',
    'https://u:p@h.example',
  ])('make no link of %s (67)', (address) => {
    expect(safeLink(address)).toBeUndefined()
  })

  test('read the others of a list around a bad member (6)', () => {
    const decoded = decode(`[${text},{"payload":"e30="},7,${text}]`)
    expect(decoded.ok && decoded.items.length).toBe(2)
    expect(decoded.mistakes.map(({ code }) => code)).toEqual(['bad-item', 'bad-item'])
  })
})
