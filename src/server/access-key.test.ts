import { describe, expect, test } from 'vitest'
import { accessKeyFor, readAccessKeys } from './access-key.ts'

const server = new URL('https://builds.example.com/')
const onPort = new URL('https://builds.example.com:8443/')

function keyIn(text: string, url = server): string | undefined {
  const keys = readAccessKeys(text)
  return keys === undefined ? undefined : accessKeyFor(keys, url)
}

describe('the access key for a server', () => {
  test.each([
    ['a key alone', 'k3y', 'k3y'],
    ['a key with the padding of base64', 'a2V5Cg==', 'a2V5Cg=='],
    ['one entry', 'builds.example.com=k3y', 'k3y'],
    ['the entry of its host among others', 'a.example=k1;builds.example.com=k2;c.example=k3', 'k2'],
    ['an entry for several hosts', 'a.example, builds.example.com=k1;c.example=k2', 'k1'],
    ['an entry with spaces around', ' builds.example.com = k3y ; ', 'k3y'],
    ['a key with signs of equality', 'builds.example.com=a=b==', 'a=b=='],
    ['a host in capitals', 'BUILDS.example.com=k3y', 'k3y'],
  ])('may be given as %s', (_name, text, key) => {
    expect(keyIn(text)).toBe(key)
  })

  test.each([
    ['lines', 'a.example=k1\nbuilds.example.com=k2\n', 'k2'],
    ['lines from Windows', 'a.example=k1\r\nbuilds.example.com=k2\r\n', 'k2'],
    ['comments', '# of the team\n! and more\n\nbuilds.example.com=k2', 'k2'],
    ['a comment before one line', '#of the team\nbuilds.example.com=k2', 'k2'],
    ['escaped signs in the key', 'builds.example.com=a\\=b\\:c\\\\d\n', 'a=b:c\\d'],
    ['an escaped letter', 'builds.example.com=\\u006b2\n', 'k2'],
    ['a line that is continued', 'builds.example.com=\\\n   k2\n', 'k2'],
    ['spaces around', '  builds.example.com = k2  \n', 'k2'],
    [
      'the host twice, of which the last counts',
      'builds.example.com=k1\nbuilds.example.com=k2',
      'k2',
    ],
  ])('may be in a properties file with %s', (_name, text, key) => {
    expect(keyIn(text)).toBe(key)
  })

  test('is the one for its host and port before the one for its host', () => {
    const list = 'builds.example.com=k1;builds.example.com:8443=k2'
    expect(keyIn(list)).toBe('k1')
    expect(keyIn(list, onPort)).toBe('k2')
    expect(keyIn('builds.example.com=k1', onPort)).toBe('k1')
    for (const colon of [':', '\\:']) {
      expect(keyIn(`builds.example.com${colon}8443=k2\na.example=k\n`, onPort)).toBe('k2')
    }
  })

  test('is missing where no entry is for its host', () => {
    expect(keyIn('a.example=k1;example.com=k2')).toBeUndefined()
  })

  test.each(['', 'two words', 'k3y\n\n', 'kéy', '=key', 'a b=key', 'host=k y', 'a=k;b'])(
    'is not in %j',
    (text) => {
      expect(readAccessKeys(text)).toBeUndefined()
    },
  )
})
