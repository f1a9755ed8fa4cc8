import { expect, test } from 'vitest'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { recordedRun } from './recorded-run.test-support.ts'
import { historySentence, runSteps } from './run-list.tsx'

function run(id: string, failing: string, fields: Partial<EvaluationSummary> = {}) {
  const uris = Array.from(failing, (name) => `/policies/A/${name}`)
  return recordedRun({ id, failing: uris, ...fields })
}

/** "new: x, gone: y, since: id" of the newest run. */
function newest(...runs: readonly EvaluationSummary[]): string {
  const [step] = runSteps(runs)
  return `new: ${step?.newlyFailing.join('') ?? ''}, gone: ${step?.noLongerFailing.join('') ?? ''}, since: ${step?.before?.id ?? ''}`
}

test('a run is compared with the one before it', () => {
  expect(newest(run('2', 'bc'), run('1', 'ab'))).toBe('new: c, gone: a, since: 1')
  expect(newest(run('1', 'ab'))).toBe('new: , gone: , since: ')
})

test('servers that write absolute addresses now name the same policies', () => {
  const absolute = ['https://governor.example.com/policies/A/a']
  expect(newest(run('2', '', { failing: absolute }), run('1', 'a'))).toBe('new: , gone: , since: 1')
})

test('runs of the same artifact come first, then those of any other', () => {
  const other = { packagePath: '/packages/oci/checkout/2.3.0', sha256: 'cd'.repeat(32) }
  expect(newest(run('3', 'a'), run('2', 'b', other), run('1', 'a'))).toBe('new: , gone: , since: 1')
  expect(newest(run('2', 'a'), run('1', 'b', other))).toBe('new: a, gone: b, since: 1')
  expect(newest(run('2', 'a'), run('1', 'b', { scan: 'nightly' }))).toBe('new: , gone: , since: ')
})

test('a run that broke off is nothing to compare with, and proves nothing fixed', () => {
  const broken = { ended: 'broken' } as const
  expect(newest(run('3', 'b'), run('2', '', broken), run('1', 'a'))).toBe(
    'new: b, gone: a, since: 1',
  )
  expect(newest(run('2', 'b', broken), run('1', 'a'))).toBe('new: b, gone: , since: 1')
})

test('where not all that fails is listed, there may be more', () => {
  const counts = { satisfied: 0, unsatisfied: 51, 'not-applicable': 0, unknown: 0 }
  const [step] = runSteps([run('2', 'a', { counts }), run('1', 'a')])
  expect(step?.isPartial).toBe(true)
})

const bad = recordedRun()
const good = recordedRun({ failing: [] })

test.each([
  [[], true, 'No runs recorded.'],
  [[good], true, 'Releasable in the last run: 1 of 1 policy satisfied.'],
  [[bad], true, 'Not releasable in the last run: 1 of 2 policies unsatisfied.'],
  [
    [good, good],
    true,
    'Releasable in the last run: 1 of 1 policy satisfied. Same verdict for 2 runs, since day 20. All 2 runs were releasable.',
  ],
  [
    [bad, bad, good],
    true,
    'Not releasable in the last run: 1 of 2 policies unsatisfied. Same verdict for 2 runs, since day 20. 1 of 3 runs was releasable.',
  ],
  [
    [bad, bad],
    false,
    'Not releasable in the last run: 1 of 2 policies unsatisfied. Same verdict for at least 2 runs, since day 20. None of the last 2 runs was releasable.',
  ],
])('%#: in words', (runs, isAll, words) => {
  expect(historySentence(runs, isAll, (at) => `day ${new Date(at).getUTCDate()}`)).toBe(words)
})
