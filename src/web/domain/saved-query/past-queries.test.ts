import { describe, expect, test } from 'vitest'
import type { FoundBuild } from '../../data/builds/build-pages.ts'
import { searchAtRest, type SearchState } from '../../data/builds/build-search.ts'
import { loadableAddress, runOf, searchInHash } from './past-queries.ts'

const build: FoundBuild = {
  facts: {
    buildId: 'aaaaaaaaaaaaa',
    receivedAt: 1,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
  },
  verdict: 'yes',
}
const after = (state: SearchState) => ({ ...searchAtRest(100), state, found: [build, build] })
const search = { query: 'tag:CI', zone: undefined }

test('a search is recorded with what it found, once there is a result', () => {
  expect(runOf(search, after({ is: 'reading', since: 1 }))).toBeUndefined()
  expect(runOf(search, after({ is: 'resting' }))).toEqual({
    query: 'tag:CI',
    zone: null,
    matches: 2,
    isComplete: false,
  })
  expect(runOf(search, after({ is: 'done' }))).toMatchObject({ isComplete: true })
})

test('all builds, and what is too long to be kept, are not recorded', () => {
  expect(runOf({ ...search, query: '  ' }, after({ is: 'done' }))).toBeUndefined()
  expect(runOf({ ...search, query: 'a'.repeat(8001) }, after({ is: 'done' }))).toBeUndefined()
})

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
