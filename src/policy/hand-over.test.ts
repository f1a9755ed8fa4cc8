import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Assignment } from '../protocol/assignment.ts'
import type { BoardOutcome } from '../protocol/board-run.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { runs } from '../property-runs.test-support.ts'
import { boardFailures, failureGroups, type FailureGrouping } from './board-failures.ts'
import { boardRows, emptyCell } from './board-row.ts'
import { type Board, boardPlaces } from './board.ts'
import {
  assignmentText,
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
  readonly owner?: string
  readonly by?: FailureGrouping
  /** The policies that fail; one unless said otherwise. */
  readonly policies?: readonly string[]
  readonly run?: string | null
  readonly runBy?: string | undefined
}

function handOver({
  names = ['checkout', 'web'],
  cause = 'org.apache.logging.log4j/log4j-core 2.14.1',
  remedy = 'Upgrade it.',
  waivers = [],
  owner = 'shop',
  by = 'policy',
  policies = ['log4j'],
  run = 'run-1',
  ...given
}: Given = {}): HandOver {
  const board: Board = {
    title: 'Release',
    scans: ['release'],
    packages: names.map((name) => ({
      address: { type: 'oci', name, version: '2.4.0' },
      sha256,
      repositoryUrl: 'registry.example/shop',
      scans: undefined,
      owner,
    })),
  }
  const places = boardPlaces(board)
  const outcome: BoardOutcome = {
    verdict: 'not-releasable',
    counts: { satisfied: 1, unsatisfied: policies.length, 'not-applicable': 0, unknown: 0 },
    results: 1 + policies.length,
    unreadable: 0,
    failing: policies.map((name) => ({
      uri: `/policies/PackageUrl/${name}`,
      status: 'unsatisfied',
      remedy,
      causes: [cause],
      owner: 'security',
    })),
    by: 'runBy' in given ? given.runBy : 'ann',
    evaluation: run,
  }
  const cells = new Map(
    places.map(({ key }) => [key, { ...emptyCell, known: { at: now - 1000, outcome } }]),
  )
  const rows = boardRows(board, places, cells, { waivers, now })
  return {
    title: board.title,
    sentence: 'None of 2 packages can be released.',
    groups: failureGroups(boardFailures(rows), by),
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
      'evaluated Nov 22, 2026, 14:04 UTC by ann',
      'assigned to Grace, due Dec 1, 2026, 00:00 UTC: after the freeze',
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
    expect(text).toContain('waived until Dec 4, 2026, 00:00 UTC by alice: known')
    expect(text).toContain('fails 1 package')
  },
)

test('of an owner it names each policy with what to do, and an owner that is not known', () => {
  const policies = ['log4j', 'licenses']
  const text = handOverPlain(handOver({ names: ['web'], by: 'owner', policies }))
  expect(text).toContain('shop fails 1 package')
  expect(text).toContain('scan release, log4j; ')
  expect(text).toContain('scan release, licenses; ')
  expect(text.match(/; Upgrade it\.;/g)).toHaveLength(2)
  // What is true of one policy alone isn't said of several.
  expect(text).not.toMatch(/Policy owner|How to fix/)
  expect(handOverPlain(handOver({ by: 'owner' }))).toContain('Policy owner: security')
  const nobody = {
    ...handOver({ by: 'owner', owner: '', remedy: '', policies }),
    decision: 'Wait.',
  }
  expect(handOverPlain(nobody)).toContain('What has no owner fails 2 packages')
  expect(handOverPlain(nobody)).toContain('Decision: Wait.')
  expect(handOverMail(nobody).subject).toBe('Release: What has no owner fails 2 packages')
  expect(handOverMail(handOver({ policies })).subject).toBe('Release: 2 packages to fix')
})

test('without a recorded run it leads to the scan of that artifact, and names nobody', () => {
  const text = handOverPlain(handOver({ names: ['web'], run: null, runBy: undefined }))
  expect(text).toContain(
    `/packages/oci/web/2.4.0/policy-scans/release?sha256=${sha256}&repository=registry.example%2Fshop`,
  )
  expect(text).toMatch(/, evaluated Nov 22, 2026, 14:04 UTC\n/)
})

test.each([
  ['Grace', 'soon', now, 'assigned to Grace, due day 22 (overdue): soon'],
  ['Grace', '', null, 'assigned to Grace'],
  ['', '', now + 1, 'due day 22'],
  ['', 'only a note', null, 'only a note'],
  ['', '', null, ''],
])('an assignment to %j with the note %j due %s reads as %j', (assignee, note, dueAt, text) => {
  const assignment = { board: 'b', cell: 'c', assignee, note, dueAt, by: 'ann', changedAt: 1 }
  expect(assignmentText(assignment, now, (at) => `day ${new Date(at).getUTCDate()}`)).toBe(text)
})

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

test('a mail is handed over whatever its texts are made of, also half a character', () => {
  const { mailto } = handOverMail(handOver({ cause: 'Key \ud83d is unknown', names: ['web'] }))
  expect(decodeURIComponent(mailto)).toContain('Key \ufffd is unknown')
  const owner = `${'x'.repeat(190)}🚀🚀🚀`
  const { subject } = handOverMail({ ...handOver({ owner, by: 'owner' }), title: '' })
  expect(subject).toBe(`: ${'x'.repeat(190)}🚀🚀🚀 f`)
  const odd = handOverMail({ ...handOver({ owner, by: 'owner' }), title: 'ab12345' })
  expect(odd.subject).toBe(`ab12345: ${'x'.repeat(190)}`)
  expect(decodeURIComponent(odd.mailto)).toContain('subject=ab12345')
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
