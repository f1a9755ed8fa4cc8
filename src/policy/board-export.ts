import { cellText, inline } from './export-markdown.ts'
import { csvLine } from '../protocol/csv.ts'
import type { BoardRow, CellVerdict, RowCell } from './board-row.ts'
import { boardSentence } from './board-sentence.ts'
import { policyKey, policyName } from './policy-group.ts'
import { writeBoardList } from './board.ts'

/** A board at one moment: what an export contains. */
export interface BoardReport {
  readonly title: string
  readonly scans: readonly string[]
  /** In the order of the export. */
  readonly rows: readonly BoardRow[]
  /** Epoch ms. */
  readonly writtenAt: number
}

/** The verdict of a cell or a package, in words. */
export const verdictWords: Readonly<Record<CellVerdict, string>> = {
  'not-releasable': 'not releasable',
  failed: 'not evaluated',
  undecided: 'undecided',
  open: 'not evaluated yet',
  'releasable-with-waivers': 'releasable with waivers',
  'releasable-unchecked': 'releasable, not all checked',
  releasable: 'releasable',
  'nothing-applied': 'nothing applicable',
}

/** For a ticket: the sentence, the matrix, and what fails where. */
export function boardMarkdown(report: BoardReport): string {
  const { title, scans, rows, writtenAt } = report
  const head = ['Package', ...scans, 'Next steps']
  const failing = rows.flatMap((row) => row.cells.flatMap((cell) => failingLines(row, cell)))
  return [
    `## Release board ${inline(title)}`,
    `**${inline(boardSentence(rows).text)}**`,
    `Written ${new Date(writtenAt).toISOString()}.`,
    [
      tableLine(head),
      tableLine(head.map(() => '---')),
      ...rows.map((row) =>
        tableLine([
          packageName(row),
          ...row.cells.map((cell) => (cell === undefined ? '' : cellWords(cell))),
          row.next === undefined ? '' : `${row.next.policy}: ${row.next.remedy}`,
        ]),
      ),
    ].join('\n'),
    ...(failing.length === 0 ? [] : [failing.join('\n')]),
  ]
    .join('\n\n')
    .concat('\n')
}

const header =
  'package,sha256,repository,scan,verdict,satisfied,unsatisfied,not applicable,unknown,failing policies,waived policies,evaluated at,evaluation,reason\r\n'

/** One line per cell, with a header, after RFC 4180. */
export function boardCsv({ rows }: BoardReport): string {
  const lines = rows.flatMap((row) =>
    row.cells.flatMap((cell) => {
      if (cell === undefined) return []
      const { known, fault } = cell.cell
      const outcome = known?.outcome
      return [
        [
          packageName(row),
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
        ],
      ]
    }),
  )
  return header + lines.map(csvLine).join('')
}

/** Everything that is known, as indented JSON. */
export function boardJson({ title, scans, rows, writtenAt }: BoardReport): string {
  const { text, verdict } = boardSentence(rows)
  return `${JSON.stringify(
    {
      title,
      writtenAt: new Date(writtenAt).toISOString(),
      sentence: text,
      verdict,
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

function cellWords({ cell, verdict }: RowCell): string {
  const { known } = cell
  const at = known === undefined ? '' : `, ${new Date(known.at).toISOString().slice(0, 16)}Z`
  const failing = known?.outcome.counts.unsatisfied ?? 0
  return `${verdictWords[verdict]}${failing > 0 ? ` (${failing} failing)` : ''}${at}`
}

function failingLines(row: BoardRow, cell: RowCell | undefined): readonly string[] {
  if (cell === undefined) return []
  return (cell.cell.known?.outcome.failing ?? []).map(({ uri, remedy }) => {
    const waiver = cell.waived.get(policyKey(uri))
    const until =
      waiver === undefined
        ? ''
        : `, waived until ${new Date(waiver.expiresAt).toISOString()} by ${inline(waiver.person)}: ${inline(waiver.reason)}`
    const todo = remedy === '' ? '' : `: ${inline(remedy)}`
    return `- ${inline(packageName(row))}, ${inline(cell.place.scan)}: ${inline(policyName(uri).name)}${todo}${until}`
  })
}

function failingNames({ cell, waived }: RowCell, isWaived: boolean): readonly string[] {
  return (cell.known?.outcome.failing ?? [])
    .filter(({ uri }) => waived.has(policyKey(uri)) === isWaived)
    .map(({ uri }) => policyName(uri).name)
}

function packageName({ of }: BoardRow): string {
  return writeBoardList([of]).split(' ', 1)[0] ?? ''
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map(cellText).join(' | ')} |`
}
