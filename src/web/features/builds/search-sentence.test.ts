import { expect, test } from 'vitest'
import type { Facts } from '../../../protocol/facts.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { untriedAbility } from '../../data/builds/build-list-reader.ts'
import type { BuildSearchView } from '../../data/builds/build-search.ts'
import { searchSentence, type Standings, standingsOf, uncountedText } from './search-sentence.ts'

const week = 7 * 86_400_000
const none: Standings = {
  total: 0,
  failed: 0,
  succeeded: 0,
  unknown: 0,
  mostFailing: undefined,
  slowest: undefined,
}
const plain: Facts = {
  buildId: 'b000000000000',
  receivedAt: 1,
  buildTool: 'gradle',
  buildToolVersion: '9',
  agentVersion: '4',
}

const some: Standings = {
  ...none,
  total: 312,
  failed: 31,
  succeeded: 281,
  mostFailing: { project: 'checkout', failed: 12 },
}

const fault = new ProblemError(problem(400, 'x', 'x', 'x'))

function view(
  state: BuildSearchView['state'],
  more: Partial<Pick<BuildSearchView, 'read' | 'unsure' | 'ability'>> = {},
) {
  return { state, found: [], read: 312, unsure: 0, ability: untriedAbility, ...more }
}

const filteredHere = { ability: { ...untriedAbility, search: 'ignored' } } as const

test.each([
  [
    'done, against before',
    view({ is: 'done' }),
    some,
    { count: 529, lengthMs: week },
    '312 builds, 41% fewer than the week before. 31 failed (10%). Most often: checkout (12).',
  ],
  [
    'done, more',
    view({ is: 'done' }),
    some,
    { count: 200, lengthMs: 2 * week },
    '312 builds, 56% more than the 14 d before. 31 failed (10%). Most often: checkout (12).',
  ],
  [
    'done, as many',
    view({ is: 'done' }),
    some,
    { count: 312, lengthMs: 86_400_000 },
    '312 builds, about as many as the day before. 31 failed (10%). Most often: checkout (12).',
  ],
  [
    'done, none before',
    view({ is: 'done' }),
    some,
    { count: 0, lengthMs: 3_600_000 },
    '312 builds, and the server has none from the hour before. 31 failed (10%). Most often: checkout (12).',
  ],
  [
    'not to the end',
    view({ is: 'resting' }),
    some,
    { count: 529, lengthMs: week },
    '312 builds so far. 31 failed (10%). Most often: checkout (12).',
  ],
  [
    'one failure of a project',
    view({ is: 'done' }),
    { ...some, failed: 1, mostFailing: { project: 'a', failed: 1 } },
    undefined,
    '312 builds. 1 failed (< 1%).',
  ],
  [
    'all failed',
    view({ is: 'done' }),
    { ...some, failed: 312 },
    undefined,
    '312 builds. All failed. Most often: checkout (12).',
  ],
  [
    'no failure',
    view({ is: 'done' }),
    { ...none, total: 1, succeeded: 1 },
    undefined,
    '1 build. None failed.',
  ],
  [
    'outcomes unknown',
    view({ is: 'done' }),
    { ...none, total: 4, unknown: 4 },
    undefined,
    '4 builds.',
  ],
  [
    'some outcomes unknown',
    view({ is: 'done' }),
    { ...none, total: 300, failed: 75, succeeded: 75, unknown: 150 },
    undefined,
    '300 builds. 75 failed (50% of 150 known), 150 unknown.',
  ],
  [
    'no failure among the known outcomes',
    view({ is: 'done' }),
    { ...none, total: 300, succeeded: 150, unknown: 150 },
    undefined,
    '300 builds. None failed, 150 unknown.',
  ],
  [
    'a list that ended otherwise than lists do',
    view({ is: 'done', note: 'It repeats itself.' }),
    some,
    { count: 529, lengthMs: week },
    '312 builds so far. 31 failed (10%). Most often: checkout (12).',
  ],
  [
    'nothing in such a list',
    view({ is: 'done', note: "It isn't readable." }, { read: 0 }),
    none,
    undefined,
    "Can't show builds.",
  ],
  [
    'filtered here',
    view({ is: 'resting' }, { read: 2000, unsure: 4, ...filteredHere }),
    { ...none, total: 16, succeeded: 12, unknown: 4 },
    undefined,
    '12 of 2,000 builds checked match; 4 may match. None failed, 4 unknown.',
  ],
  [
    'filtered here, nothing known',
    view({ is: 'done' }, { read: 250, unsure: 50, ...filteredHere }),
    { ...none, total: 50, unknown: 50 },
    undefined,
    'None of 250 builds checked matches for certain; 50 may match.',
  ],
  [
    'nothing yet',
    view({ is: 'reading', since: 0 }, { read: 0 }),
    none,
    undefined,
    'Searching the build server…',
  ],
  [
    'nothing after much',
    view({ is: 'resting' }, { read: 2000 }),
    none,
    undefined,
    'No match in 2,000 builds so far.',
  ],
  ['nothing at all', view({ is: 'done' }, { read: 0 }), none, undefined, 'No builds match.'],
  [
    'refused',
    view({ is: 'refused', problem: fault }),
    none,
    undefined,
    'The build server rejects this query.',
  ],
])('%s', (_, shown, standings, before, sentence) => {
  expect(searchSentence(shown, standings, before, true)).toBe(sentence)
})

test.each([
  ['Counting builds…', view({ is: 'idle' }, { read: 0 })],
  ['Counting builds…', view({ is: 'reading', since: 0 }, { read: 0 })],
  [
    'Counting builds…',
    { ...view({ is: 'done' }), found: [{ facts: plain, verdict: 'yes' }] as const },
  ],
  ['No match in 312 builds so far.', view({ is: 'reading', since: 0 })],
  ['The build server is busy.', view({ is: 'waiting', until: 1, reason: 'x' }, { read: 0 })],
  ["Can't count builds.", view({ is: 'failed', problem: fault }, { read: 0 })],
  ['The build server rejects this query.', view({ is: 'refused', problem: fault }, { read: 0 })],
  ['No builds match.', view({ is: 'done' }, { read: 0 })],
])('in the place of counts: %s', (sentence, shown) => {
  expect(uncountedText(shown, true)).toBe(sentence)
})

test('what fails most and what takes longest stand out', () => {
  const builds: Facts[] = [
    { ...plain, outcome: 'failed', project: 'a', durationMs: 5 },
    { ...plain, outcome: 'failed', project: 'b', durationMs: 9, buildId: 'slow000000000' },
    { ...plain, outcome: 'failed', project: 'b', durationMs: 9 },
    { ...plain, outcome: 'failed', project: null },
    { ...plain, outcome: 'succeeded', project: 'a' },
    plain,
  ]
  const standings = standingsOf(builds)
  expect(standings).toMatchObject({ total: 6, failed: 4, succeeded: 1, unknown: 1 })
  expect(standings.mostFailing).toEqual({ project: 'b', failed: 2 })
  expect(standings.slowest?.buildId).toBe('slow000000000')
})

test('of nothing nothing stands out', () => {
  expect(standingsOf([])).toMatchObject({ total: 0, mostFailing: undefined, slowest: undefined })
})
