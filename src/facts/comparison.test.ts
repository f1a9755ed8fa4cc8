import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareEnvironments, compareExecutions, compareFacts, grownMost } from './comparison.ts'
import type { Facts } from '../protocol/facts.ts'
import type { Execution } from './execution.ts'

function task(
  path: string,
  durationMs: number | null,
  outcome: Execution['outcome'] = 'succeeded',
): Execution {
  return {
    id: '1',
    kind: 'task',
    path,
    className: null,
    parent: null,
    startedAt: 0,
    durationMs,
    outcome,
    rawOutcome: null,
    cache: { kind: 'unknown' },
    originMs: null,
    failureId: null,
    lane: 0,
  }
}

function compared(left: readonly Execution[], right: readonly Execution[]) {
  return compareExecutions(left, right).map(({ path, change, differenceMs }) => [
    path,
    change,
    differenceMs,
  ])
}

describe('executions of two builds', () => {
  test('are distinguished by their outcomes, failures first', () => {
    const left = [
      task(':a', 100),
      task(':b', 1000),
      task(':c', 1000),
      task(':d', 100),
      task(':e', 500),
      task(':g', 5, 'from-cache'),
      task(':h', 50),
      task(':i', 5, 'failed'),
      task(':j', 5, 'failed'),
      task(':k', 5, 'skipped'),
      task(':l', 5, 'up-to-date'),
    ]
    const right = [
      task(':a', 100, 'failed'),
      task(':b', 3000),
      task(':c', 900),
      task(':e', 100),
      task(':f', 9),
      task(':g', 700),
      task(':h', 5, 'up-to-date'),
      task(':i', 5, 'failed'),
      task(':j', 5),
      task(':k', 5),
      task(':l', 5, 'from-cache'),
      task(':m', 4, 'failed'),
    ]
    expect(compared(left, right)).toEqual([
      [':m', 'failed', 4],
      [':a', 'failed', 0],
      [':i', 'still-failed', 0],
      [':j', 'fixed', 0],
      [':g', 'ran', 695],
      [':f', 'added', 9],
      [':d', 'removed', -100],
      [':k', 'outcome', 0],
      [':b', 'slower', 2000],
      [':h', 'avoided', -45],
      [':e', 'faster', -400],
      [':c', 'same', -100],
      [':l', 'same', 0],
    ])
    expect(grownMost(compareExecutions(left, right), 2).map(({ path }) => path)).toEqual([
      ':b',
      ':g',
    ])
  })

  test('that repeat a path are matched in their turn', () => {
    expect(compared([task(':a', 1), task(':a', 2)], [task(':a', 1)])).toEqual([
      [':a', 'removed', -2],
      [':a', 'same', 0],
    ])
  })

  test('differ only where the difference is more than noise', () => {
    expect(compared([task(':a', 50)], [task(':a', 140)])).toEqual([[':a', 'same', 90]])
    expect(compared([task(':a', 1000)], [task(':a', 1150)])).toEqual([[':a', 'same', 150]])
    expect(compared([task(':a', 1000)], [task(':a', 1300)])).toEqual([[':a', 'slower', 300]])
  })

  test('are all there, and mirrored when the sides are changed', () => {
    const one = fc.tuple(
      fc.constantFrom(':a', ':b', ':c'),
      fc.nat(2000),
      fc.constantFrom('failed' as const, 'succeeded' as const),
    )
    const many = fc.array(
      one.map(([path, ms, outcome]) => task(path, ms, outcome)),
      { maxLength: 12 },
    )
    const mirror = {
      added: 'removed',
      removed: 'added',
      slower: 'faster',
      faster: 'slower',
      failed: 'fixed',
      fixed: 'failed',
    }
    fc.assert(
      fc.property(many, many, (left, right) => {
        const there = compareExecutions(left, right)
        const back = compareExecutions(right, left)
        expect(there.filter((row) => row.left !== null)).toHaveLength(left.length)
        expect(there.filter((row) => row.right !== null)).toHaveLength(right.length)
        const inBoth = (rows: typeof there) => rows.filter((row) => row.left && row.right)
        const mirrored = inBoth(there).map(
          ({ change }) => Object.entries(mirror).find(([key]) => key === change)?.[1] ?? change,
        )
        const changed = inBoth(back).map(({ change }) => change)
        expect(changed.sort()).toEqual(mirrored.sort())
        const alone = there.filter((row) => row.left === null)
        for (const { change, right } of alone) {
          expect(change).toBe(right?.outcome === 'failed' ? 'failed' : 'added')
        }
      }),
    )
  })
})

