import { expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { SharedSearch } from '../../../protocol/shared-search.ts'
import { createWallSearches, type SearchStanding } from './wall-searches.ts'

type Answer = SharedSearch | ProblemError

/** Searches whose answers are given by hand. */
function searchesOf(answerOf: (query: string) => Answer) {
  const clock = createManualClock()
  const asked: string[] = []
  const standings = new Map<string, SearchStanding>()
  let open = 0
  let most = 0
  const searches = createWallSearches({
    clock,
    random: () => 0,
    request: async (query) => {
      asked.push(query)
      most = Math.max(most, ++open)
      await Promise.resolve()
      open -= 1
      const answer = answerOf(query)
      if (answer instanceof ProblemError) throw answer
      return answer
    },
    onAnswer: () => undefined,
    onStanding: (query, standing) => standings.set(query, standing),
  })
  return {
    searches,
    asked,
    standings,
    most: () => most,
    pass: async (ms: number) => {
      clock.advance(ms)
      for (let turn = 0; turn < 100; turn++) await Promise.resolve()
    },
  }
}

const empty: SharedSearch = {
  query: '',
  builds: [],
  askedAt: 0,
  ageMs: 0,
  pollMs: 30_000,
  search: 'supported',
  problem: null,
}

test('many queries are run a few at a time, all of them, and again after half a minute', async () => {
  const { searches, asked, most, pass } = searchesOf(() => empty)
  for (let index = 0; index < 50; index++) searches.add(`project:p${index}`)
  searches.start()
  await pass(0)
  await pass(500)
  expect(new Set(asked).size).toBe(50)
  expect(asked).toHaveLength(50)
  expect(most()).toBeLessThanOrEqual(4)
  await pass(29_000)
  expect(asked).toHaveLength(50)
  await pass(2000)
  await pass(500)
  expect(asked).toHaveLength(100)
})

test('a proxy without the search gets no more requests for a while, and the tile says so', async () => {
  const missing = new ProblemError(problem(404, 'not-found', 'Not found', 'Nothing there.'))
  const { searches, asked, standings, pass } = searchesOf(() => missing)
  searches.add('project:a')
  searches.start()
  await pass(0)
  await pass(300_000)
  expect(standings.get('project:a')).toEqual({ is: 'unsupported' })
  expect(asked).toHaveLength(1)
})

test('a query that is refused is not sent again', async () => {
  const refused = new ProblemError(problem(400, 'query', 'Mistake', 'Unknown field projct.'))
  const { searches, asked, standings, pass } = searchesOf(() => refused)
  searches.add('projct:a')
  searches.start()
  await pass(0)
  for (let minute = 0; minute < 30; minute++) await pass(60_000)
  expect(asked).toHaveLength(1)
  expect(standings.get('projct:a')).toEqual({
    is: 'failed',
    problem: 'Unknown field projct.',
  })
})

test('a proxy that is busy is left alone for as long as it says, by all tiles', async () => {
  const busy = new ProblemError(problem(429, 'busy', 'Busy', 'Too many queries.'), {
    retryAfterMs: 60_000,
  })
  const { searches, asked, pass } = searchesOf(() => busy)
  for (let index = 0; index < 10; index++) searches.add(`project:p${index}`)
  searches.start()
  await pass(0)
  const first = asked.length
  expect(first).toBeLessThan(10)
  await pass(30_000)
  expect(asked).toHaveLength(first)
  await pass(30_500)
  expect(asked.length).toBeGreaterThan(first)
})

test('the results shown while a search fails come with its problem', async () => {
  const fault = problem(503, 'busy', 'Busy', 'The server is busy.')
  const { searches, standings, pass } = searchesOf(() => ({ ...empty, problem: fault }))
  searches.add('project:a')
  searches.start()
  await pass(0)
  expect(standings.get('project:a')).toEqual({ is: 'answered', problem: 'The server is busy.' })
})

test('what had a problem is sent again at once when that is over, and nothing else', async () => {
  const fault = problem(503, 'away', 'Away', 'The server is away.')
  let isAway = true
  const { searches, asked, standings, pass } = searchesOf((query) =>
    query === 'project:a' && isAway ? { ...empty, search: 'unknown', problem: fault } : empty,
  )
  searches.add('project:a')
  searches.add('project:b')
  searches.start()
  await pass(0)
  expect(standings.get('project:a')).toEqual({ is: 'failed', problem: 'The server is away.' })
  isAway = false
  searches.retry()
  await pass(0)
  expect(asked).toEqual(['project:a', 'project:b', 'project:a'])
  expect(standings.get('project:a')).toEqual({ is: 'answered', problem: undefined })
  searches.retry()
  await pass(0)
  expect(asked).toHaveLength(3)
})

test('once stopped, no more requests are sent', async () => {
  const { searches, asked, pass } = searchesOf(() => empty)
  searches.add('project:a')
  searches.start()
  await pass(0)
  searches.stop()
  await pass(300_000)
  expect(asked).toHaveLength(1)
})

test('a query whose answer was given up is sent once more, and not again while that is in flight', async () => {
  const clock = createManualClock()
  let asked = 0
  const searches = createWallSearches({
    clock,
    random: () => 0,
    request: (_, signal) => {
      asked += 1
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('left'))
        })
      })
    },
    onAnswer: () => undefined,
    onStanding: () => undefined,
  })
  searches.add('project:shop')
  searches.start()
  searches.stop()
  searches.start()
  for (let step = 0; step < 10; step++) {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    clock.advance(500)
  }
  expect(asked).toBe(2)
})
