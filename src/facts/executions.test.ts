import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createExecutions, executionEventTypes } from './executions.ts'
import { type EventData, readEventHead } from './event.ts'
import { allExecutions } from './execution-table.ts'

type RawEvent = readonly [type: string, at: number, data: EventData]

/** What the events yield: read as servers write them, and again with their data parsed. */
function executed(...events: readonly RawEvent[]) {
  const [written, parsed] = [false, true].map((isParsed) => {
    const executions = createExecutions()
    for (const [eventType, timestamp, data] of events) {
      const type = { majorVersion: 1, minorVersion: 0, eventType }
      const text = JSON.stringify({ timestamp, type, data }).replace(/"(-?\d{16,})"/g, '$1')
      try {
        executions.take(eventType, timestamp, text, isParsed ? -1 : readEventHead(text).dataAt)
      } catch (error) {
        // An event that can't be read is no reason to lose the others.
        if (!(error instanceof TypeError)) throw error
      }
    }
    const all = [...allExecutions(executions)]
    return { all, counts: executions.counts(), lanes: executions.lanes() }
  })
  if (written === undefined || parsed === undefined) throw new Error('nothing was executed')
  expect(parsed).toEqual(written)
  return written
}

const started = (id: string, path: string, at = 0, more: EventData = {}): RawEvent => [
  'TaskStarted',
  at,
  { id, path, buildPath: ':', ...more },
]
const finished = (id: string, outcome: string, at = 10, more: EventData = {}): RawEvent => [
  'TaskFinished',
  at,
  { id, path: ':lost', outcome, ...more },
]

describe('tasks', () => {
  test('keep 64-bit ids apart that are the same as numbers', () => {
    const [one, other] = ['-4605989310301599227', '-4605989310301599225']
    expect(Number(one)).toBe(Number(other))
    const { all } = executed(
      started(one, ':a'),
      started(other, ':b'),
      finished(other, 'failed', 7),
      finished(one, 'success', 9),
    )
    expect(all).toMatchObject([
      { id: one, path: ':a', outcome: 'succeeded', durationMs: 9 },
      { id: other, path: ':b', outcome: 'failed', durationMs: 7 },
    ])
  })

  test('of an included build have its path before theirs', () => {
    const { all } = executed(started('1', ':jar', 0, { buildPath: ':buildSrc' }))
    expect(all[0]?.path).toBe(':buildSrc:jar')
  })

  test.each([
    ['success', 'succeeded'],
    ['failed', 'failed'],
    ['up_to_date', 'up-to-date'],
    ['UP-TO-DATE', 'up-to-date'],
    ['from_cache', 'from-cache'],
    ['avoided_from_remote_cache', 'from-cache'],
    ['no_source', 'no-source'],
    ['no-source', 'no-source'],
    ['skipped', 'skipped'],
    ['exploded', 'other'],
    ['constructor', 'other'],
  ])('that end as %s are %s, and keep the word', (raw, outcome) => {
    const { all, counts } = executed(started('1', ':a'), finished('1', raw))
    expect(all[0]).toMatchObject({ outcome, rawOutcome: raw })
    expect(counts.task).toEqual({ [outcome]: 1 })
  })

  test('without a finish are unfinished, without a start have no duration', () => {
    const { all, counts } = executed(started('1', ':a'), finished('2', 'success', 5))
    expect(all).toMatchObject([
      { path: ':a', outcome: 'unfinished', durationMs: null },
      { path: ':lost', outcome: 'succeeded', durationMs: null, startedAt: 5 },
    ])
    expect(counts.task).toEqual({ unfinished: 1, succeeded: 1 })
  })

  test('are finished once, whatever comes again', () => {
    const { all } = executed(
      started('1', ':a'),
      finished('1', 'success', 5),
      finished('1', 'failed', 9),
    )
    expect(all).toMatchObject([{ outcome: 'succeeded', durationMs: 5 }])
  })
})

describe('the build cache', () => {
  const operation = (name: string, id: string, at: number, more: EventData = {}): RawEvent[] => [
    [`BuildCache${name}Started`, at, { id, task: '1' }],
    [`BuildCache${name}Finished`, at, { id, failureId: null, ...more }],
  ]
  const use = (outcome: string, operations: readonly RawEvent[], more: EventData = {}) =>
    executed(started('1', ':a'), ...operations, finished('1', outcome, 9, more)).all[0]?.cache

  test.each([
    ['an unpack alone', operation('Unpack', '2', 1), 'local'],
    [
      'a hit of the remote cache',
      [...operation('RemoteLoad', '2', 1, { hit: true }), ...operation('Unpack', '3', 2)],
      'remote',
    ],
    [
      'a miss of the remote cache',
      [...operation('RemoteLoad', '2', 1, { hit: false }), ...operation('Unpack', '3', 2)],
      'local',
    ],
    [
      'a remote load that failed',
      [...operation('RemoteLoad', '2', 1, { failureId: '5' }), ...operation('Unpack', '3', 2)],
      'local',
    ],
    ['nothing', [], null],
  ])('loads from where %s says', (_name, operations, from) => {
    expect(use('from_cache', operations)).toEqual({ kind: 'loaded', from })
  })

  test('stores what was packed, here or remotely', () => {
    expect(use('success', operation('Pack', '2', 1))).toEqual({ kind: 'stored', to: 'local' })
    expect(
      use('success', [...operation('Pack', '2', 1), ...operation('RemoteStore', '3', 2)]),
    ).toEqual({ kind: 'stored', to: 'remote' })
  })

  test('is missed, refused with a reason, not needed, or not known', () => {
    expect(use('success', [], { cacheable: true })).toEqual({ kind: 'missed' })
    const why = {
      cachingDisabledReasonCategory: 'OVERLAPPING_OUTPUTS',
      cachingDisabledExplanation: 'Gradle does not know how',
    }
    expect(use('success', [], { cacheable: false, ...why })).toEqual({
      kind: 'not-cacheable',
      category: 'OVERLAPPING_OUTPUTS',
      reason: 'Gradle does not know how',
    })
    expect(use('no_source', [])).toEqual({ kind: 'not-needed' })
    expect(use('up_to_date', [], { cacheable: true })).toEqual({ kind: 'up-to-date' })
    expect(use('success', [])).toEqual({ kind: 'unknown' })
  })
})

