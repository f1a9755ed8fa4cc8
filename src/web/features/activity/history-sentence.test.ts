import { expect, test } from 'vitest'
import { historySentence } from './history-sentence.ts'
import { recordedRun } from './recorded-run.test-support.ts'

const bad = recordedRun()
const good = recordedRun({ failing: [] })

test.each([
  [[], true, 'No run is recorded.'],
  [
    [good],
    true,
    'Releasable in the last run: 1 of 1 policy satisfied. Of 1 run, 1 said releasable.',
  ],
  [
    [bad, bad, good],
    true,
    'Not releasable in the last run: 1 of 2 policies unsatisfied. So for 2 runs, since day 20. Of 3 runs, 1 said releasable.',
  ],
  [
    [bad, bad],
    false,
    'Not releasable in the last run: 1 of 2 policies unsatisfied. So for 2 runs at least, since day 20. Of the last 2 runs, 0 said releasable.',
  ],
])('%#: in words', (runs, isAll, words) => {
  expect(historySentence(runs, isAll, (at) => `day ${new Date(at).getUTCDate()}`)).toBe(words)
})
