import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { runs } from '../../../property-runs.test-support.ts'
import { decodeBuildEvent } from '../../../protocol/build-export.ts'
import { planBuild, testCase } from './build-plan.ts'
import { createEventId, createSeededRandom } from './seeded-random.ts'
import { emitterOf } from './build-events.ts'
import { testEvents } from './gradle-events.ts'

const Started = z.looseObject({
  id: z.string(),
  parent: z.string().nullable(),
  name: z.string(),
  suite: z.boolean(),
})
const Finished = z.looseObject({
  id: z.string(),
  failed: z.boolean(),
  failureId: z.string().nullable(),
})

interface Run {
  readonly started: z.infer<typeof Started>
  readonly finished: z.infer<typeof Finished>
  readonly children: Run[]
}

/** The tests as a tree; fails where a test ends that is not the one that began last. */
function treeOf(seed: number, kind: 'passing' | 'failing' | 'flaky'): Run {
  const random = createSeededRandom(seed)
  const plan = planBuild({ seed, pace: 1 }, random, Date.UTC(2026, 10, 18, 12))
  const special = { test: testCase(plan.project, random()), failureId: createEventId(random) }
  const task = {
    id: createEventId(random),
    module: plan.project.modules[0] ?? '',
    begin: 1000,
    end: 9000,
    failing: null,
    flaky: null,
  }
  const events = testEvents(
    plan,
    { ...task, ...(kind === 'passing' ? {} : { [kind]: special }) },
    emitterOf({ ...plan, project: { ...plan.project, tool: 'gradle' } }, {}),
    random,
  )
  const open: { started: z.infer<typeof Started>; children: Run[] }[] = []
  const roots: Run[] = []
  let time = 1000
  for (const { at, text } of events) {
    const { type, data } = decodeBuildEvent(text)
    expect(at).toBeGreaterThanOrEqual(time)
    time = at
    expect(data.task).toBe(String(task.id))
    if (type.eventType === 'TestStarted') {
      const started = Started.parse(data)
      expect(started.parent).toBe(open.at(-1)?.started.id ?? null)
      open.push({ started, children: [] })
    } else {
      const finished = Finished.parse(data)
      const run = open.pop()
      expect(run?.started.id).toBe(finished.id)
      if (run !== undefined) (open.at(-1)?.children ?? roots).push({ ...run, finished })
    }
  }
  expect(time).toBeLessThanOrEqual(9000)
  expect(open).toEqual([])
  const [root] = roots
  if (root === undefined || roots.length > 1) throw new Error('not one executor')
  return root
}

function cases(run: Run): Run[] {
  return run.started.suite ? run.children.flatMap(cases) : [run]
}

function check(kind: Parameters<typeof treeOf>[1], law: (executor: Run) => void): void {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      law(treeOf(seed, kind))
    }),
    { numRuns: runs(50) },
  )
}

describe('the tests of a task', () => {
  test('pass in suites that pass', () => {
    check('passing', (executor) => {
      expect(cases(executor).length).toBeGreaterThan(0)
      expect(cases(executor).every(({ finished }) => !finished.failed)).toBe(true)
      expect(executor.finished.failed).toBe(false)
    })
  })

  test('fail together with their class and executor, for a named failure', () => {
    check('failing', (executor) => {
      const failed = cases(executor).filter(({ finished }) => finished.failed)
      expect(failed.map(({ finished }) => finished.failureId)).toEqual([expect.any(String)])
      expect(executor.finished.failed).toBe(true)
      expect(executor.children.filter(({ finished }) => finished.failed)).toHaveLength(1)
    })
  })

  test('leave their suites passed when they fail and pass again', () => {
    check('flaky', (executor) => {
      const [first, second] = cases(executor)
      expect([first?.finished.failed, second?.finished.failed]).toEqual([true, false])
      expect(first?.started.name).toBe(second?.started.name)
      expect(first?.started.id).not.toBe(second?.started.id)
      expect(executor.finished.failed).toBe(false)
    })
  })
})
