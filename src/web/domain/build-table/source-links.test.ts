import { expect, test } from 'vitest'
import { buildOfSource } from './source-links.tsx'

test.each([
  ['https://builds.example.com/s/k3j7q2m5x7a4c', 'k3j7q2m5x7a4c'],
  ['https://builds.example.com/context/s/k3j7q2m5x7a4c/?tab=1#x', 'k3j7q2m5x7a4c'],
  ['https://builds.example.com/s/short', undefined],
  ['https://builds.example.com/x/k3j7q2m5x7a4c', undefined],
  ['https://ci.example.com/job/7', undefined],
  ['', undefined],
])('“%s” is of build %s', (uri, id) => {
  expect(buildOfSource(uri)).toBe(id)
})
