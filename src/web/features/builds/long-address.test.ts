import { describe, expect, test } from 'vitest'
import { loadableAddress, searchInHash } from './long-address.ts'

describe('an address with a long query', () => {
  const address = (search: string, hash = '') => ({ pathname: '/builds', search, hash })

  test('is left as it is while a server reads it', () => {
    expect(loadableAddress(address('?q=tag%3Aa', '#x'))).toBe('/builds?q=tag%3Aa#x')
    expect(loadableAddress(address(''))).toBe('/builds')
    expect(searchInHash(address('?q=a'))).toBeUndefined()
  })

  test('has it where no server gets it, and gives it back', () => {
    const search = `?q=${'project%3Ashop+'.repeat(700)}&zone=UTC`
    const shown = new URL(loadableAddress(address(search)), 'https://sightline.example')
    expect(shown.search).toBe('')
    expect(searchInHash(shown)).toBe(search)
  })
})
