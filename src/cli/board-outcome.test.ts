import { expect, test } from 'vitest'
import { boardSentence, exitOf, failuresFirst, jobSummary, type Judged } from './board-outcome.ts'
import type { ScanExit } from './scan-outcome.ts'

function judged(name: string, exit: ScanExit, scan = 'release'): Judged {
  return {
    subject: {
      address: { type: 'oci', name, version: '1' },
      purl: `pkg:oci/${name}@1`,
      scan,
      sha256: 'ab'.repeat(32),
      repositoryUrl: 'r.example/x',
    },
    outcome: { exit, sentence: `${name} | ended with ${exit}.`, report: undefined, isWhole: true },
  }
}

test.each<[string, ScanExit[], string]>([
  ['all pass', [0, 0], 'Releasable: all 2 packages pass.'],
  ['one passes', [0], 'Releasable: 1 package passes.'],
  ['some fail', [0, 1, 3, 1], 'Not releasable: 2 of 4 packages fail, 1 inconclusive.'],
  ['one is unclear', [0, 3], "Inconclusive: 1 of 2 packages couldn't be decided, none fails."],
])('a board is one sentence where %s', (_, exits, sentence) => {
  expect(boardSentence(exits.map((exit, at) => judged(`p${at}`, exit)))).toBe(sentence)
})

test('a package is as bad as the worst of its scans, and counts once', () => {
  const all = [judged('a', 0, 'build'), judged('a', 1, 'release'), judged('b', 0)]
  expect(boardSentence(all)).toBe('Not releasable: 1 of 2 packages fails.')
  expect(exitOf(all)).toBe(1)
})

test('one artifact in two repositories is two packages, as on the page of the board', () => {
  const here = judged('a', 0)
  const there = { ...here, subject: { ...here.subject, repositoryUrl: 'r.example/y' } }
  expect(boardSentence([here, there])).toBe('Releasable: all 2 packages pass.')
})

test('failures come first, those alike in the order of the board', () => {
  const all = [judged('a', 0), judged('b', 3), judged('c', 1), judged('d', 0), judged('e', 1)]
  expect(failuresFirst(all).map(({ subject }) => subject.address.name)).toEqual([
    ...['c', 'e', 'b', 'a', 'd'],
  ])
})

test('the summary of a job has failures first, and no text of a service breaks its table', () => {
  const lines = jobSummary(
    'Not releasable.',
    [judged('a', 0), judged('b', 1)],
    () => undefined,
  ).split('\n')
  expect(lines[0]).toBe('## ❌ Not releasable.')
  expect(lines[4]).toBe('| ❌ | pkg:oci/b@1 | release | b \\| ended with 1. |  |')
  expect(lines[5]).toMatch(/^\| ✅ \| pkg:oci\/a@1/)
})

test('the summary of thousands of packages stays below what GitHub takes, failures in it', () => {
  const name = 'n'.repeat(200)
  const all = Array.from({ length: 6000 }, (_, at) => judged(`${name}-${at}`, at === 5999 ? 1 : 0))
  const summary = jobSummary('Not releasable.', all, () => undefined)
  expect(Buffer.byteLength(summary)).toBeLessThan(1_000_000)
  expect(summary).toContain(`${name}-5999@1`)
  const rows = summary.split('\n').filter((line) => line.includes('pkg:')).length
  expect(summary).toContain(`No room here for ${(6000 - rows).toLocaleString('en')} more lines.`)
})
