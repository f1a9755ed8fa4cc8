import { expect, test } from 'vitest'
import type { EvaluationSummary } from '../protocol/evaluation.ts'
import { configuredBoard } from './board.ts'
import { recordedOutcome } from './board-tally.ts'

const one = {
  purl: 'pkg:oci/shop@1.2',
  sha256: 'AB'.repeat(32),
  repositoryUrl: 'registry.example/acme',
  scans: [],
}
const configured = { name: 'release', packages: [one], scans: ['release'], require: ['high'] }

test('a configured board has its packages in order, and its name for a title where it has none', () => {
  const own = { ...one, purl: 'pkg:oci/web@2', scans: ['web'], owner: 'Web' }
  expect(configuredBoard({ ...configured, packages: [one, own] })).toEqual({
    board: {
      title: 'release',
      scans: ['release'],
      require: ['high'],
      packages: [
        {
          address: { type: 'oci', name: 'shop', version: '1.2' },
          sha256: 'ab'.repeat(32),
          repositoryUrl: 'registry.example/acme',
          scans: undefined,
          owner: undefined,
        },
        {
          address: { type: 'oci', name: 'web', version: '2' },
          sha256: 'ab'.repeat(32),
          repositoryUrl: 'registry.example/acme',
          scans: ['web'],
          owner: 'Web',
        },
      ],
    },
    mistakes: [],
  })
  expect(configuredBoard({ ...configured, title: 'Shop' }).board.title).toBe('Shop')
})

test('a package that cannot be read is a mistake with its place, and leaves the others', () => {
  const { board, mistakes } = configuredBoard({
    ...configured,
    packages: [{ ...one, purl: 'shop' }, one],
  })
  expect(board.packages.map(({ address }) => address.name)).toEqual(['shop'])
  expect(mistakes).toMatchObject([{ line: 1, from: 0, to: 4, text: 'shop' }])
  expect(mistakes[0]?.sentence).toMatch(/\.$/)
})

const summary: EvaluationSummary = {
  ...{ id: 'run-1', startedAt: 1, endedAt: 2, by: 'ada', ended: 'complete', scan: 'release' },
  ...{ packagePath: '/p', sha256: 'ab'.repeat(32), repositoryUrl: 'r' },
  verdict: 'not-releasable',
  counts: { satisfied: 1, unsatisfied: 1, 'not-applicable': 0, unknown: 0 },
  results: 2,
  unreadable: 0,
  failing: ['/policies/T/one'],
  waived: [],
}

test('a recorded run says its reasons, and one of an older release at least what fails', () => {
  const reasons = {
    failing: [{ uri: '/policies/T/one', status: 'unsatisfied', remedy: 'Upgrade.', causes: ['a'] }],
    notApplicable: [{ uri: '/policies/T/two', severity: 'high' }],
  } as const
  const said = { by: 'ada', evaluation: 'run-1', verdict: 'not-releasable', results: 2 }
  const withReasons = {
    failing: reasons.failing.map((policy) => ({ ...policy, causes: [...policy.causes] })),
    notApplicable: [...reasons.notApplicable],
  }
  expect(recordedOutcome({ ...summary, reasons: withReasons })).toMatchObject({
    ...said,
    ...reasons,
  })
  const older = recordedOutcome(summary)
  expect(older).toMatchObject({
    ...said,
    failing: [{ uri: '/policies/T/one', status: 'unsatisfied', remedy: '' }],
  })
  // Not known is not the same as none.
  expect(older).not.toHaveProperty('notApplicable')
})
