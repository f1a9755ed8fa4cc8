import { describe, expect, test } from 'vitest'
import type { Facts } from '../protocol/facts.ts'
import { ProblemError, problemError } from '../protocol/problem.ts'
import {
  type AroundSource,
  comparedBuilds,
  earlierBuilds,
  earlierSuccesses,
  failuresAround,
  failuresElsewhere,
  readAround,
  originDays,
} from './builds-around.ts'
import { failureStreak } from './failure-streak.ts'

const day = 86_400_000
const now = 100 * day

function build(buildId: string, branch: string | undefined, more: Partial<Facts> = {}): Facts {
  return {
    buildId,
    receivedAt: now,
    buildTool: 'gradle',
    buildToolVersion: '9.2',
    agentVersion: '4.1',
    project: 'shop',
    outcome: 'failed',
    values: branch === undefined ? [] : [{ name: 'Git branch', value: branch }],
    ...more,
  }
}

const mine = build('mine', 'main')

describe('what is asked for around a build', () => {
  test('is of its project, tool and branch, the newest first', () => {
    expect(earlierBuilds(mine)).toEqual({
      fromInstant: now,
      reverse: true,
      maxBuilds: 50,
      models: ['gradle-attributes'],
      query: 'project:"shop" buildTool:"gradle" value:"Git branch=main"',
    })
    expect(earlierSuccesses(mine, true).query).toBe(
      'project:"shop" buildTool:"gradle" value:"Git branch=main" buildOutcome:"succeeded"',
    )
  })

  test('is of any branch where that is wanted, or the build names none', () => {
    const any = 'project:"shop" buildTool:"gradle"'
    expect(earlierSuccesses(mine, false).query).toBe(`${any} buildOutcome:"succeeded"`)
    expect(earlierBuilds(build('mine', undefined)).query).toBe(any)
    expect(failuresAround(mine)).toMatchObject({
      query: `${any} buildOutcome:"failed"`,
      fromInstant: now + day,
    })
  })

  test.each([
    ['unknown', undefined],
    ['quoted', 'a "shop"'],
    ['ending in a backslash', 'shop\\'],
    ['ending in half a character', 'shop\ud83d'],
    ['longer than an address', 's'.repeat(3001)],
    ['longer than an address once encoded', 'ü'.repeat(1000)],
  ])('leaves out a project that is %s', (_, project) => {
    expect(earlierBuilds(build('mine', 'main', { project })).query).toBe(
      'buildTool:"gradle" value:"Git branch=main"',
    )
  })

  test('has no models of a tool that has none', () => {
    expect(earlierBuilds(build('mine', 'main', { buildTool: 'make' })).models).toEqual([])
  })
})

