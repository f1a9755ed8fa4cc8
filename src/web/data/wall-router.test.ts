import { describe, expect, test } from 'vitest'
import type { Facts } from '../../protocol/facts.ts'
import { compile } from '../../search/match.ts'
import { parse } from '../../search/parse.ts'
import type { WallQuestion } from './wall-question.ts'
import { createWallRouter, type WallRouter } from './wall-router.ts'

const minute = 60_000
const begin = Date.UTC(2026, 0, 5, 9)

function build(more: Partial<Facts> = {}): Facts {
  return {
    buildId: 'b000000000001',
    receivedAt: begin,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    project: 'core',
    outcome: 'succeeded',
    ...more,
  }
}

const ofProject = (key: string, project: string): WallQuestion => ({
  key,
  search: undefined,
  match: { by: 'project', project },
})

/** A tile of a query, as it is compiled for a moment; `compiled` counts how often. */
function ofQuery(
  key: string,
  query: string,
  isRelative = false,
): { question: WallQuestion; compiled: () => number } {
  let compiled = 0
  const at = (now: number) => {
    compiled += 1
    return compile(parse(query), { now, timeZone: 'UTC' })
  }
  return {
    question: { key, search: query, match: { by: 'query', at, isRelative } },
    compiled: () => compiled,
  }
}

function taken(router: WallRouter, facts: Facts): string[] {
  const keys: string[] = []
  router.route(facts, (key) => keys.push(key))
  return keys
}

describe('a build is routed', () => {
  test('to the tile of its project, however that is written, and to each query that it matches', () => {
    const router = createWallRouter(
      [
        ofProject('core', 'Core'),
        ofProject('web', 'web'),
        ofQuery('good', 'buildOutcome:succeeded').question,
        ofQuery('bad', 'buildOutcome:failed').question,
      ],
      begin,
    )
    expect(taken(router, build())).toEqual(['core', 'good'])
    expect(taken(router, build({ project: 'CORE', outcome: 'failed' }))).toEqual(['core', 'bad'])
    expect(taken(router, build({ project: 'api' }))).toEqual(['good'])
  })

  test('to two tiles that ask for the same project', () => {
    const router = createWallRouter([ofProject('one', 'core'), ofProject('two', 'core')], begin)
    expect(taken(router, build())).toEqual(['one', 'two'])
  })

  test('nowhere while it is not known whether a query matches, or where the query is a mistake', () => {
    const wrong: WallQuestion = { key: 'wrong', search: undefined, match: { by: 'nothing' } }
    const bad = ofQuery('bad', 'buildOutcome:failed').question
    const router = createWallRouter([ofProject('core', 'core'), wrong, bad], begin)
    const { project: _project, outcome: _outcome, ...barely } = build()
    expect(taken(router, barely)).toEqual([])
  })

  test('to a tile that was added later', () => {
    const router = createWallRouter([], begin)
    expect(taken(router, build())).toEqual([])
    router.add(ofProject('core', 'core'))
    expect(taken(router, build())).toEqual(['core'])
  })
})

describe('as time passes', () => {
  test('queries about the last hour mean something else, and only they are compiled anew', () => {
    const recent = ofQuery('recent', 'buildStartTime>-1h', true)
    const always = ofQuery('always', 'buildOutcome:succeeded')
    const router = createWallRouter([recent.question, always.question], begin)
    const facts = build({ startTime: begin - 30 * minute })
    expect(taken(router, facts)).toEqual(['recent', 'always'])
    expect(router.moveTo(begin + 45 * minute)).toEqual(['recent'])
    expect(taken(router, facts)).toEqual(['always'])
    expect(router.stillMatches('recent', facts)).toBe(false)
    expect(router.stillMatches('always', facts)).toBe(true)
    expect([recent.compiled(), always.compiled()]).toEqual([2, 1])
  })

  test('a build of which too little is known stays in its tile', () => {
    const { question } = ofQuery('recent', 'buildStartTime>-1h', true)
    const router = createWallRouter([question], begin)
    router.moveTo(begin + 45 * minute)
    expect(router.stillMatches('recent', build())).toBe(true)
  })

  test('a tile that is added later is compiled for the time that it is then', () => {
    const router = createWallRouter([], begin)
    router.moveTo(begin + 45 * minute)
    router.add(ofQuery('recent', 'buildStartTime>-1h', true).question)
    expect(taken(router, build({ startTime: begin - 30 * minute }))).toEqual([])
  })
})
