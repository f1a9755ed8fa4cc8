import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decode } from './decode.ts'
import { verify } from './verify.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const statement = JSON.stringify({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'app', digest: { sha256: 'a'.repeat(64) } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {},
})
const signature = { keyid: 'k', sig: 'MAYCAQECAQE=' }
const envelope = {
  payloadType: 'application/vnd.in-toto+json',
  payload: base64(statement),
  signatures: [signature],
}
const text = JSON.stringify(envelope)
const certificate = { rawBytes: 'MIIB' }
const logEntry = {
  logIndex: '7',
  logId: { keyId: 'wNI9' },
  kindVersion: { kind: 'dsse', version: '0.0.1' },
  integratedTime: '1718048845',
  canonicalizedBody: 'e30=',
}

function decoded(input: string) {
  const result = decode(input)
  if (!result.ok) throw new Error(result.mistakes[0]?.message)
  return result
}
const codesOf = (input: string | Uint8Array) => {
  const result = decode(input)
  return result.ok
    ? result.findings.map(({ code }) => code)
    : result.mistakes.map(({ code }) => code)
}

describe('decode', () => {
  test('gives the bytes that were signed, their base64 and the signatures as written', () => {
    const result = decoded(text)
    expect(Buffer.from(result.payload).toString()).toBe(statement)
    expect(result.envelope).toMatchObject({
      source: 'envelope',
      payloadType: envelope.payloadType,
      signatures: [{ index: 0, keyid: 'k', sigText: signature.sig, mistake: undefined }],
      unverifiable: undefined,
    })
    expect(result.envelope?.signatures[0]?.sig).toEqual(new Uint8Array([48, 6, 2, 1, 1, 2, 1, 1]))
    expect(result.statement).toMatchObject({ version: 'v1', subjectCount: 1 })
    expect(result.findings).toEqual([])
  })

  test.each([
    [
      '0.1',
      { x509CertificateChain: { certificates: [certificate, { rawBytes: 'MIIC' }] } },
      ['MIIB', 'MIIC'],
    ],
    ['0.2', { x509CertificateChain: { certificates: [certificate] } }, ['MIIB']],
    ['0.3', { certificate }, ['MIIB']],
  ])('reads a Sigstore bundle of version %s', (version, material, certificates) => {
    const mediaType = `application/vnd.dev.sigstore.bundle+json;version=${version}`
    const verificationMaterial = {
      ...material,
      tlogEntries: [logEntry],
      timestampVerificationData: { rfc3161Timestamps: [{ signedTimestamp: 'MIIE' }] },
    }
    const bundle = { mediaType, verificationMaterial, dsseEnvelope: envelope }
    expect(decoded(JSON.stringify(bundle))).toMatchObject({
      layout: 'bundle',
      envelope: {
        source: 'bundle',
        mediaType,
        certificates,
        timestamps: ['MIIE'],
        logEntries: [{ logIndex: '7', logId: 'wNI9', kind: 'dsse', integratedTime: '1718048845' }],
      },
    })
  })

  test('keeps the hint and the key of a bundle, also in snake case', () => {
    const bundle = {
      media_type: 'x',
      verification_material: { public_key: { hint: 'SHA256:abc', raw_bytes: 'MFkw' } },
      dsse_envelope: envelope,
    }
    expect(decoded(JSON.stringify(bundle)).envelope).toMatchObject({
      publicKeyHint: 'SHA256:abc',
      publicKey: 'MFkw',
    })
  })

  test('reads the log entries and times of a bundle alike in both spellings, and numbers as texts', () => {
    const body = base64('{}')
    const camel = {
      tlogEntries: [
        {
          ...{
            logIndex: 7,
            logId: { keyId: 'a' },
            kindVersion: { kind: 'dsse', version: '0.0.1' },
          },
          ...{ integratedTime: '1', canonicalizedBody: body },
          inclusionPromise: { signedEntryTimestamp: 'MIIE' },
          inclusionProof: { logIndex: 1, treeSize: '2', rootHash: 'b', hashes: ['c', 1] },
        },
      ],
      timestampVerificationData: { rfc3161Timestamps: [{ signedTimestamp: 'MIIE' }, {}] },
    }
    const snake = {
      tlog_entries: [
        {
          ...{
            log_index: 7,
            log_id: { key_id: 'a' },
            integrated_time: '1',
            canonicalized_body: body,
          },
          ...{ kind_version: { kind: 'dsse', version: '0.0.1' } },
          inclusion_promise: { signed_entry_timestamp: 'MIIE' },
          inclusion_proof: { log_index: 1, tree_size: '2', root_hash: 'b', hashes: ['c', 1] },
        },
      ],
      timestamp_verification_data: { rfc3161_timestamps: [{ signed_timestamp: 'MIIE' }, {}] },
    }
    const [one, other] = [camel, snake].map(
      (material) =>
        decoded(JSON.stringify({ verificationMaterial: material, dsseEnvelope: envelope }))
          .envelope,
    )
    expect(one).toMatchObject({
      timestamps: ['MIIE'],
      logEntries: [
        {
          ...{ logIndex: '7', logId: 'a', kind: 'dsse', version: '0.0.1', promise: 'MIIE' },
          proof: { logIndex: '1', treeSize: '2', rootHash: 'b', hashes: ['c'] },
        },
      ],
    })
    expect(other).toEqual(one)
    const bare = { verificationMaterial: { tlogEntries: [{}] }, dsseEnvelope: envelope }
    expect(decoded(JSON.stringify(bare)).envelope?.logEntries).toMatchObject([
      { logIndex: '', logId: '', kind: '', version: '', canonicalizedBody: '', proof: undefined },
    ])
  })

  const fileSignature = {
    messageDigest: { algorithm: 'SHA2_256', digest: 'AAAA' },
    signature: 'AA',
  }
  test.each([
    ['messageSignature', { messageSignature: fileSignature }],
    ['message_signature', { message_signature: fileSignature }],
    ['an empty messageSignature', { messageSignature: {} }],
  ])('refuses a bundle that has an envelope and %s, and shows nothing of it', (_what, second) => {
    const bundle = { verificationMaterial: { certificate }, ...second, dsseEnvelope: envelope }
    for (const input of [bundle, { attestations: [{ bundle }] }]) {
      const result = decode(JSON.stringify(input))
      expect(result).toMatchObject({ ok: false, mistakes: [{ code: 'bundle-two-contents' }] })
      expect(result.mistakes[0]?.message).toMatch(/"dsseEnvelope".*"messageSignature".*Only one/)
      expect(result.mistakes[0]?.at).toBeDefined()
    }
    const lines = decode(`${JSON.stringify(bundle)}\n${text}`)
    expect(lines).toMatchObject({ ok: true, layout: 'envelope', mistakes: [{ code: 'bad-line' }] })
  })

  test('takes null in a bundle for what is not there, as protobuf does', () => {
    const bundle = {
      verificationMaterial: { certificate, publicKey: null, x509CertificateChain: null },
      messageSignature: null,
      dsseEnvelope: envelope,
    }
    expect(decoded(JSON.stringify(bundle))).toMatchObject({ layout: 'bundle', findings: [] })
    const other = { ...bundle, messageSignature: fileSignature, dsseEnvelope: null }
    expect(decode(JSON.stringify(other))).toMatchObject({
      ok: false,
      mistakes: [{ code: 'wrong-paste', message: expect.stringMatching(/signs a file/) as string }],
    })
  })

  test('warns of a bundle that names its signer in more ways than one', () => {
    const verificationMaterial = {
      certificate,
      x509_certificate_chain: { certificates: [{ rawBytes: 'MIIC' }] },
    }
    const result = decoded(JSON.stringify({ verificationMaterial, dsseEnvelope: envelope }))
    expect(result.findings).toMatchObject([{ code: 'bundle-several-signers', level: 'warning' }])
    expect(result.findings[0]?.message).toMatch(/"certificate" and "x509CertificateChain"/)
    const twice = `{"verificationMaterial":{"certificate":{"rawBytes":"MIIB"}},"dsseEnvelope":${text},"verificationMaterial":{}}`
    expect(decode(twice)).toMatchObject({ ok: false, mistakes: [{ code: 'duplicate-field' }] })
  })

  test.each([
    '{"certificate":{"rawBytes":"MIIB"},"certificate":{"rawBytes":"MIIC"}}',
    '{"certificate":{"rawBytes":"MIIB","rawBytes":"MIIC"}}',
    '{"x509CertificateChain":{"certificates":[{"rawBytes":"MIIB","raw_bytes":"MIIC"}]}}',
    '{"publicKey":{"hint":"a","hint":"b"}}',
  ])('refuses a bundle that has a part of its material twice: %s', (material) => {
    const text = `{"verificationMaterial":${material},"dsseEnvelope":${JSON.stringify(envelope)}}`
    expect(decode(text)).toMatchObject({ ok: false, mistakes: [{ code: 'duplicate-field' }] })
  })

  test.each([
    ['{"sig":"MAYCAQECAQE=","sig":"MAYCAQECAQI="}', 'duplicate-field'],
    ['{"sig":"MAYCAQECAQE=","cert":"MIIB","cert":"MIIC"}', 'duplicate-field'],
    ['{"sig":{"a":1}}', 'signature-not-base64'],
    ['{"sig":["MAYCAQECAQE="]}', 'signature-not-base64'],
  ])('takes the signature %s for unreadable, not for none', async (signature, code) => {
    const { payload, payloadType } = envelope
    const text = JSON.stringify({ payloadType, payload, signatures: 0 })
    const result = decoded(text.replace('"signatures":0', `"signatures":[${signature}]`))
    expect(result.findings.map((one) => one.code)).toContain(code)
    const [verdict] = result.envelope ? await verify(result.envelope, []) : []
    expect(verdict?.verdict).not.toMatch(/verified|unsigned/)
    expect(verdict?.reason).toMatch(/Duplicate field|isn't text/)
  })

  test('refuses half a character in the payload type, which would be signed as another', () => {
    const text = JSON.stringify({ ...envelope, payloadType: 'application/\ud800' })
    expect(decode(text)).toMatchObject({ ok: false, mistakes: [{ code: 'payload-type-missing' }] })
    const whole = JSON.stringify({ ...envelope, payloadType: 'application/\ud83d\ude00' })
    expect(decode(whole).ok).toBe(true)
  })

  test.each([
    ['a hint', { hint: 'release-key' }],
    ['its bytes', { rawBytes: 'MIIB' }],
  ])('takes a bundle that names its key by %s for whole', (_what, publicKey) => {
    const bundle = { verificationMaterial: { publicKey }, dsseEnvelope: envelope }
    expect(decoded(JSON.stringify(bundle)).findings).toEqual([])
  })

  test.each([
    ['application/vnd.dev.sigstore.bundle+json;version=0.1', 0],
    ['application/vnd.dev.sigstore.bundle+json;version=0.3', 0],
    ['application/vnd.dev.sigstore.bundle.v0.3+json', 0],
    ['application/vnd.dev.sigstore.bundle.v0.4+json', 1],
    ['application/vnd.dev.sigstore.bundle+json;version=9', 1],
    ['text/plain', 1],
  ])('says of a bundle of version %s whether it is unknown', (mediaType, count) => {
    const bundle = { mediaType, verificationMaterial: { certificate }, dsseEnvelope: envelope }
    const { findings } = decoded(JSON.stringify(bundle))
    expect(findings.map(({ code }) => code)).toEqual(['bundle-version-unknown'].slice(0, count))
  })

  test('warns of a bundle with several signatures', () => {
    const [one] = envelope.signatures
    const dsseEnvelope = { ...envelope, signatures: [one, { ...one, keyid: 'other' }] }
    const bundle = { verificationMaterial: { certificate }, dsseEnvelope }
    const { findings } = decoded(JSON.stringify(bundle))
    expect(findings).toMatchObject([{ code: 'bundle-signature-count', level: 'warning' }])
    expect(findings[0]?.message).toContain('has 2 signatures')
  })

  test('reads an envelope in snake case as it is meant, and says that it is unusual', () => {
    const { payloadType, ...rest } = envelope
    const snake = { payload_type: payloadType, ...rest }
    const bundle = { verification_material: { certificate: { raw_bytes: 'MIIB' } } }
    for (const input of [snake, { ...bundle, dsse_envelope: snake }]) {
      const result = decoded(JSON.stringify(input))
      expect(result.envelope).toMatchObject({ payloadType, extraFields: [] })
      expect(result.findings).toMatchObject([{ code: 'envelope-snake-case', level: 'warning' }])
    }
  })

  test.each([
    ['a payload type', { ...envelope, payload_type: 'text/plain' }],
    ['an envelope', { dsseEnvelope: envelope, dsse_envelope: envelope }],
  ])('refuses %s in two spellings, as programs differ on which one counts', (_what, input) => {
    const result = decode(JSON.stringify(input))
    expect(result).toMatchObject({ ok: false, mistakes: [{ code: 'duplicate-field' }] })
    expect(result.mistakes[0]?.message).toMatch(/two spellings/)
  })

  test('reads the object of PEP 740', () => {
    const object = {
      version: 1,
      verification_material: { certificate: 'MIIB', transparency_entries: [logEntry] },
      envelope: { statement: base64(statement), signature: signature.sig },
    }
    expect(decoded(JSON.stringify(object))).toMatchObject({
      layout: 'pep740',
      envelope: {
        payloadType: 'application/vnd.in-toto+json',
        certificates: ['MIIB'],
        signatures: [{ keyid: undefined, sigText: signature.sig }],
      },
      statement: { predicateType: 'https://slsa.dev/provenance/v1' },
    })
  })

  test('refuses an object of PEP 740 whose statement or signature is there twice, or no base64', () => {
    const inner = `"statement":"${base64(statement)}","signature":"${signature.sig}"`
    const object = (fields: string) => decode(`{"version":1,"envelope":{${fields}}}`)
    expect(object(inner)).toMatchObject({ ok: true })
    for (const twice of ['"signature":"AA"', '"statement":"e30="']) {
      expect(object(`${twice},${inner}`).mistakes).toMatchObject([{ code: 'duplicate-field' }])
    }
    expect(object('"statement":"!","signature":"AA"')).toMatchObject({ ok: false })
    expect(object(`"statement":"${base64(statement)}"`)).toMatchObject({ ok: true })
  })

  test.each([
    ['curly quotes', text.replace(/"/g, '\u201c')],
    ['quotes of both kinds', text.replace(/"/, '\u201c')],
    ['lines wrapped inside its strings', text.replace(/(.{30})/g, '$1\r\n')],
  ])('reads an envelope with %s, and says what was undone', (_, input) => {
    expect(decoded(input)).toMatchObject({ layout: 'envelope' })
    expect(codesOf(input)).toContain('repaired')
  })

  test('reads nothing where undoing curly quotes finds nothing', () => {
    expect(decode('{\u201ca\u201d: 1}')).toMatchObject({ ok: false })
  })

  test('reads a statement alone and says that nothing vouches for it', () => {
    const result = decoded(statement)
    expect(result).toMatchObject({ layout: 'statement', envelope: undefined })
    expect(result.statement?.subjectCount).toBe(1)
    expect(codesOf(statement)).toContain('no-signature-possible')
  })

  test.each([
    ['alone', base64(statement)],
    ['in quotes', `"${base64(statement)}"`],
    ['with line breaks', base64(statement).replace(/.{20}/g, '$&\n')],
    ['in the URL-safe alphabet', Buffer.from(statement).toString('base64url')],
  ])('reads a payload %s', (_how, input) => {
    const result = decoded(input)
    expect(result).toMatchObject({ layout: 'payload', envelope: undefined })
    expect(Buffer.from(result.payload).toString()).toBe(statement)
  })

  test('reads several payloads, a line of base64 for each', () => {
    const other = base64(statement.replace('app', 'other'))
    const lines = decoded(`${base64(statement)}\r\n\n${other}\n${base64(text)}\n`)
    expect(lines.items.map(({ layout }) => layout)).toEqual(['payload', 'payload', 'envelope'])
    expect(codesOf(`${other}\n${other}`)).toContain('wrapped-in-base64')
    const noEnvelope = decode(`${other}\n${base64('{"a":1}')}`)
    expect(noEnvelope).toMatchObject({ ok: true, mistakes: [{ code: 'no-envelope' }] })
  })

  test('shows the statement of a PEP 740 object that has it as an object, and judges nothing', () => {
    const inner = { statement: JSON.parse(statement) as unknown, signature: signature.sig }
    const result = decoded(JSON.stringify({ version: 1, envelope: inner }))
    expect(result).toMatchObject({ layout: 'pep740', statement: { subjectCount: 1 } })
    expect(result.envelope?.unverifiable).toMatch(/object/)
    expect(result.findings.map(({ code }) => code)).toEqual(['payload-is-object'])
  })

  test('reads an envelope that is wrapped into base64', () => {
    expect(decoded(base64(text))).toMatchObject({ layout: 'envelope' })
    expect(codesOf(base64(text))).toContain('wrapped-in-base64')
    expect(decode(base64(base64(base64(base64(text)))))).toMatchObject({ ok: false })
  })

  test('reads JSON Lines, and the same lines in bytes', () => {
    const lines = `${text}\n\n${statement}\r\n`
    for (const input of [lines, Buffer.from(lines)]) {
      const result = decode(input)
      expect(result.ok && result.items.map(({ layout, at }) => [layout, at.line])).toEqual([
        ['envelope', 1],
        ['statement', 3],
      ])
    }
  })

  test('says what is wrong with each line where none can be read', () => {
    const bad = JSON.stringify({ ...envelope, payload: 'e3*=' })
    const refused = decode(`${bad}\n${bad}\n`)
    expect(refused).toMatchObject({ ok: false })
    expect(refused.mistakes.map(({ code, at }) => [code, at?.line])).toEqual([
      ['bad-line', 1],
      ['bad-line', 2],
    ])
    expect(refused.mistakes[0]?.message).toMatch(/Can't read line 1: The payload isn't/)
    expect(decode('{"a":1}\n'.repeat(5000)).mistakes).toHaveLength(10)
  })

  test.each([
    ['a JSON string', JSON.stringify(text)],
    ['a JSON string of many lines', JSON.stringify(JSON.stringify(envelope, null, 2))],
    ['the fence of an issue', `\n\`\`\`json\n${text}\n\`\`\`\n`],
    ['a fence of tildes, with CRLF', `~~~\r\n${text}\r\n~~~`],
  ])('reads an envelope in %s', (_where, input) => {
    expect(decoded(input)).toMatchObject({ layout: 'envelope' })
    expect(codesOf(input)).toEqual(['wrapped-in-text'])
  })

  test('does not take the statement in a string for a payload', () => {
    expect(decoded(JSON.stringify(statement))).toMatchObject({ layout: 'statement' })
    expect(decode('```\nno JSON\n```')).toMatchObject({ ok: false })
    expect(decode('"no JSON"')).toMatchObject({ ok: false })
  })

  test('reads lines behind what a program printed before them', () => {
    const result = decode(`Fetching attestations\n${text}\n`)
    expect(result).toMatchObject({ ok: true, layout: 'envelope' })
    expect(result.mistakes).toMatchObject([{ code: 'bad-line', at: { line: 1 } }])
  })

  test('finds the envelopes inside the answers of services', () => {
    const answer = {
      attestations: [
        {
          repository_id: 1,
          bundle: { mediaType: 'x', verificationMaterial: { certificate }, dsseEnvelope: envelope },
        },
        { repository_id: 2, bundle: { dsseEnvelope: envelope } },
      ],
    }
    const result = decoded(JSON.stringify(answer))
    expect(result.items.map(({ layout }) => layout)).toEqual(['bundle', 'bundle'])
    expect(codesOf(JSON.stringify(answer))).toContain('found-inside')
    const published = {
      successes: [{ storeType: 'af', storeRequest: { uri: 'x', body: envelope } }],
    }
    expect(decoded(JSON.stringify(published)).layout).toBe('envelope')
  })

  test('finds envelopes in the texts of a document, as annotations and answers carry them', () => {
    const annotated = {
      apiVersion: 'v1',
      kind: 'TaskRun',
      metadata: { annotations: { signature: base64(text) } },
      spec: {},
    }
    const inside = decoded(JSON.stringify(annotated))
    expect(inside).toMatchObject({ ok: true, layout: 'envelope' })
    expect(inside.items).toHaveLength(1)
    expect(codesOf(JSON.stringify(annotated))).toContain('found-inside')
    expect(decoded(JSON.stringify({ bundle: text, rest: 1 }))).toMatchObject({ layout: 'envelope' })
    const statement = '{"_type":"https://in-toto.io/Statement/v1","predicateType":"a:b"}'
    const logged = { attestation: { data: base64(statement) }, body: 'e30=', logIndex: 1 }
    expect(decoded(JSON.stringify({ '24296fb2': logged }))).toMatchObject({ layout: 'payload' })
  })

  test('shows nothing from within what is broken, or signed in another way', () => {
    const statement = base64('{"_type":"https://in-toto.io/Statement/v1","predicateType":"a:b"}')
    for (const refused of [
      { payload: statement, signatures: [{ protected: 'e30', signature: 'AA' }] },
      { payload: statement, payloadType: 7, signatures: [] },
      { Payload: statement, Signatures: [] },
    ]) {
      expect(decode(JSON.stringify(refused)).ok, JSON.stringify(refused)).toBe(false)
    }
  })

  test('reads documents that follow one another, each over many lines', () => {
    const laidOut = JSON.stringify(envelope, null, 2)
    const bundle = JSON.stringify({ mediaType: 'x', dsseEnvelope: envelope }, null, '\t')
    for (const between of ['\n', '\r\n', '\n\n']) {
      const result = decoded([laidOut, bundle, laidOut].join(between))
      expect(result.items.map(({ layout }) => layout)).toEqual(['envelope', 'bundle', 'envelope'])
      expect(result.items[1]?.at.line).toBeGreaterThan(2)
    }
    const other = decoded(`${laidOut}\n{\n  "a": 1\n}\n`)
    expect(other.items).toHaveLength(1)
    expect(other.mistakes).toMatchObject([{ code: 'bad-item' }])
    expect(decode(`${laidOut}\n{ garbage`).ok).toBe(false)
  })

  test('reports the position of an error in a later line', () => {
    const bad = JSON.stringify({ ...envelope, payload: 'e3*=' })
    const { mistakes } = decode(`${text}\n${bad}`)
    const column = bad.indexOf('*') + 1
    expect(mistakes).toMatchObject([{ code: 'bad-line', at: { in: 'input', line: 2, column } }])
  })

  test('unwraps a certificate that is base64 of PEM, beside a signature', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
    const signatures = [{ ...signature, certificate: base64(pem), intermediates: [base64(pem)] }]
    const [read] = decoded(JSON.stringify({ ...envelope, signatures })).envelope?.signatures ?? []
    expect(read).toMatchObject({ certificate: pem, intermediates: [pem], extraFields: [] })
  })

  test('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string(), (input) => {
        decode(input)
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array(), (input) => {
        decode(input)
      }),
    )
    fc.assert(
      fc.property(fc.json(), (input) => {
        decode(input)
      }),
    )
  })

  test('never throws, whatever stands in the fields of an envelope or a statement', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    const signatureOf = fc.dictionary(fc.constantFrom('sig', 'keyid', 'cert', 'extension'), value)
    const odd = fc.record(
      {
        payloadType: value,
        payload: fc.oneof(value, fc.base64String()),
        signatures: fc.oneof(value, fc.array(signatureOf)),
      },
      { requiredKeys: [] },
    )
    const bundle = fc.record({ dsseEnvelope: fc.oneof(odd, value), verificationMaterial: value })
    fc.assert(
      fc.property(fc.oneof(odd, bundle), (input) => {
        decode(JSON.stringify(input))
      }),
    )
    const keys = fc.constantFrom(
      '_type',
      'type',
      'subject',
      'predicateType',
      'predicate_type',
      'predicate',
    )
    fc.assert(
      fc.property(fc.dictionary(keys, value), (input) => {
        decode(JSON.stringify({ ...envelope, payload: base64(JSON.stringify(input)) }))
      }),
    )
  })
})

