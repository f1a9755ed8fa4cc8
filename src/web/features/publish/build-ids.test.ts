import { expect, test } from 'vitest'
import { addedText, buildIdMistake, readBuildIds, withBuildIds } from './build-ids.ts'

test('ids are read from lines, commas and addresses of builds, each once', () => {
  const text =
    'aaaaaaaaaaaa1, aaaaaaaaaaaa2\r\nhttps://builds.example.com/s/aaaaaaaaaaaa3#failure\n/builds/aaaaaaaaaaaa4?tab=tests aaaaaaaaaaaa1'
  expect(readBuildIds(text)).toEqual([
    'aaaaaaaaaaaa1',
    'aaaaaaaaaaaa2',
    'aaaaaaaaaaaa3',
    'aaaaaaaaaaaa4',
  ])
  expect(readBuildIds(' ,\n')).toEqual([])
})

test.each([
  ['aaaaaaaaaaaa1', undefined],
  ['AAAAAAAAAAAA1', undefined],
  ['aaaaaaaaaaaa!', 'A build id has letters and digits only.'],
  ['abc', 'A build id has 13 letters and digits; this one has 3 characters.'],
])('%s is marked with its reason', (id, mistake) => {
  expect(readBuildIds(id)).toEqual([id])
  expect(buildIdMistake(id)).toBe(mistake)
})

test('what is pasted comes behind what was chosen, and nothing twice', () => {
  const chosen = ['aaaaaaaaaaaa1']
  expect(withBuildIds(chosen, 'aaaaaaaaaaaa2 aaaaaaaaaaaa1')).toEqual([
    'aaaaaaaaaaaa1',
    'aaaaaaaaaaaa2',
  ])
  expect(withBuildIds(chosen, ' \n')).toBe(chosen)
})

test.each([
  ['aaaaaaaaaaaa2', '1 build added.'],
  ['aaaaaaaaaaaa2 aaaaaaaaaaaa3 nonsense', '2 builds added, 1 entry marked as invalid.'],
  [
    'aaaaaaaaaaaa2 aaaaaaaaaaaa2 aaaaaaaaaaaa1 x y',
    '1 build added, 2 entries marked as invalid, 2 duplicates skipped.',
  ],
  ['aaaaaaaaaaaa1', '0 builds added, 1 duplicate skipped.'],
  [' ,\n', ''],
])('pasting %s is summed up in a sentence', (text, said) => {
  expect(addedText(['aaaaaaaaaaaa1'], text)).toBe(said)
})