describe('facts of two builds', () => {
  const facts = {
    buildId: 'a',
    receivedAt: 1,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
  }

  test('stand side by side, with what is known of one alone', () => {
    const rows = compareFacts(
      {
        ...facts,
        outcome: 'failed',
        durationMs: 2000,
        tags: ['b', 'a'],
        values: [{ name: 'x', value: '1' }],
      },
      { ...facts, outcome: 'succeeded', tags: ['a', 'b'], fields: { 'gradle.y': null } },
      (ms) => `${ms} ms`,
    )
    const row = (name: string) => rows.find((one) => one.name === name)
    expect(row('outcome')).toEqual({
      group: 'Build',
      name: 'outcome',
      left: 'failed',
      right: 'succeeded',
      isSame: false,
    })
    expect(row('duration')).toMatchObject({ left: '2000 ms', right: undefined })
    expect(row('tags')).toMatchObject({ isSame: true })
    expect(row('x')).toMatchObject({ left: '1', right: undefined })
    expect(row('gradle.y')).toMatchObject({ left: undefined, right: null, isSame: true })
    expect(row('tool version')).toMatchObject({ isSame: true })
  })

  test('distinguish a custom value that a build does not have from one that is not known', () => {
    const ended: Facts = { ...facts, outcome: 'succeeded', values: [] }
    const value = { name: 'CI job', value: '7' }
    const right = (other: Facts) =>
      compareFacts({ ...ended, values: [value, value] }, other, String).find(
        ({ name }) => name === 'CI job',
      )
    expect(right(ended)).toMatchObject({ left: '7, 7', right: null, isSame: false })
    expect(right(facts)).toMatchObject({ left: '7, 7', right: undefined })
    // Its events may break off before the value.
    expect(right({ ...facts, values: [] })).toMatchObject({ right: undefined })
  })

  test('name project and versions once, also where fields and attributes repeat them', () => {
    const own = { ...facts, project: 'shop', fields: { 'maven.extensionVersion': '4' } }
    const other = { ...facts, project: 'shop', fields: { 'npm.projectName': null, 'npm.x': 1 } }
    const names = compareFacts(own, other, String).map(({ name }) => name)
    expect(names).not.toContain('maven.extensionVersion')
    expect(names).not.toContain('npm.projectName')
    expect(names).toContain('npm.x')
    const row = (name: string) => ({ group: 'Tool', name, value: '9', unit: null })
    const rows = [row('Maven version'), row('agent version'), row('Node.js version')]
    expect(compareEnvironments(rows, []).map(({ name }) => name)).toEqual(['Node.js version'])
  })

  test('say what a build was started with and ended with, but for what its facts have', () => {
    const row = (group: string, name: string, value: string) => ({ group, name, value, unit: null })
    const bazel = (command: string, exit: string) => [
      row('Command', 'command', command),
      row('Command', 'exit code', exit),
      row('Command', 'targets', '//...'),
      row('Command', 'module name', 'shop'),
      row('Command', 'invocation id', command),
      row('Capture settings', 'background publication enabled', 'yes'),
    ]
    expect(
      compareEnvironments(bazel('build', '0'), bazel('test', '3')).map(
        ({ group, name, left, right }) => [group, name, left, right],
      ),
    ).toEqual([
      ['Build', 'command', 'build', 'test'],
      ['Build', 'exit code', '0', '3'],
      ['Options', 'background publication enabled', 'yes', 'yes'],
    ])
  })

  test('are grouped by what they are about, the environment too', () => {
    const rows = compareFacts(
      {
        ...facts,
        fields: { 'gradle.environment.jvmVersion': '17', 'gradle.buildOptions.x': true },
      },
      { ...facts, values: [{ name: 'CI job', value: '2' }] },
      String,
    )
    expect(rows.filter(({ isSame }) => !isSame).map(({ group, name }) => [group, name])).toEqual([
      ['Java', 'gradle.environment.jvmVersion'],
      ['Options', 'gradle.buildOptions.x'],
      ['Custom values', 'CI job'],
    ])
    const row = (group: string, name: string, value: string) => ({ group, name, value, unit: null })
    expect(
      compareEnvironments(
        [row('Java', 'arguments', '-Xmx1g'), row('Memory', 'free heap', '1')],
        [row('Java', 'arguments', '-Xmx2g'), row('Memory', 'free heap', '2')],
      ),
    ).toEqual([
      { group: 'Java', name: 'arguments', left: '-Xmx1g', right: '-Xmx2g', isSame: false },
    ])
  })
})
