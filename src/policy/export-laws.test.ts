import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { exportText } from '../cli/report-formats.ts'
import { runs } from '../property-runs.test-support.ts'
import { boardCsv, boardJson, boardMarkdown } from './board-export.ts'
import { type BoardCell, boardRows } from './board-row.ts'
import { type Board, boardPlaces } from './board.ts'
import { csvPieces, exportJson, exportMarkdown } from './exports.ts'
import { exportJunit } from './export-junit.ts'
import { exportSarif } from './export-sarif.ts'
import { groupByPolicy } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'
import { hostileReport } from './scan-report.test-support.ts'
import type { ScanReport } from './scan-report.ts'
import { scanVerdict } from './verdict.ts'

/** Every format, with how somebody who knows nothing else of it would see that all is well. */
const formats = {
  CSV: {
    write: (report: ScanReport) => [...csvPieces(report)].join(''),
    // A sentence with a comma stands in quotes.
    passes: (text: string) => /,"?Releasable/.test(text),
  },
  JSON: {
    write: exportJson,
    passes: (text: string) =>
      z.looseObject({ verdict: z.string() }).parse(JSON.parse(text)).verdict === 'releasable',
  },
  JUnit: {
    write: exportJunit,
    passes: (text: string) =>
      text.includes('failures="0" errors="0"') && !/<(?:failure|error)/.test(text),
  },
  Markdown: { write: exportMarkdown, passes: (text: string) => /^\*\*Releasable/m.test(text) },
  SARIF: {
    write: exportSarif,
    passes: (text: string) =>
      z
        .looseObject({ runs: z.array(z.looseObject({ results: z.array(z.unknown()) })) })
        .parse(JSON.parse(text))
        .runs.every(({ results }) => results.length === 0),
  },
  text: {
    write: (report: ScanReport) => exportText(report, false),
    passes: (text: string) => text.startsWith('Releasable'),
  },
}

const record = {
  id: '01kf5q',
  address: 'https://s.example/packages/oci/a/1/x/runs/01kf5q',
  by: 'ann',
}
const decision = 'Released by Ann on Nov 20, 2026, 10:00 UTC'

const answers = fc
  .record({
    statuses: fc.array(fc.constantFrom('satisfied', 'unsatisfied', 'not-applicable', 'unknown'), {
      maxLength: 5,
    }),
    isCut: fc.boolean(),
    unreadable: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ statuses, isCut, unreadable }) => {
    const groups = groupByPolicy(
      statuses.map((status, at) =>
        policyResult({ policyUri: `/policies/BuildTool/p${at}`, status, statusText: status }),
      ),
    )
    const isWhole = !isCut && unreadable === 0
    const verdict = scanVerdict(groups, { unreadable, complete: !isCut })
    const caveats = isWhole ? [] : ['The response is not whole.']
    return { isWhole, report: hostileReport({ groups, verdict, caveats, record, decision }) }
  })

test.each(Object.entries(formats))(
  '%s never makes a pass of an answer that is none',
  (_, format) => {
    fc.assert(
      fc.property(answers, ({ report, isWhole }) => {
        const { verdict } = report.verdict
        const isPass = format.passes(format.write(report))
        if (!isWhole || verdict === 'not-releasable' || verdict === 'undecided') {
          expect(isPass).toBe(false)
        } else if (verdict === 'releasable') expect(isPass).toBe(true)
      }),
      { numRuns: runs(200) },
    )
  },
)

test.each(Object.entries(formats))(
  '%s says verdict, caveats, artifact, time, run, person and decision, however little was answered',
  (_, { write }) => {
    fc.assert(
      fc.property(answers, ({ report }) => {
        // Characters that a format must escape stand for themselves, and Markdown has more of them.
        const text = write(report).replaceAll('\\', '').replaceAll('&#34;', '"')
        const { sha256, repositoryUrl, caveats } = report
        for (const part of [
          sha256,
          repositoryUrl,
          record.id,
          record.address,
          record.by,
          decision,
        ]) {
          expect(text).toContain(part)
        }
        expect(text).toMatch(/2026-11-20T09:30|Nov 20, 2026, 09:30 UTC/)
        expect(text).toMatch(
          /Releasable|Not releasable|Inconclusive|Nothing to evaluate|no policies/,
        )
        for (const caveat of caveats) expect(text).toContain(caveat)
      }),
      { numRuns: runs(100) },
    )
  },
)

const sha256 = 'cd'.repeat(32)

function boardWith(cell: BoardCell) {
  const address = { type: 'oci', name: 'checkout', version: '1' }
  const board: Board = {
    title: 'production',
    packages: [{ address, sha256, repositoryUrl: 'r.example/shop', scans: undefined }],
    scans: ['release'],
  }
  const places = boardPlaces(board)
  const cells = new Map(places.map(({ key }) => [key, cell]))
  const rows = boardRows(board, places, cells, { waivers: [], now: 0 })
  const origin = 'https://s.example'
  return { title: board.title, scans: board.scans, rows, writtenAt: 0, origin, decision }
}

const passed: BoardCell = {
  doing: { is: 'idle' },
  known: {
    at: Date.UTC(2026, 10, 20, 9, 30),
    outcome: {
      verdict: 'releasable',
      counts: { satisfied: 2, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
      results: 2,
      unreadable: 0,
      failing: [],
      by: 'ann',
      evaluation: '01kf5q',
    },
  },
  fault: undefined,
}

test.each([
  ['Markdown', boardMarkdown],
  ['CSV', boardCsv],
  ['JSON', boardJson],
])(
  'a board as %s says its verdict, and of each cell the artifact, time, run and person',
  (_, write) => {
    const text = write(boardWith(passed)).replaceAll('\\', '')
    for (const part of [
      'The package can be released.',
      decision,
      sha256,
      'r.example/shop',
      '2026-11-20T09:30:00.000Z',
      'https://s.example/packages/oci/checkout/1/policy-scans/release/runs/01kf5q',
      'ann',
    ]) {
      expect(text).toContain(part)
    }
  },
)

test.each([
  ['Markdown', boardMarkdown],
  ['CSV', boardCsv],
  ['JSON', boardJson],
])('a board as %s makes no pass of a cell whose last answer broke off', (_, write) => {
  const problem = { type: 'about:blank', title: 'Broken', status: 502, detail: 'It broke off.' }
  const fault = { is: 'broken', at: 1, problem } as const
  const text = write(boardWith({ ...passed, fault }))
  expect(text).toContain("The package can't be released")
  expect(text).not.toMatch(/[:,|] ?releasable/)
  expect(text).not.toContain('"verdict": "releasable",\n          "evaluatedAt"')
})
