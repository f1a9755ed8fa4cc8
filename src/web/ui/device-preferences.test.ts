import { expect, test } from 'vitest'
import { createPreferenceStore, type PreferenceStorage } from './device-preferences.ts'

function memory(entries: Record<string, string> = {}): PreferenceStorage {
  const map = new Map(Object.entries(entries))
  return { getItem: (key) => map.get(key) ?? null, setItem: (key, value) => map.set(key, value) }
}

test('a choice notifies listeners and survives a reload of the page', () => {
  const storage = memory()
  const store = createPreferenceStore(storage)
  let told = 0
  store.subscribe(() => told++)
  store.change({ zone: 'utc' })
  expect(told).toBe(1)
  expect(createPreferenceStore(storage).get()).toMatchObject({ zone: 'utc', scheme: 'auto' })
})

test.each(['{', '{"version":2,"zone":"mars"}', 'null'])('%s is no preference', (text) => {
  const store = createPreferenceStore(memory({ 'sightline.preferences': text }))
  expect(store.get()).toMatchObject({ version: 1, zone: 'local', scheme: 'auto' })
})

test('preferences from before queries were remembered are kept', () => {
  const stored = '{"version":1,"zone":"utc","scheme":"dark"}'
  const store = createPreferenceStore(memory({ 'sightline.preferences': stored }))
  expect(store.get()).toMatchObject({
    zone: 'utc',
    scheme: 'dark',
    pastQueries: [],
    savedQueries: [],
  })
})

test('a choice that cannot be read leaves the others alone', () => {
  const stored = JSON.stringify({
    version: 1,
    zone: 'mars',
    scheme: 'dark',
    pastQueries: ['project:core', 7],
    savedQueries: [{ name: 'mine', query: 'tag:ci' }, { name: 'broken' }],
    trustedKeys: 'none',
    packages: [{}],
  })
  const store = createPreferenceStore(memory({ 'sightline.preferences': stored }))
  expect(store.get()).toEqual({
    version: 1,
    zone: 'local',
    scheme: 'dark',
    pastQueries: ['project:core'],
    savedQueries: [{ name: 'mine', query: 'tag:ci' }],
    packages: [],
  })
})

test('a choice holds for the page where storage is refused', () => {
  const refuse = (): never => {
    throw new Error('blocked')
  }
  const store = createPreferenceStore({ getItem: refuse, setItem: refuse })
  store.change({ scheme: 'dark' })
  expect(store.get().scheme).toBe('dark')
})

test('what another tab wrote is read again', () => {
  const storage = memory()
  const here = createPreferenceStore(storage)
  createPreferenceStore(storage).change({ scheme: 'light' })
  expect(here.get().scheme).toBe('auto')
  here.reload()
  expect(here.get().scheme).toBe('light')
})

test('a pasted board that cannot be read leaves the others alone', () => {
  const board = { id: 'a', title: 'Release', text: 'pkg:oci/a@1', scans: ['release'] }
  const stored = JSON.stringify({ version: 1, boards: [{ id: 'b' }, board] })
  const store = createPreferenceStore(memory({ 'sightline.preferences': stored }))
  expect(store.get().boards).toEqual([board])
})
