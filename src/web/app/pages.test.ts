import { expect, test } from 'vitest'
import { pages } from './pages.ts'

test('no two pages share an address, a name or a key', () => {
  for (const part of ['path', 'label', 'key'] as const) {
    expect(new Set(pages.map((page) => page[part])).size).toBe(pages.length)
  }
})
