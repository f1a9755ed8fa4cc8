import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readEventHead } from './event.ts'
import { taskAndTestEventTypes, readExecutionEvent } from './execution-event.ts'
import { realData } from '../real-data.test-support.ts'

function read(eventType: string, data: string) {
  const text = `{"timestamp":1,"type":{"majorVersion":1,"minorVersion":0,"eventType":"${eventType}"},"data":${data}}`
  const { dataAt } = readEventHead(text)
  const event = readExecutionEvent(eventType, text, dataAt)
  expect(readExecutionEvent(eventType, text, -1)).toEqual(event)
  return event
}

describe('what an event says', () => {
  test('is the same whether its text is matched or parsed', () => {
    expect(
      read(
        'TaskStarted',
        '{"id":-7978837427190732235,"buildPath":":","path":":a:compileJava","className":"C","thread":null}',
      ),
    ).toEqual({
      kind: 'task-started',
      id: '-7978837427190732235',
      path: ':a:compileJava',
      buildPath: ':',
      className: 'C',
    })
    expect(
      read('TaskStarted', String.raw`{"id":1,"path":":a \"quoted\" \\","className":null}`),
    ).toMatchObject({
      path: String.raw`:a "quoted" \ `.trim(),
    })
    expect(
      read(
        'TestStarted',
        '{"task":1,"id":2,"parent":-3,"name":"n","className":null,"suite":false}',
      ),
    ).toMatchObject({
      id: '2',
      task: '1',
      isSuite: false,
    })
    expect(
      read(
        'TestFinished',
        '{"id":2,"task":1,"failed":true,"skipped":false,"failureId":9007199254740993}',
      ),
    ).toMatchObject({
      failed: true,
      failureId: '9007199254740993',
    })
    expect(read('Novelty', '{}')).toBeUndefined()
  })

  test.each([
    ['{"id":2,"task":1,"failureId":"5"}', true],
    ['{"id":2,"failed":null,"failureId":5,"failure":null}', true],
    ['{"id":2,"failure":{"message":"no"}}', true],
    ['{"id":2,"failed":false,"failure":null}', false],
    ['{"id":2,"skipped":true}', false],
  ])(
    'of the end of a test is whether it failed, also where only a failure says so: %s',
    (data, failed) => {
      expect(read('TestFinished', data)).toMatchObject({ failed })
    },
  )

  test.each(['{"id":2}', '{"id":2,"failed":"true"}', '{"id":2,"failed":null,"failureId":null}'])(
    'is not that a test passed where its end does not say how: %s',
    (data) => {
      expect(() => read('TestFinished', data)).toThrow(TypeError)
    },
  )

  test('is nothing where ids or names are missing', () => {
    for (const type of taskAndTestEventTypes) expect(read(type, '{"a":1}')).toBeUndefined()
  })
})

const recordings = realData('recordings/')

describe.skipIf(!existsSync(recordings))('the events of real recordings', () => {
  test('yield the same whether they are matched or parsed, and nearly all are matched', () => {
    let [events, matched] = [0, 0]
    for (const name of readdirSync(recordings)) {
      const lines = readFileSync(new URL(name, recordings), 'utf8').trim().split('\n').slice(1)
      for (const line of lines) {
        const { eventType, dataAt } = readEventHead(line)
        if (!taskAndTestEventTypes.some((type) => type === eventType)) continue
        const read = readExecutionEvent(eventType, line, dataAt)
        expect(read).toEqual(readExecutionEvent(eventType, line, -1))
        events += 1
        matched += isMatched(eventType, line, dataAt) ? 1 : 0
      }
    }
    expect(events).toBeGreaterThan(2000)
    expect(matched / events).toBeGreaterThan(0.99)
  })
})

/** Without its end a text is no JSON: who reads it all the same did not parse it. */
function isMatched(eventType: string, text: string, dataAt: number): boolean {
  try {
    return readExecutionEvent(eventType, text.slice(0, -1), dataAt) !== undefined
  } catch {
    return false
  }
}