test('each item has its own text, whatever it was wrapped in', () => {
  const object = JSON.stringify({ ...envelope, payload: { a: 1 } })
  const cert = JSON.stringify({
    ...envelope,
    signatures: [{ ...signature, cert: 'MIIB', extra: 1 }],
  })
  for (const texts of [[object], [object, cert, text], [cert, statement]]) {
    expect(decodedTexts(texts.join('\n'))).toEqual(texts)
    expect(decodedTexts(`\uFEFF ${texts.join('\r\n')}\n`)).toEqual(texts)
    expect(decodedTexts(`[${texts.join(', ')}]`)).toEqual(texts)
    expect(decodedTexts(texts.map(base64).join('\n'))).toEqual(texts)
  }
  expect(decodedTexts(JSON.stringify({ x: cert, y: text }))).toEqual([cert, text])
  expect(decodedTexts(JSON.stringify({ x: JSON.parse(cert) as unknown }))).toEqual([cert])
})

function tar(name: string, content: number): Uint8Array {
  const bytes = new Uint8Array(1024)
  bytes.set(Buffer.from(name))
  bytes.set(Buffer.from('ustar'), 257)
  return bytes.fill(content, 512)
}

function decodedTexts(input: string): string[] {
  const read = decode(input)
  return read.ok ? read.items.map((item) => item.text) : []
}

