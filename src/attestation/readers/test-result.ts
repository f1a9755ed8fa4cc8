import { fact, list } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { descriptors } from './resource-descriptor.ts'

export const testResult: PredicateReader = {
  name: 'Test result',
  types: ['https://in-toto.io/attestation/test-result/v0.1'],
  proves: 'These tests were run on the package in this configuration, with this result.',
  keys: ['result', 'configuration', 'url', 'passedTests', 'warnedTests', 'failedTests'],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Result', 'text', 'result').map((row) =>
        ['PASSED', 'WARNED', 'FAILED'].includes(row.value)
          ? row
          : { ...row, remark: 'The result is none of PASSED, WARNED and FAILED.' },
      ),
      ...fact(predicate, 'Report', 'uri', 'url'),
    ],
    lists: [
      ...list(predicate, 'Failed tests', 'text', 'failedTests'),
      ...list(predicate, 'Tests with warnings', 'text', 'warnedTests'),
      ...list(predicate, 'Passed tests', 'text', 'passedTests'),
      ...descriptors(predicate, 'Configuration', 'configuration'),
    ],
  }),
}
