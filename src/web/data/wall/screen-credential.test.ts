import { expect, test } from 'vitest'
import { createScreenCredential, type CredentialStorage } from './screen-credential.ts'

const session = {
  token: 'screen_1_secret',
  expiresAt: 1_780_000_000_000,
  user: { name: 'Lobby', roles: ['screen' as const] },
}

function memory(first?: string): CredentialStorage & { readonly kept: Map<string, string> } {
  const kept = new Map(first === undefined ? [] : [['sightline.screen', first]])
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
}

test('a credential is there after the page was loaded anew, until it is forgotten', () => {
  const storage = memory()
  createScreenCredential(storage).keep(session)
  const again = createScreenCredential(storage)
  expect(again.get()).toEqual(session)
  again.forget()
  expect(again.get()).toBeUndefined()
  expect(storage.kept.size).toBe(0)
  expect(createScreenCredential(storage).get()).toBeUndefined()
})

test.each([undefined, '', '{', 'null', '[]', '{"token":""}', '{"token":"x","expiresAt":"soon"}'])(
  'a storage that holds %j has no credential, and takes one',
  (held) => {
    const storage = memory(held)
    const credential = createScreenCredential(storage)
    expect(credential.get()).toBeUndefined()
    credential.keep(session)
    expect(createScreenCredential(storage).get()).toEqual(session)
  },
)

const refuse = (): never => {
  throw new DOMException('Blocked', 'SecurityError')
}

test.each([
  ['none', undefined],
  ['one that is blocked', { getItem: refuse, setItem: refuse, removeItem: refuse }],
])('with %s for a storage it holds until the page is closed', (_, storage) => {
  const credential = createScreenCredential(storage)
  expect(credential.get()).toBeUndefined()
  credential.keep(session)
  expect(credential.get()).toEqual(session)
  credential.forget()
  expect(credential.get()).toBeUndefined()
})
