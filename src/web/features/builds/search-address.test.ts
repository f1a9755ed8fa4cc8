import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainColumns } from '../../domain/build-table/build-columns.tsx'
import { refreshChoices, searchAddress } from './search-address.ts'

const read = (text: string) => searchAddress.read(new URLSearchParams(text))

test.each([
  ['', { query: '', zone: undefined, columns: undefined, refresh: 'off' } as const],
  [
    'q=project%3Ashop%20%20tag%3A"a"',
    {
      query: 'project:shop  tag:"a"',
      zone: undefined,
      columns: undefined,
      refresh: 'off',
    } as const,
  ],
  [
    'q=a&zone=Europe/Berlin',
    { query: 'a', zone: 'Europe/Berlin', columns: undefined, refresh: 'off' } as const,
  ],
  ['q=a&zone=Mars', { query: 'a', zone: undefined, columns: undefined, refresh: 'off' } as const],
  [
    'column=project&column=nonsense&column=value:CI job&column=project',
    { query: '', zone: undefined, columns: ['project', 'value:CI job'] },
  ],
])('%s is read', (text, address) => {
  expect(read(text)).toEqual({ refresh: 'off', ...address })
})

test('any state is a link, and a link that state again', () => {
  const address = fc.record({
    query: fc.string({ unit: 'grapheme' }).filter((text) => text.trim() !== ''),
    zone: fc.constantFrom(undefined, 'UTC', 'Asia/Tokyo', 'America/New_York'),
    columns: fc.oneof(
      fc.constant(undefined),
      fc.uniqueArray(fc.constantFrom(...plainColumns, 'value:a,b&c'), { minLength: 1 }),
    ),
    refresh: fc.constantFrom(...refreshChoices),
  })
  fc.assert(
    fc.property(address, (state) => {
      const link = searchAddress.write(state).toString()
      expect(read(link)).toEqual(state)
    }),
  )
})

test('what else is in the address is kept', () => {
  const all = { query: '', zone: undefined, columns: undefined, refresh: 'off' } as const
  const before = new URLSearchParams('q=old&zone=UTC&build=k3j7aaaaa7a4c')
  expect(searchAddress.write(all, before).toString()).toBe('build=k3j7aaaaa7a4c')
})
