import { expect, test } from 'vitest'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { type BuildSearchView, searchAtRest } from '../../data/builds/build-search.ts'
import { searchFailure, searchNotes } from './search-notices.tsx'

const rest = searchAtRest(100)
const read: BuildSearchView = { ...rest, read: 2000, state: { is: 'resting' } }
const nothingKnown = {
  ...{ buildId: 'b000000000001', receivedAt: 1, buildTool: 'gradle' },
  ...{ buildToolVersion: '9', agentVersion: '4' },
}
const plain = { search: 'ignored', tools: [], areToolsKnown: true, walk: 'export' } as const

test('a server that knows all there is needs no note', () => {
  expect(searchNotes(read, true, 'Nov 3')).toEqual([])
})

test.each([
  ['ignored', 'ignores queries'],
  ['refused', 'refuses searches'],
] as const)('that a server %s a search is noted, with how far it was read', (search, how) => {
  const view = { ...read, ability: { ...rest.ability, search } }
  expect(searchNotes(view, true, 'Nov 3')).toEqual([
    `The build server ${how}, so Sightline filters its builds: 2,000 checked, back to Nov 3, 0 match.`,
  ])
  expect(searchNotes(view, false, 'Nov 3')).toEqual([])
})

test('what a server without a list or details cannot do is explained in three ways', () => {
  const found = Array.from({ length: 6 }, () => ({ facts: nothingKnown, verdict: 'yes' as const }))
  const view = { ...read, found, ability: plain, unsure: 4 }
  expect(searchNotes(view, true, 'noon').join('\n')).toMatch(
    /back to noon, 2 match[^]*4 may or may not match[^]*from its export stream[^]*reads each build's events/,
  )
})

test('what was left out, disputed or slow is noted', () => {
  const view: BuildSearchView = {
    ...read,
    malformed: 1,
    disputed: 2,
    pageSize: 25,
    state: { is: 'done', note: 'The list ends here.' },
  }
  expect(searchNotes(view, true, undefined)).toEqual([
    "According to the server, 2 builds of these match, although their details here don't.",
    "1 entry of the list couldn't be read and was skipped.",
    'The server is too slow for 100 builds at once, so Sightline requests 25 at a time.',
    'The list ends here.',
  ])
})

test('one disputed build is said in the singular', () => {
  expect(searchNotes({ ...read, disputed: 1 }, true, undefined)).toEqual([
    "According to the server, 1 build of these matches, although its details here don't.",
  ])
})

test('who is too busy and who is out of reach are told apart', () => {
  const failure = (status: number, code: string) =>
    searchFailure(new ProblemError(problem(status, code, 'Title', 'What happened.')))
  expect(failure(503, 'status-503').title).toBe('The build server is too busy.')
  expect(failure(503, 'status-503').meaning).toBe(
    'Sightline retried several times. What happened. Try again.',
  )
  expect(failure(503, 'unreachable').title).toBe("Can't reach Sightline.")
  expect(failure(502, 'broken-off')).toMatchObject({
    title: "Can't load builds right now.",
    meaning: 'What happened. Try again.',
  })
})
