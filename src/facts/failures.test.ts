import fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readEventData } from './event.ts'
import { createFailureReader, stackText } from './failures.ts'
import { realData } from '../real-data.test-support.ts'

const exception = (message: string, causes: readonly string[] = [], more: object = {}) => ({
  className: 'com.example.Trouble',
  message,
  causes,
  stackTrace: '100',
  metadata: {},
  ...more,
})

function book(exceptions: Record<string, object>) {
  const made = createFailureReader()
  made.take({
    exceptions,
    stackTraces: { '100': { stackFrames: ['200', '201', '202'] } },
    stackFrames: {
      '200': { declaringClass: 'a.B', methodName: 'c', fileName: 'B.java', lineNumber: 7 },
      '201': { declaringClass: 'a.B', methodName: 'd', fileName: null, lineNumber: -1 },
      '202': { declaringClass: 'a.B', methodName: 'e', fileName: 'B.java', lineNumber: -2 },
    },
  })
  return made
}

describe('failures', () => {
  test('list their causes after them, with their task', () => {
    const failure = book({
      '1': exception('outer', ['2'], {}),
      '2': exception('inner', [], { metadata: { taskPath: ':app:test' } }),
    }).find('1')
    expect(failure?.path).toBe(':app:test')
    expect(failure?.exceptions.map(({ message, depth }) => [message, depth])).toEqual([
      ['outer', 0],
      ['inner', 1],
    ])
    expect(failure?.exceptions[0]?.frames).toEqual([
      'a.B.c(B.java:7)',
      'a.B.d(Unknown Source)',
      'a.B.e(Native Method)',
    ])
  })

  test('print as Java prints them', () => {
    const failure = book({
      '1': exception('outer', ['2'], { stackTrace: null }),
      '2': exception('inner', [], { stackTrace: null }),
    }).find('1')
    expect(failure && stackText(failure)).toBe(
      'com.example.Trouble: outer\nCaused by: com.example.Trouble: inner',
    )
  })

  test('end where their causes go in circles', () => {
    const ids = fc.constantFrom('1', '2', '3', '4', '5')
    const graph = fc.dictionary(ids, fc.array(ids, { maxLength: 4 }))
    fc.assert(
      fc.property(graph, ids, (causes, head) => {
        const exceptions = Object.fromEntries(
          Object.entries(causes).map(([id, list]) => [id, exception(id, list)]),
        )
        const found = book(exceptions).find(head)
        expect(found === undefined).toBe(!(head in exceptions))
        const seen = found?.exceptions.map(({ id }) => id) ?? []
        expect(new Set(seen).size).toBe(seen.length)
      }),
    )
  })

  test('that only gather several failures are taken apart', () => {
    const made = book({
      '1': exception('Build completed with 2 failures.', ['2', '3'], {
        className: 'org.gradle.internal.exceptions.MultipleBuildFailures',
      }),
      '2': exception("Execution failed for task ':a'."),
      '3': exception("Execution failed for task ':b'."),
    })
    made.takeEnd({ failureId: '9' })
    expect(made.ofBuild()).toEqual([])
    made.takeEnd({ failureId: '1' })
    expect(made.ofBuild().map(({ path }) => path)).toEqual([':a', ':b'])
  })

  test('of Maven are placed by their words', () => {
    const message =
      'Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.1:compile (default-compile) on project a: Compilation failure'
    expect(book({ '1': exception(message) }).find('1')?.path).toBe('compiler:compile on a')
  })

  test('within an event, as the oldest versions have them, are read as well', () => {
    const made = createFailureReader()
    made.takeEnd({
      failure: {
        className: 'A',
        message: 'outer',
        causes: [{ className: 'B', message: 'inner' }],
      },
    })
    const messages = made
      .ofBuild()
      .map(({ exceptions }) => exceptions.map(({ message }) => message))
    expect(messages).toEqual([['outer', 'inner']])
  })

  test('with gaps say what they can', () => {
    const made = createFailureReader()
    made.take({
      exceptions: {
        '1': { className: 'A', message: null, stackTrace: '10', causes: [{}, 'none', '2'] },
        '2': { stackTrace: 'none' },
      },
      stackTraces: { '10': { stackFrames: ['20', 'none'] } },
      stackFrames: { '20': {} },
    })
    const failure = made.find('1')
    expect(failure?.path).toBeNull()
    expect(failure && stackText(failure)).toBe(
      'A\n\tat ?.?(Unknown Source)\nCaused by: unknown exception',
    )
  })

  test('within an event are read to a depth, however deep they are', () => {
    let nested: object = { className: 'A', message: 'innermost' }
    for (let depth = 0; depth < 80; depth++) nested = { className: 'A', causes: [nested] }
    const made = createFailureReader()
    made.takeEnd({ failure: nested })
    expect(made.ofBuild()[0]?.exceptions).toHaveLength(51)
  })

  test('of a goal that is not written in full are placed by its own words', () => {
    const message = 'Failed to execute goal compile on project a: no'
    expect(book({ '1': exception(message) }).find('1')?.path).toBe('compile on a')
  })

  test('of any shape break nothing', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('exceptions', 'stackTraces', 'stackFrames'), fc.jsonValue()),
        (data) => {
          const made = createFailureReader()
          made.take(data)
          made.takeEnd({ failureIds: ['1', 'a'] })
          made.ofBuild()
        },
      ),
    )
  })
})

const recordings = realData('recordings/')

describe.skipIf(!existsSync(recordings))('the failures of real recordings', () => {
  function recorded(name: string) {
    const made = createFailureReader()
    for (const line of readFileSync(new URL(name, recordings), 'utf8').split('\n')) {
      if (/"eventType":"(Mvn)?ExceptionData"/.test(line)) made.take(readEventData(line))
      if (/"eventType":"(Mvn)?BuildFinished"/.test(line)) made.takeEnd(readEventData(line))
    }
    return made
  }

  test('a failed test of Gradle', () => {
    const made = recorded('gradle-failing-test.jsonl')
    const [failure] = made.ofBuild()
    expect(failure?.path).toBe(':build-event-transformerator:test')
    expect(failure?.exceptions.map(({ className }) => className.split('.').at(-1))).toEqual([
      'LocationAwareException',
      'TaskExecutionException',
      'GradleException',
    ])
    expect(failure?.exceptions.at(-1)?.message).toContain('There were failing tests.')
    expect(failure?.exceptions[0]?.frames.length).toBeGreaterThan(50)
    expect(made.find('3025236424415955010')?.exceptions[0]?.className).toBe(
      'org.junit.ComparisonFailure',
    )
  })

  test('two failed goals of Maven', () => {
    const failures = recorded('maven-failed.jsonl').ofBuild()
    expect(failures.map(({ path }) => path)).toEqual([
      'compiler:compile on a',
      'compiler:compile on b',
    ])
  })
})
