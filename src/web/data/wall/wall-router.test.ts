import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { createWallRouter, necessaryText, type TileQuery, type WallRouter } from './wall-router.ts'

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

const ofProject = (key: string, project: string): TileQuery => ({
  key,
  search: undefined,
  match: { by: 'project', project },
})

/** A tile of a query, as it is compiled for a moment; `compiled` counts how often. */
function ofQuery(
  key: string,
  query: string,
  isRelative = false,
): { question: TileQuery; compiled: () => number } {
  let compiled = 0
  const at = (now: number) => {
    compiled += 1
    return compile(parse(query), { now, timeZone: 'UTC' })
  }
  return {
    question: {
      key,
      search: query,
      match: { by: 'query', at, isRelative, needs: necessaryText(parse(query)) },
    },
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

  test('to two tiles of the same project', () => {
    const router = createWallRouter([ofProject('one', 'core'), ofProject('two', 'core')], begin)
    expect(taken(router, build())).toEqual(['one', 'two'])
  })

  test('nowhere while it is not known whether a query matches, or where the query is invalid', () => {
    const wrong: TileQuery = { key: 'wrong', search: undefined, match: { by: 'nothing' } }
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

describe('a query that names a text', () => {
  test('is evaluated only for builds that have it, and once for a build that has several of its texts', () => {
    let asked = 0
    const { question } = ofQuery('either', 'tag:a or tag:b')
    const counting: TileQuery = {
      ...question,
      match: {
        by: 'query',
        isRelative: false,
        needs: necessaryText(parse('tag:a or tag:b')),
        at: () => () => {
          asked += 1
          return 'yes'
        },
      },
    }
    const router = createWallRouter([counting], begin)
    expect(taken(router, build({ tags: ['c'] }))).toEqual([])
    expect(taken(router, build({ tags: [] }))).toEqual([])
    expect(taken(router, build())).toEqual([])
    expect(asked).toBe(0)
    expect(taken(router, build({ tags: ['B', 'a', 'A'] }))).toEqual(['either'])
    expect(asked).toBe(1)
  })

  test('takes the very builds that it takes when it is evaluated for all', () => {
    const routed = { total: 0, indexed: 0 }
    fc.assert(
      fc.property(
        fc.array(queryText, { minLength: 1, maxLength: 6 }),
        fc.array(anyFacts, { minLength: 1, maxLength: 8 }),
        (texts, builds) => {
          const questions = texts.map((text, index) => ofQuery(`t${index}`, text).question)
          const indexed = createWallRouter(questions, begin)
          const plain = createWallRouter(questions.map(ofAnyBuild), begin)
          for (const facts of builds) {
            const keys = taken(plain, facts).sort()
            expect(taken(indexed, facts).sort()).toEqual(keys)
            routed.total += keys.length
          }
          routed.indexed += questions.filter(
            ({ match }) => match.by === 'query' && match.needs !== undefined,
          ).length
        },
      ),
      { numRuns: runs(2000) },
    )
    // The law says something: builds were routed, and by texts.
    expect(Math.min(routed.total, routed.indexed)).toBeGreaterThan(runs(1000))
  })
})

function ofAnyBuild(question: TileQuery): TileQuery {
  const { match } = question
  return match.by === 'query' ? { ...question, match: { ...match, needs: undefined } } : question
}

/** Letters whose folding is peculiar, and spaces. */
const word = fc.constantFrom(
  'a',
  'A',
  'b',
  'ab',
  'a b',
  '\u0130',
  'i\u0307',
  '\u03a3',
  '\u03c3',
  '',
)

const termText = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('project', 'rootProjectName', 'tag', 'requested', 'gradle.rootProjectName'),
      word,
      fc.constantFrom('', '', '', '*'),
    )
    .map(([field, text, wildcard]) => `${field}:"${text}${wildcard}"`),
  fc.constantFrom('buildTool:Gradle', 'buildTool:maven', 'gradle.requestedTasks:"a b"'),
  fc.constantFrom('buildOutcome:failed', 'buildDuration>1s', 'buildStartTime>-1h', 'value:a=b'),
  fc.constantFrom(
    'nosuch:x',
    'project:',
    'project:a)',
    '(tag:a',
    'and',
    'project>a',
    'project:[a to b]',
  ),
)

const { query: queryText } = fc.letrec<{ query: string }>((tie) => ({
  query: fc.oneof(
    { depthSize: 'small' },
    { weight: 3, arbitrary: termText },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie('query'), fc.constantFrom(' ', ' and ', ' or '), tie('query'))
        .map((parts) => parts.join('')),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('', '-', 'not ', '!'), tie('query'))
        .map(([sign, inner]) => `${sign}(${inner})`),
    },
  ),
}))

const anyFacts = fc
  .record(
    {
      buildTool: fc.constantFrom('gradle', 'GRADLE', 'maven'),
      project: fc.option(word),
      tags: fc.array(word, { maxLength: 3 }),
      requested: fc.array(word, { maxLength: 3 }),
      outcome: fc.constantFrom('succeeded' as const, 'failed' as const),
      durationMs: fc.constantFrom(500, 2000),
      startTime: fc.constantFrom(begin, begin - 120 * minute),
      fields: fc.record({ 'gradle.rootProjectName': fc.option(word) }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  )
  .map((facts) => {
    const { project: _project, ...barely } = build()
    return { ...barely, ...facts }
  })

function needed(query: string): string | undefined {
  const found = necessaryText(parse(query))
  return found && `${found.field.name} ${found.texts.join(' | ')}`
}

describe('a query cannot be true of a build without', () => {
  test.each([
    ['project:Shop', 'project shop'],
    ['-tag:local (project:"My shop" buildOutcome:failed)', 'project my shop'],
    ['project:a or project:b or (project:A tag:ci)', 'project a | b'],
    ['(tag:a or tag:b) buildTool:gradle', 'tag a | b'],
    ['buildTool:gradle tag:ci gradle.rootProjectName:shop', 'gradle.rootProjectName shop'],
    ['project:a nosuch:x', 'project a'],
  ])('what %s names: %s', (query, text) => {
    expect(needed(query)).toBe(text)
  })
})

test.each([
  '',
  'project:shop*',
  'project:*',
  '-project:shop',
  'not (project:shop)',
  'project:a or tag:a',
  'project:a or buildDuration>1s',
  'buildDuration>1s buildStartTime>-1h',
  // Tasks are also read joined by spaces.
  'requested:test',
  'gradle.requestedTasks:test',
  'shop',
])('%s lets no build be left out for one text', (query) => {
  expect(needed(query)).toBeUndefined()
})
