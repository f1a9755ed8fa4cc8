import { describe, expect, test } from 'vitest'
import { envelopeOf, inTotoType } from '../signing.test-support.ts'
import { dssev1Pae, otherMessages, pae } from './pae.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

test('the signed bytes count bytes, not characters', () => {
  expect(textOf(pae('http://example.com/HelloWorld', encode('hello world')))).toBe(
    'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
  )
  expect(textOf(pae('é', encode('€🚀')))).toBe('DSSEv1 2 é 7 €🚀')
  expect(textOf(pae('', new Uint8Array()))).toBe('DSSEv1 0  0 ')
})

describe('what model_signing 0.2.0 signed', () => {
  // As Python 3 prints each of these with repr().
  test.each([
    ['{"a": 1}', `b'{"a": 1}'`],
    ["it's", `b"it's"`],
    [`it's "both"`, `b'it\\'s "both"'`],
    ['a\\b\tc\nd\re', String.raw`b'a\\b\tc\nd\re'`],
    ['\u0000\u001f\u007fé~ ', String.raw`b'\x00\x1f\x7f\xc3\xa9~ '`],
  ])('is %j as Python prints bytes', (payload, printed) => {
    const bytes = encode(payload)
    expect(textOf(dssev1Pae('tyß🚀', bytes))).toBe(`DSSEV1 4 tyß🚀 ${bytes.length} ${printed}`)
  })
})

describe('what may have been signed in place of it', () => {
  const codesOf = (text: string, payloadType = inTotoType) =>
    otherMessages(envelopeOf(text, [], { payloadType })).map(({ code }) => code)
  const messageOf = (text: string, code: string, payloadType = inTotoType) =>
    otherMessages(envelopeOf(text, [], { payloadType }))
      .find((one) => one.code === code)
      ?.message()

  test('is the payload alone, or in the form of model_signing', () => {
    expect(codesOf('{}')).toEqual(['raw-payload', 'dssev1-pae'])
    expect(messageOf('{}', 'raw-payload')).toEqual(encode('{}'))
    expect(messageOf('{}', 'dssev1-pae')).toEqual(dssev1Pae(inTotoType, encode('{}')))
  })

  test('is the usual type where the envelope has another', () => {
    expect(codesOf('{}', 'text/plain')).toEqual(['raw-payload', 'payload-type', 'dssev1-pae'])
    expect(messageOf('{}', 'payload-type', 'text/plain')).toEqual(pae(inTotoType, encode('{}')))
  })

  test.each(['{"a":1}', '{ "a":1}', '{\n}'])('is %j where the payload is its base64', (inner) => {
    const twice = Buffer.from(inner).toString('base64')
    expect(messageOf(twice, 'doubled-payload')).toEqual(pae(inTotoType, encode(inner)))
  })

  test.each(['{}', 'e', 'ex', 'ez', 'ey!', 'Ae', 'AyAA', 'xwAA', ''])(
    'is nothing in base64 where it is %j',
    (text) => {
      expect(codesOf(text)).not.toContain('doubled-payload')
    },
  )

  test('is not spelled out byte by byte for 2 MB and more', () => {
    expect(codesOf('x'.repeat(2_000_000))).toContain('dssev1-pae')
    expect(codesOf('x'.repeat(2_000_001))).toEqual(['raw-payload'])
  })

  test('is made once', () => {
    for (const { message } of otherMessages(envelopeOf('{}'))) expect(message()).toBe(message())
  })
})
