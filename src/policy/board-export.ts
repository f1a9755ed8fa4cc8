import { cellText, csvLine, inline } from '../protocol/untrusted-text.ts'
import { policyScanPath } from '../protocol/package-address.ts'
import { packageText } from '../protocol/package-reference.ts'
import type { Waiver } from '../protocol/waiver.ts'
import type { BoardRow, CellVerdict, RowCell } from './board-row.ts'
import { boardSentence, boardText } from './board-sentence.ts'
import { policyKey, policyName } from './policy-group.ts'
import { utcText, waiverText } from './scan-report.ts'

/** A board at one moment: what an export contains. */
export interface BoardReport {
  readonly title: string
  readonly scans: readonly string[]
  /** In the order of the export. */
  readonly rows: readonly BoardRow[]
  /** Epoch ms. */
  readonly writtenAt: number
  /** Where people open this Sightline, for the addresses of runs. */
  readonly origin: string
  /** What was decided on it, a sentence; left out where nothing was. */
  readonly decision?: string | undefined
  /** What is known of a later day that somebody chose, a sentence; left out where nobody did. */
  readonly asOf?: string | undefined
}

/** The verdict of a cell or a package, in words. */
export const verdictWords: Readonly<Record<CellVerdict, string>> = {
  'not-releasable': 'not releasable',
  failed: 'not evaluated',
  undecided: 'inconclusive',
  open: 'not evaluated yet',
  'releasable-with-waivers': 'releasable with waivers',
  'releasable-unchecked': 'releasable, not all checked',
  releasable: 'releasable',
  'nothing-applied': 'no policies apply',
}

/** For a ticket: the sentence, the matrix, and what fails where. */
export function boardMarkdown(report: BoardReport): string {
  const { title, scans, rows, writtenAt, decision, asOf } = report
  const head = ['Package', ...scans, 'Next steps']
  const failing = rows.flatMap((row) => row.cells.flatMap((cell) => failingLines(row, cell)))
  return [
    `## Release board ${inline(title)}`,
    `**${inline(boardText(rows))}**`,
    ...(decision === undefined ? [] : [`Decision: ${inline(decision)}`]),
    ...(asOf === undefined ? [] : [`As of ${inline(asOf)}`]),
    `Written ${new Date(writtenAt).toISOString()}.`,
    [
      tableLine(head),
      tableLine(head.map(() => '---')),
      ...rows.map((row) =>
        tableLine([
          packageText(row.of.address),
          ...row.cells.map((cell) => (cell === undefined ? '' : cellWords(cell))),
          [row.next?.policy, row.next?.remedy].filter(Boolean).join(': '),
        ]),
      ),
    ].join('\n'),
    ...(failing.length === 0 ? [] : [failing.join('\n')]),
    [
      '### Runs',
      '',
      ...rows.flatMap((row) => row.cells.flatMap((cell) => runLines(report, row, cell))),
    ].join('\n'),
  ]
    .join('\n\n')
    .concat('\n')
}

const header =
  'package,sha256,repository,scan,verdict,satisfied,unsatisfied,not applicable,unknown,failing policies,waived policies,evaluated at,evaluation,reason,run address,evaluated by,waivers,board,board verdict,decision,written at,as of\r\n'

/** One line per cell, with a header, after RFC 4180. */
export function boardCsv(report: BoardReport): string {
  const { rows, title, decision, writtenAt, asOf } = report
  // Lines are sorted and copied: each says of which board it is, and what the board came to.
  const ofBoard = [
    title,
    boardText(rows),
    decision ?? '',
    new Date(writtenAt).toISOString(),
    asOf ?? '',
  ]
  const lines = rows.flatMap((row) =>
    row.cells.flatMap((cell) => {
      if (cell === undefined) return []
      const { known, fault } = cell.cell
      const outcome = known?.outcome
      return [
        [
          packageText(row.of.address),
          row.of.sha256,
          row.of.repositoryUrl,
          cell.place.scan,
          verdictWords[cell.verdict],
          outcome?.counts.satisfied ?? null,
          outcome?.counts.unsatisfied ?? null,
          outcome?.counts['not-applicable'] ?? null,
          outcome?.counts.unknown ?? null,
          failingNames(cell, false).join('; '),
          failingNames(cell, true).join('; '),
          known === undefined ? '' : new Date(known.at).toISOString(),
          outcome?.evaluation ?? '',
          fault === undefined ? '' : (fault.problem.detail ?? fault.problem.title),
          runAddress(report, row, cell) ?? '',
          outcome?.by ?? '',
          [...cell.waived.values()].map(waiverWords).join('; '),
          ...ofBoard,
        ],
      ]
    }),
  )
  return header + lines.map(csvLine).join('')
}

