import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodeAny } from './decode-any.ts'

const statement = JSON.stringify({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'shop', digest: { sha256: 'a'.repeat(64) } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: { note: 'x'.repeat(200) },
})
const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')
const envelope = JSON.stringify({
  payloadType: 'application/vnd.in-toto+json',
  payload: base64(statement),
  signatures: [{ keyid: 'release', sig: base64('not a signature') }],
})
const taskRun = `apiVersion: tekton.dev/v1
kind: TaskRun
metadata:
  name: build
  annotations:
    chains.tekton.dev/signed: "true"
    chains.tekton.dev/payload-taskrun-1: ${base64(statement)}
    chains.tekton.dev/signature-taskrun-1: ${base64(envelope)}
`
const wrapped = (envelope.match(/.{1,76}/g) ?? []).join('\n')
const curly = envelope.replace(/"([^"]*)"/g, '\u201c$1\u201d')

test.each<[string, string | Uint8Array, string]>([
  ['a gzip file', gzipSync(envelope), 'gzip'],
  [
    'a gzip file of several members',
    Buffer.concat([gzipSync(envelope.slice(0, 90)), gzipSync(envelope.slice(90))]),
    'gzip',
  ],
  ['gzip in base64', base64(gzipSync(envelope)), 'gzip'],
  ['an annotation in YAML', taskRun, 'YAML'],
  [
    'one annotation alone',
    `    chains.tekton.dev/signature-taskrun-1: ${base64(envelope)}\n`,
    'YAML',
  ],
  ['YAML in a gzip file', gzipSync(taskRun), 'gzip'],
  ['JSON that was wrapped at 76 columns', wrapped, 'line breaks'],
  ['JSON with curly quotes', curly, 'curly quotes'],
])('%s is read, and that is said', async (_, input, says) => {
  const decoded = await decodeAny(input)
  if (!decoded.ok) throw new Error(decoded.mistakes[0]?.message)
  const found = decoded.items.find((item) => item.envelope !== undefined)
  expect(found?.statement?.predicateType).toBe('https://slsa.dev/provenance/v1')
  expect(found?.envelope?.signatures).toMatchObject([{ keyid: 'release' }])
  const messages = decoded.items.flatMap(({ findings }) => findings.map(({ message }) => message))
  expect(messages.join(' ')).toContain(says)
})

test.each<[string, string | Uint8Array, string]>([
  ['YAML without an attestation', 'kind: Pod\nmetadata:\n  name: x\n', 'This is YAML'],
  [
    'YAML that is a bomb',
    `a: &a [x]\n${'b: [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n'.repeat(20)}`,
    'YAML',
  ],
  ['a damaged gzip file', gzipSync(envelope).subarray(0, 40), 'gzip data. Unpack it first'],
  [
    'a gzip file whose second member is damaged',
    Buffer.concat([gzipSync(envelope), gzipSync(envelope).subarray(0, 40)]),
    'gzip data. Unpack it first',
  ],
  ['COSE in hexadecimal', `d28443a10126a1${'0'.repeat(80)}`, 'COSE signature in hexadecimal'],
])('%s is named with what to do', async (_, input, says) => {
  const decoded = await decodeAny(input)
  expect(decoded.ok).toBe(false)
  expect(decoded.mistakes[0]?.message).toContain(says)
})

const yamlEnvelope = (lines: string): string =>
  `payloadType: application/vnd.in-toto+json\npayload: ${base64(statement)}\nsignatures:\n- sig: MIIB\n${lines}`

test.each([
  ['a key that stands twice', 'payload: e30=\n', 'At line 5, column 1: duplicate key'],
  ['a quoted key that stands twice', '"payload": e30=\n', 'duplicate key'],
  ['a key in both spellings', 'payload_type: x\n', 'two spellings'],
  ['a cut end', '  keyid: [a\n', 'Not valid YAML. At line'],
])('YAML with %s is refused', async (_, lines, says) => {
  const decoded = await decodeAny(yamlEnvelope(lines))
  expect(decoded.ok).toBe(false)
  expect(decoded.mistakes[0]?.message).toContain(says)
})

test('a private key in YAML is known as one', async () => {
  const { mistakes } = await decodeAny('keys:\n- kty: EC\n  d: MIIB\n')
  expect(mistakes).toMatchObject([{ code: 'private-key' }])
})

test('what YAML says is said in JSON, numbers as they were written', async () => {
  const decoded = await decodeAny(`%YAML 1.1
---
_type: https://in-toto.io/Statement/v1
subject: []
predicateType: x
predicate:
  n: 12345678901234567890
  f: [1.10, .5, 0x1F, -.inf, 1e400]
  t: 2020-01-01
  y: [yes, true, ~, '7', !!binary e30=]
  a: &a { <<: 1 }
  b: *a
  1: c
`)
  if (!decoded.ok) throw new Error(decoded.mistakes[0]?.message)
  const predicate =
    '{"n":12345678901234567890,"f":[1.10,".5",31,"-.inf",1e400],"t":"2020-01-01",' +
    '"y":["yes",true,null,"7","e30="],"a":{"<<":1},"b":{"<<":1},"1":"c"}'
  expect(decoded.text).toContain(`"predicate":${predicate}`)
})
