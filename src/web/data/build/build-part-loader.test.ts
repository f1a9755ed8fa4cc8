import { expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { problemError } from '../../../protocol/problem.ts'
import { createPartLoader } from './build-part-loader.ts'

test('other types of events are read from the first on, whatever is still reported of those before', async () => {
  const clock = createManualClock()
  const asked: (string | undefined)[] = []
  const loader = createPartLoader({
    buildId: 'k3j7aaaaa7a4c',
    clock,
    random: () => 0,
    read: ({ lastEventId, signal, onOpen }) => {
      asked.push(lastEventId)
      if (asked.length === 2) return Promise.reject(problemError(503, 'x', 'Busy', 'Busy.'))
      onOpen()
      if (asked.length > 2) return Promise.resolve('nothing-more')
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('aborted'))
        })
      })
    },
    open: () => undefined,
    hand: () => Promise.resolve(),
    settled: () => Promise.resolve(),
    onState: () => undefined,
  })
  loader.load(['A'])
  loader.load(['B'])
  const late = { events: 7, malformed: 0, unreadable: [], lastEventId: '7' }
  loader.onProgress({ ...late, isFinished: false, isReplay: false, isAtBorder: true }, undefined)
  await new Promise(setImmediate)
  clock.advance(60_000)
  await new Promise(setImmediate)
  expect(asked).toEqual([undefined, undefined, undefined])
})