describe('a wrong paste', () => {
  const pem = (label: string) => `-----BEGIN ${label}-----\nMIIB\n-----END ${label}-----\n`
  const jwt = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.c2ln`

  test.each([
    [jwt, 'This is a JWT'],
    [`${jwt.slice(0, 20)}${'A'.repeat(9_000)}.c2ln`, 'This is a JWT'],
    [pem('CERTIFICATE'), 'This is a certificate'],
    [pem('PUBLIC KEY'), 'This is a public key'],
    ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 me', 'This is an SSH public key'],
    ['pkg:npm/left-pad@1.0.0', 'This is a package URL'],
    ['https://example.com/attestations/1', 'This is a URL'],
    ['<!DOCTYPE html><title>x</title>', 'This is HTML'],
    ['<?xml version="1.0"?><a/>', 'This is XML'],
    ['apiVersion: v1\nkind: Secret\n', 'This is YAML'],
    ['---\na: 1', 'This is YAML'],
    [`sha256:${'a'.repeat(64)}`, 'This is a digest'],
    ['a'.repeat(64), 'This is a digest'],
    ['cosign download attestation app', 'This is a command'],
    ["{'payload': 'e30='}", 'This looks like'],
    [
      '{"messageSignature":{},"verificationMaterial":{}}',
      'This is a Sigstore bundle without a DSSE envelope. It',
    ],
    ['{"payload":"e30","signatures":[{"protected":"e30","signature":"x"}]}', 'This is a JWS'],
    ['{"kty":"EC","crv":"P-256","x":"a","y":"b"}', 'This is a key (JWK)'],
    ['{"signed":{"_type":"other"},"signatures":[]}', 'This is in-toto or TUF metadata'],
    [
      '[{"policyUri":"/policies/BuildTool/x","status":"satisfied"}]',
      'This is a policy scan result.',
    ],
    ['{"bomFormat":"CycloneDX"}', 'This is a CycloneDX document'],
    [
      '{"type":"about:blank","title":"Not Found","status":404}',
      "This is a service's error response:",
    ],
    [
      '{"type":"about:blank","title":"Not Found","status":404,"detail":"Nothing found."}',
      'This is a service\'s error response: "Nothing found".',
    ],
    ['{"a":1}', 'This is JSON, but not an attestation'],
    ['[]', 'This is JSON, but only an array'],
    ['hello, this is prose', "This isn't JSON or base64."],
    [
      base64(pem('CERTIFICATE')),
      'This is base64, but not of an attestation. This is a certificate',
    ],
    [base64('just some words'), 'This is base64, but not of an attestation.'],
    [
      Buffer.from([0x30, 0x82, 2, 0x9f, 0xff, 0, 0, 0, 0]).toString('base64'),
      'This is base64, but not of an attestation. This is a certificate or key in DER',
    ],
  ])('%j is called by its name', (input, says) => {
    const result = decode(input)
    expect(result.ok).toBe(false)
    expect(result.mistakes[0]?.message).toMatch(/\.$/)
    expect(result.mistakes[0]?.message.startsWith(says)).toBe(true)
  })

  test.each([
    [Buffer.from([0x1f, 0x8b, 8, 0, 0xff]), 'This is gzip'],
    [Buffer.from([0x50, 0x4b, 3, 4, 0xff]), 'This is a ZIP or JAR file'],
    [Buffer.from([0x61, 0xff, 0x62]), "This isn't text: byte 1"],
    [tar('a.json', 0x41), 'This is a tar archive. Unpack it first.'],
    [tar('a.bin', 0xff), 'This is a tar archive. Unpack it first.'],
  ])('of bytes is called by its name: %#', (input, says) => {
    expect(decode(input).mistakes[0]?.message.startsWith(says)).toBe(true)
  })

  test.each([
    'PuTTY-User-Key-File-3: ssh-ed25519\nMIIB',
    pem('PRIVATE KEY'),
    pem('EC PRIVATE KEY'),
    pem('OPENSSH PRIVATE KEY'),
    pem('ENCRYPTED SIGSTORE PRIVATE KEY'),
    base64(pem('PRIVATE KEY')),
    // PKCS#8 and SEC1 without their PEM labels
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIB',
    'MHcCAQEEIF3qQmNvbW1vbiBieXRlcyBvZiBhIGtleSBoZXJl',
    JSON.stringify({ key: pem('RSA PRIVATE KEY') }),
    '{"kty":"EC","crv":"P-256","x":"MIIB","y":"b","d":"MIIB"}',
    '{"keys":[{"kty":"oct","k":"MIIB"}]}',
    '{"keys":[{"kty":"EC","x":"a"},{"kty":"EC","d":"MIIB"}]}',
    '[{"x":1},{"kty":"OKP","d":"MIIB"}]',
    '{"jwk":{"kty":"AKP","priv":"MIIB"}}',
    '{"keytype":"ed25519","scheme":"ed25519","keyval":{"public":"ab","private":"MIIB"}}',
    'untrusted comment: minisign encrypted secret key\nRWRTY0IyMIIB',
    'untrusted comment: signify secret key\nRWRTY0IyMIIB',
  ])('that is a private key is refused and not echoed: %#', (input) => {
    const result = decode(input)
    expect(result).toMatchObject({ ok: false, mistakes: [{ code: 'private-key' }] })
    expect(JSON.stringify(result)).not.toMatch(/MIIB|MIGH|MHcC/)
  })

  test('that has a private key beside an attestation says so by its code', () => {
    const jwk = '{"kty":"EC","d":"MIIB"}'
    for (const input of [`${text}\n${jwk}`, `[${text},${jwk}]`]) {
      expect(decode(input)).toMatchObject({ ok: true, mistakes: [{ code: 'private-key' }] })
    }
  })

  test('that has a member "d" or "k" is no private key by that', () => {
    for (const input of ['{"d":"MIIB"}', '{"k":"MIIB"}']) {
      expect(decode(input).mistakes).not.toMatchObject([{ code: 'private-key' }])
    }
  })
})
