import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cookieIn, createSessionSecrets, randomKey, setCookie } from './session-cookie.ts'

const secrets = createSessionSecrets('a secret of the tests, long enough')
const others = createSessionSecrets('another secret of the tests, long')

describe('the value of a session cookie', () => {
  test('is read as it was written, is the same each time, and is nothing to another secret', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), (generation) => {
        const cookie = { key: randomKey(), generation }
        const value = secrets.write(cookie)
        expect(secrets.write(cookie)).toBe(value)
        expect(secrets.read(value)).toEqual(cookie)
        expect(others.read(value)).toBeUndefined()
      }),
    )
  })

  test('that was changed in one place, or was never written, is none', () => {
    const value = secrets.write({ key: randomKey(), generation: 7 })
    fc.assert(
      fc.property(fc.nat(value.length - 1), fc.constantFrom('A', 'b', '1', '.', '='), (at, by) => {
        const changed = value.slice(0, at) + by + value.slice(at + 1)
        expect(secrets.read(changed) === undefined).toBe(changed !== value)
      }),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(secrets.read(text)).toBeUndefined()
      }),
    )
    expect(secrets.read(undefined)).toBeUndefined()
  })
})

test('what is sealed opens in its own place with its own secret, unchanged, and nowhere else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, at) => {
      const sealed = secrets.seal(text, 'here')
      expect(secrets.open(sealed, 'here')).toBe(text)
      expect(secrets.open(sealed, 'there')).toBeUndefined()
      expect(others.open(sealed, 'here')).toBeUndefined()
      const bytes = Buffer.from(sealed, 'base64url')
      const place = at % bytes.length
      bytes[place] = (bytes[place] ?? 0) ^ 1
      expect(secrets.open(bytes.toString('base64url'), 'here')).toBeUndefined()
      expect(secrets.open(sealed.slice(0, at % sealed.length), 'here')).toBeUndefined()
    }),
  )
})

test('a cookie is found by its whole name among others', () => {
  const headers = new Headers({ cookie: 'a=1; x__Host-sightline=2; __Host-sightline=3.4=; b=5' })
  expect(cookieIn(headers, '__Host-sightline')).toBe('3.4=')
  expect(cookieIn(headers, 'c')).toBeUndefined()
  expect(setCookie('__Host-sightline', 'v', 61.7)).toBe(
    '__Host-sightline=v; Path=/; Max-Age=61; Secure; HttpOnly; SameSite=Lax',
  )
})