describe('goals and tests', () => {
  test('goals are called by their project, and say why they were not cached', () => {
    const { all } = executed(
      ['MvnProjectStructure', 0, { projects: [{ id: '7', name: null, artifactId: 'core' }] }],
      [
        'MvnGoalExecutionStarted',
        1,
        {
          id: '1',
          name: 'compiler:compile',
          executionId: 'default-compile',
          projectId: '7',
          mojoClassName: 'CompilerMojo',
        },
      ],
      [
        'MvnGoalExecutionFinished',
        5,
        {
          id: '1',
          outcome: 'failed',
          nonCacheableReason: 'Not supported.',
          cachingDisabledReasonCategory: 'goal_not_supported',
          failureId: '9007199254740993',
        },
      ],
    )
    expect(all).toMatchObject([
      {
        kind: 'goal',
        path: 'core compiler:compile (default-compile)',
        outcome: 'failed',
        failureId: '9007199254740993',
        cache: { kind: 'not-cacheable', reason: 'Not supported.' },
      },
    ])
  })

  test('tests belong to their task; suites are no tests', () => {
    const test = (id: string, name: string, suite: boolean): RawEvent => [
      'TestStarted',
      2,
      { task: '1', id, parent: null, name, className: 'ShopTest', suite },
    ]
    const { all, counts, lanes } = executed(
      started('1', ':shop:test'),
      test('2', 'Gradle Test Executor 1', true),
      test('3', 'opens', false),
      ['TestFinished', 4, { task: '1', id: '3', failed: true, skipped: false, failureId: '8' }],
      test('4', 'closes', false),
      ['TestFinished', 5, { task: '1', id: '4', failed: false, skipped: true }],
      ['TestFinished', 6, { task: '1', id: '2', failed: true }],
    )
    expect(all.slice(1)).toMatchObject([
      {
        kind: 'test',
        path: 'ShopTest opens',
        parent: ':shop:test',
        outcome: 'failed',
        failureId: '8',
      },
      { kind: 'test', path: 'ShopTest closes', outcome: 'skipped' },
    ])
    expect(counts.test).toEqual({ failed: 1, skipped: 1 })
    expect(lanes).toEqual({ work: 1, tests: 1 })
  })
})

describe('a test whose end does not say how it ended', () => {
  test('stays unfinished', () => {
    const { counts } = executed(
      ['TestStarted', 0, { task: '1', id: '2', name: 'closes', suite: false }],
      ['TestFinished', 5, { task: '1', id: '2', skipped: false }],
    )
    expect(counts.test).toEqual({ unfinished: 1 })
  })
})

describe('whatever comes', () => {
  const type = fc.constantFrom(...executionEventTypes, 'Novelty')
  const value = fc.oneof(
    fc.constantFrom('1', '2', '3', ':a', 'success', null, true, false),
    fc.jsonValue(),
  )
  const data = fc.dictionary(
    fc.constantFrom('id', 'task', 'path', 'name', 'outcome', 'suite', 'failed', 'hit', 'projects'),
    value,
  )
  const rawEvents = fc.array(fc.tuple(type, fc.nat(1000), data), { maxLength: 60 })

  test('no event breaks the executions, and the counts are theirs', () => {
    fc.assert(
      fc.property(rawEvents, (events) => {
        const { all, counts } = executed(...events)
        for (const kind of ['task', 'goal', 'test'] as const) {
          const ofKind = all.filter((execution) => execution.kind === kind)
          expect(Object.values(counts[kind]).reduce((sum, count) => sum + count, 0)).toBe(
            ofKind.length,
          )
        }
      }),
    )
  })

  test('no two tasks that run at the same time share a lane', () => {
    const spans = fc.array(fc.record({ from: fc.nat(100), length: fc.nat(40) }), { maxLength: 40 })
    fc.assert(
      fc.property(spans, (tasks) => {
        const events = tasks
          .flatMap(({ from, length }, index): RawEvent[] => [
            started(String(index), `:t${index}`, from),
            finished(String(index), 'success', from + length + 1),
          ])
          .sort((a, b) => a[1] - b[1])
        const { all } = executed(...events)
        for (const one of all) {
          for (const other of all) {
            if (one === other || one.lane !== other.lane) continue
            const [first, second] = one.startedAt <= other.startedAt ? [one, other] : [other, one]
            expect(first.startedAt + (first.durationMs ?? 0)).toBeLessThanOrEqual(second.startedAt)
          }
        }
      }),
    )
  })
})