/** Everything that is known, as indented JSON. */
export function boardJson(report: BoardReport): string {
  const { title, scans, rows, writtenAt, decision, asOf } = report
  const { verdict } = boardSentence(rows)
  return `${JSON.stringify(
    {
      title,
      writtenAt: new Date(writtenAt).toISOString(),
      sentence: boardText(rows),
      verdict,
      decision: decision ?? null,
      asOf: asOf ?? null,
      scans,
      packages: rows.map(({ of, verdict: ofPackage, next, cells }) => ({
        ...of,
        verdict: ofPackage,
        next,
        cells: cells.flatMap((cell) =>
          cell === undefined
            ? []
            : [
                {
                  scan: cell.place.scan,
                  verdict: cell.verdict,
                  evaluatedAt:
                    cell.cell.known === undefined
                      ? null
                      : new Date(cell.cell.known.at).toISOString(),
                  outcome: cell.cell.known?.outcome ?? null,
                  runAddress: runAddress(report, { of }, cell) ?? null,
                  fault: cell.cell.fault?.problem ?? null,
                  waivers: [...cell.waived.values()],
                },
              ],
        ),
      })),
    },
    null,
    2,
  )}\n`
}

/** The page of the run that a cell shows; undefined where none is recorded. */
function runAddress(
  { origin }: BoardReport,
  { of }: Pick<BoardRow, 'of'>,
  { cell, place }: RowCell,
): string | undefined {
  const id = cell.known?.outcome.evaluation
  if (id === undefined || id === null) return undefined
  return `${origin}${policyScanPath(of.address, place.scan)}/runs/${encodeURIComponent(id)}`
}

function waiverWords(waiver: Waiver): string {
  return `${policyName(waiver.policyUri).name} ${waiverText(waiver)}: ${waiver.reason}`
}

/** Which artifact a cell is about, and which run says so. */
function runLines(
  report: BoardReport,
  row: BoardRow,
  cell: RowCell | undefined,
): readonly string[] {
  if (cell === undefined) return []
  const { known } = cell.cell
  const by = known?.outcome.by
  const address = runAddress(report, row, cell)
  const parts = [
    `${inline(packageText(row.of.address))}, ${inline(cell.place.scan)}: ${verdictWords[cell.verdict]}`,
    `sha256 ${inline(row.of.sha256)}`,
    `repository ${inline(row.of.repositoryUrl)}`,
    ...(known === undefined ? [] : [`evaluated ${new Date(known.at).toISOString()}`]),
    ...(by === undefined ? [] : [`by ${inline(by)}`]),
    ...(address === undefined ? [] : [`run <${address}>`]),
  ]
  return [`- ${parts.join(', ')}`]
}

function cellWords({ cell, verdict }: RowCell): string {
  const { known } = cell
  const at = known === undefined ? '' : `, ${utcText(known.at)}`
  const failing = known?.outcome.counts.unsatisfied ?? 0
  return `${verdictWords[verdict]}${failing > 0 ? ` (${failing} failing)` : ''}${at}`
}

function failingLines(row: BoardRow, cell: RowCell | undefined): readonly string[] {
  if (cell === undefined) return []
  return (cell.cell.known?.outcome.failing ?? []).map(({ uri, remedy }) => {
    const waiver = cell.waived.get(policyKey(uri))
    const until =
      waiver === undefined ? '' : `, ${inline(waiverText(waiver))}: ${inline(waiver.reason)}`
    const todo = remedy === '' ? '' : `: ${inline(remedy)}`
    return `- ${inline(packageText(row.of.address))}, ${inline(cell.place.scan)}: ${inline(policyName(uri).name)}${todo}${until}`
  })
}

function failingNames({ cell, waived }: RowCell, isWaived: boolean): readonly string[] {
  return (cell.known?.outcome.failing ?? [])
    .filter(({ uri }) => waived.has(policyKey(uri)) === isWaived)
    .map(({ uri }) => policyName(uri).name)
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map(cellText).join(' | ')} |`
}
