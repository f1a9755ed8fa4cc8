import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Assignment } from '../protocol/assignment.ts'
import type { BoardOutcome } from '../protocol/board-run.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { runs } from '../property-runs.test-support.ts'
import { boardFailures, failureGroups } from './board-failures.ts'
import { boardRows, emptyCell } from './board-row.ts'
import { type Board, boardPlaces } from './board.ts'
import {
  type HandOver,
  handOverMail,
  handOverMarkdown,
  handOverPlain,
  handOverSlack,
} from './hand-over.ts'
import { reportWaiver } from './scan-report.test-support.ts'

const now = Date.UTC(2026, 10, 22, 14, 5)
const sha256 = 'ab'.repeat(32)

interface Given {
  readonly names?: readonly string[]
  readonly cause?: string
  readonly remedy?: string
  readonly waivers?: readonly Waiver[]
}

function handOver({
  names = ['checkout', 'web'],
  cause = 'org.apache.logging.log4j/log4j-core 2.14.1',
  remedy = 'Upgrade it.',
  waivers = [],
}: Given = {}): HandOver {
  const board: Board = {
    title: 'Release',
    scans: ['release'],
    packages: names.map((name) => ({
      address: { type: 'oci', name, version: '2.4.0' },
      sha256,
      repositoryUrl: 'registry.example/shop',
      scans: undefined,
      owner: 'shop',
    })),
  }
  const places = boardPlaces(board)
  const uri = '/policies/PackageUrl/log4j'
  const outcome: BoardOutcome = {
    verdict: 'not-releasable',
    counts: { satisfied: 1, unsatisfied: 1, 'not-applicable': 0, unknown: 0 },
    results: 2,
    unreadable: 0,
    failing: [{ uri, status: 'unsatisfied', remedy, causes: [cause] }],
    by: 'ann',
    evaluation: 'run-1',
  }
  const cells = new Map(
    places.map(({ key }) => [key, { ...emptyCell, known: { at: now - 1000, outcome } }]),
  )
  const rows = boardRows(board, places, cells, { waivers, now })
  return {
    title: board.title,
    sentence: 'None of 2 packages can be released.',
    groups: failureGroups(boardFailures(rows), 'policy'),
    assignments: new Map<string, Assignment>(
      places.slice(0, 1).map(({ key }) => [
        key,
        {
          board: 'release',
          cell: key,
          assignee: 'Grace',
          note: 'after the freeze',
          dueAt: Date.UTC(2026, 11, 1),
          by: 'ann',
          changedAt: 1,
        },
      ]),
    ),
    decision: undefined,
    origin: 'https://sightline.example',
    boardPath: '/board/release?show=failing',
    writtenAt: now,
  }
}

const forms = {
  Markdown: handOverMarkdown,
  Slack: handOverSlack,
  plain: handOverPlain,
  mail: (given: HandOver) => handOverMail(given).body,
}

test.each(Object.entries(forms))(
  'as %s it says what fails where and why, what to do, who does it until when, and where the run is',
  (_, write) => {
    const text = write(handOver()).replaceAll('\u2060', '').replaceAll('\\', '')
    for (const part of [
      'log4j fails 2 packages',
      'pkg:oci/checkout@2.4.0',
      'org.apache.logging.log4j/log4j-core 2.14.1',
      'How to fix: Upgrade it.',
      `sha256:${sha256}`,
      'https://sightline.example/packages/oci/checkout/2.4.0/policy-scans/release/runs/run-1',
      'evaluated 2026-11-22 14:04 UTC by ann',
      'assigned to Grace, due 2026-12-01: after the freeze',
      'https://sightline.example/board/release?show=failing',
    ]) {
      expect(text).toContain(part)
    }
  },
)

test.each(Object.entries(forms))(
  'as %s a waived failure says until when and by whom',
  (_, write) => {
    const waivers = [
      reportWaiver({
        packagePath: '/packages/oci/web/2.4.0',
        policyUri: '/policies/PackageUrl/log4j',
        sha256,
        expiresAt: Date.UTC(2026, 11, 4),
        reason: 'known',
      }),
    ]
    const text = write(handOver({ waivers }))
    expect(text).toContain('waived until 2026-12-04 00:00 UTC by alice: known')
    expect(text).toContain('fails 1 package')
  },
)

const hostile = '`@all` <!channel> *b* _i_ ~s~ [x](https://evil.example) | \n# h\n- [ ] t @acme/x'

test('in Markdown nothing of a name or a text is markup, and nobody is notified', () => {
  const text = handOverMarkdown(handOver({ cause: hostile, remedy: hostile }))
  const outside = text.replace(/(`+)[^\n]*?[^`]\1(?!`)/g, '')
  expect(outside).not.toMatch(/@\w/)
  expect(outside).not.toMatch(/[^\\]<!/)
  expect(outside).not.toMatch(/(?<!\\)\]\(https:\/\/evil/)
  expect(text.split('\n').filter((line) => line.startsWith('#'))).toHaveLength(2)
  expect(text.split('\n').filter((line) => line.startsWith('- [ ]'))).toHaveLength(2)
})

test('in Slack there are no links, mentions or marks but ours', () => {
  const text = handOverSlack(handOver({ cause: hostile, remedy: hostile }))
  const brackets = [...text.matchAll(/<([^>]*)>/g)].map(([, inner = '']) => inner)
  expect(brackets.every((inner) => inner.startsWith('https://sightline.example/'))).toBe(true)
  expect(text).not.toContain('<!channel')
  const words = text.replace(/`[^`\n]*`/g, '')
  expect(words).not.toMatch(/@\w/)
  expect(words).not.toMatch(/(?<!\u2060)[_~]/)
})

test('a package name may hold anything: each package stays one line of its own', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 60 }),
      (name, cause) => {
        const given = handOver({ names: [name, 'web'], cause, remedy: cause })
        expect(handOverMarkdown(given).match(/^- \[ \] /gm)).toHaveLength(2)
        expect(handOverSlack(given).match(/^• /gm)).toHaveLength(2)
        expect(handOverPlain(given).match(/^- /gm)).toHaveLength(2)
        expect(handOverPlain(given)).not.toMatch(/[\p{Cf}\r\t\0]/u)
      },
    ),
    { numRuns: runs(300) },
  )
})

test('of very many packages the text says how many it leaves out', () => {
  const names = Array.from({ length: 500 }, (_, at) => `app-${at}`)
  const text = handOverSlack(handOver({ names }))
  expect(text.length).toBeLessThanOrEqual(12_000)
  const listed = text.match(/^• /gm)?.length ?? 0
  expect(text).toContain(`And ${500 - listed} more on the board.`)
  expect(handOverMarkdown(handOver({ names })).length).toBeLessThanOrEqual(60_000)
})

test('the address of a mail is as long as mail programs take; it says that it is shortened', () => {
  const small = handOverMail(handOver({ names: ['web'] }))
  expect(small.subject).toBe('Release: log4j fails 1 package')
  expect(small.isShortened).toBe(false)
  expect(decodeURIComponent(small.mailto)).toContain('pkg:oci/web@2.4.0')
  const names = Array.from({ length: 40 }, (_, at) => `пакет-${at}`)
  const large = handOverMail(handOver({ names }))
  expect(large.isShortened).toBe(true)
  expect(large.mailto.length).toBeLessThanOrEqual(1900)
  expect(decodeURIComponent(large.mailto)).toContain('more on the board.')
  expect(large.body.match(/^- /gm)).toHaveLength(40)
})