describe('what is read around a build', () => {
  const own = build('mine000000000', 'main')
  const summary = {
    ...{ availableAt: 1, buildToolType: 'gradle' },
    ...{ buildToolVersion: '9.2', buildAgentVersion: '4.1' },
  }
  const whole = (id: string, availableAt: number) => ({
    ...{ ...summary, id, availableAt },
    models: { gradleAttributes: { model: { rootProjectName: 'shop', hasFailed: true } } },
  })
  const nothing: AroundSource = {
    list: () => Promise.resolve([]),
    earlier: () => Promise.reject(new Error('not asked for')),
    readFacts: () => Promise.reject(new Error('not asked for')),
  }
  const read = async (source: Partial<AroundSource>) =>
    (await readAround(own, earlierBuilds(own), { ...nothing, ...source })).map(
      ({ buildId, project }) => [buildId, project],
    )

  test('comes from the builds received before where a page has the oldest of one moment', async () => {
    const at = (availableAt: number) => ({
      ...summary,
      availableAt,
      id: `b00000000000${availableAt}`,
    })
    const source: Partial<AroundSource> = {
      list: ({ since }) => Promise.resolve(since === 2 ? [at(8)] : [at(1)]),
      earlier: () => Promise.resolve([at(8), at(1)]),
      readFacts: () => Promise.resolve(new Map()),
    }
    expect((await read(source)).map(([id]) => id)).toEqual(['b000000000008', 'b000000000001'])
  })

  test('is what the list says of the others, with attributes or without', async () => {
    const list = [
      { ...summary, id: 'mine000000000' },
      { ...summary, id: 'bare000000000', buildAgentVersion: null, more: {} },
      { ...summary, availableAt: 'soon', id: 'none000000000' },
      null,
      whole('whole00000000', 1),
    ]
    expect(await read({ list: () => Promise.resolve(list) })).toEqual([
      ['bare000000000', undefined],
      ['whole00000000', 'shop'],
    ])
  })

  test('is asked for without a search where that is refused', async () => {
    const list: AroundSource['list'] = ({ query }) =>
      query === undefined
        ? Promise.resolve([whole('whole00000000', 1)])
        : Promise.reject(problemError(400, 'bad', 'Bad', 'No such parameter.'))
    expect(await read({ list })).toEqual([['whole00000000', 'shop']])
  })

  test.each([
    ['begins with the oldest builds', [whole('b000000000001', 1), whole('b000000000002', 2)]],
    ['is missing', problemError(404, 'none', 'None', 'No such page.')],
    [
      "isn't for Sightline's user",
      problemError(502, 'upstream-auth', 'Denied', 'No.', { upstreamStatus: 403 }),
    ],
    [
      'rejects the credentials',
      problemError(502, 'upstream-auth', 'Rejected', 'No.', { upstreamStatus: 401 }),
    ],
    ["doesn't respond", problemError(504, 'upstream-timeout', 'Silent', 'It sent nothing.')],
  ])(
    'comes from the builds received before, and from their events, where the list %s',
    async (_, list) => {
      const asked: unknown[] = []
      const source: Partial<AroundSource> = {
        list: () => (list instanceof ProblemError ? Promise.reject(list) : Promise.resolve(list)),
        earlier: (before) => {
          asked.push(before)
          return Promise.resolve(
            ['b000000000002', 'b000000000001'].map((id) => ({ ...summary, id })),
          )
        },
        readFacts: (ids) => {
          asked.push(ids)
          return Promise.resolve(
            new Map([['b000000000002', build('b000000000002', 'main', { project: 'web' })]]),
          )
        },
      }
      expect(await read(source)).toEqual([
        ['b000000000002', 'web'],
        ['b000000000001', undefined],
      ])
      expect(asked).toEqual([now + 1, ['b000000000002', 'b000000000001']])
    },
  )

  test('says why the list is missing where nothing else is there either', async () => {
    const denied = problemError(502, 'upstream-auth', 'Denied', 'No.', { upstreamStatus: 403 })
    const other = problemError(403, 'other', 'Other', 'No events.')
    const source = { list: () => Promise.reject(denied), earlier: () => Promise.reject(other) }
    await expect(read(source)).rejects.toBe(denied)
  })

  test('fails where the list fails otherwise', async () => {
    const fault = problemError(503, 'away', 'Away', 'Not now.')
    await expect(read({ list: () => Promise.reject(fault) })).rejects.toBe(fault)
  })
})

test('elsewhere are recent failures of the project on other branches', () => {
  const elsewhere = build('fix', 'fix')
  const others = [
    elsewhere,
    build('green', 'fix', { outcome: 'succeeded' }),
    build('other', 'fix', { project: 'web' }),
    build('old', 'fix', { receivedAt: now - originDays * day - 1 }),
    build('same', 'main'),
  ]
  expect(failuresElsewhere(mine, others)).toEqual({ others: [elsewhere], days: originDays })
  const many = Array.from({ length: 70 }, (_, at) => build(`fix${at}`, 'fix'))
  expect(failuresElsewhere(mine, many).others).toEqual(many.slice(0, 60))
})

test('where more failed elsewhere than are looked at, it says how far back these go', () => {
  const hourly = (branch: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      build(`${branch}${at}`, branch, { receivedAt: mine.receivedAt - (at * day) / 24 }),
    )
  expect(failuresElsewhere(mine, hourly('fix', 70)).days).toBeCloseTo(59 / 24)
  // A list that is full may have no other branch in it.
  expect(failuresElsewhere(mine, hourly('main', 99)).days).toBeCloseTo(98 / 24)
  expect(failuresElsewhere(mine, hourly('main', 20)).days).toBe(originDays)
  expect(failuresElsewhere(mine, undefined)).toEqual({ others: [], days: undefined })
})

test('compared are the build, ten of the row before it, and those elsewhere, each once', () => {
  const before = Array.from({ length: 12 }, (_, at) => build(`before${at}`, 'main'))
  const compared = comparedBuilds(mine, failureStreak(mine, before), [mine, build('fix', 'fix')])
  expect(compared).toEqual(['mine', ...before.slice(0, 10).map(({ buildId }) => buildId), 'fix'])
})
