import { type ReactElement, useMemo } from 'react'
import { verdictWords } from '../../../policy/board-export.ts'
import { type BoardRow, type RowCell, staleAfterMs } from '../../../policy/board-row.ts'
import { boardText } from '../../../policy/board-sentence.ts'
import { policyKey, policyName } from '../../../policy/policy-group.ts'
import { countOf } from '../../../protocol/count.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText, momentText, type Zone } from '../../ui/format.ts'
import { usePrinting } from '../../ui/printing.ts'
import { useTicker } from '../../ui/time.tsx'
import css from './board.module.css'

/**
 * A board on paper, in place of what is on the screen: the verdict and what to know first, then every
 * cell with whole ids and absolute times. Nothing of it depends on a color, a filter or a later day.
 */
export function BoardPaper(board: {
  title: string
  rows: readonly BoardRow[]
  decision: string | undefined
  /** What is known of the day that somebody chose, a sentence. */
  asOf: string | undefined
}): ReactElement | null {
  return usePrinting() ? <Paper {...board} /> : null
}

function Paper({
  title,
  rows,
  decision,
  asOf,
}: {
  title: string
  rows: readonly BoardRow[]
  decision: string | undefined
  /** What is known of the day that somebody chose, a sentence. */
  asOf: string | undefined
}): ReactElement {
  const { zone } = usePreferences()
  const now = useTicker().now()
  const notes = useMemo(() => notesOn(rows, now), [rows, now])
  return (
    <section data-paper-only data-paper aria-label="Board on paper">
      <h1>Release board {title}</h1>
      <p>
        <strong>{boardText(rows)}</strong>
      </p>
      {notes.map((note) => (
        <p key={note}>! {note}</p>
      ))}
      <p>Decision: {decision ?? 'none recorded.'}</p>
      {asOf !== undefined && <p>As of {asOf}</p>}
      <p>
        Printed {momentText(now, zone)} from {location.origin}
        {location.pathname}.
      </p>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">Package</th>
            <th scope="col">Scan</th>
            <th scope="col">Verdict</th>
            <th scope="col">Evaluated</th>
            <th scope="col">Failing policies</th>
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row) =>
            row.cells.map((cell) =>
              cell === undefined ? null : (
                <CellLine key={cell.place.key} row={row} cell={cell} zone={zone} />
              ),
            ),
          )}
        </tbody>
      </table>
    </section>
  )
}

function CellLine({
  row: { of },
  cell: { place, cell, verdict, waived },
  zone,
}: {
  row: BoardRow
  cell: RowCell
  zone: Zone
}): ReactElement {
  const { known, fault } = cell
  const outcome = known?.outcome
  return (
    <tr>
      <th scope="row">
        <div>{packageText(of.address)}</div>
        <div>sha256:{of.sha256}</div>
        <div>{of.repositoryUrl}</div>
      </th>
      <td>{place.scan}</td>
      <td>{verdictWords[verdict]}</td>
      <td>
        {known === undefined ? 'never' : instantText(known.at, zone)}
        {outcome?.by !== undefined && ` by ${outcome.by}`}
        {typeof outcome?.evaluation === 'string' && <div>run {outcome.evaluation}</div>}
        {fault !== undefined && <div>{fault.problem.detail ?? fault.problem.title}</div>}
      </td>
      <td>
        {outcome?.failing.map(({ uri }) => {
          const waiver = waived.get(policyKey(uri))
          return (
            <div key={uri}>
              {policyName(uri).name}
              {waiver !== undefined &&
                `, waived until ${momentText(waiver.expiresAt, zone)} by ${waiver.person}: ${waiver.reason}`}
            </div>
          )
        })}
      </td>
    </tr>
  )
}

/** What keeps the verdict from being all there is to know. */
function notesOn(rows: readonly BoardRow[], now: number): readonly string[] {
  const cells = rows.flatMap((row) => row.cells.flatMap((cell) => cell ?? []))
  const count = (is: (cell: RowCell) => boolean): number => cells.filter(is).length
  const open = count(({ verdict }) => verdict === 'open')
  const failed = count(({ verdict }) => verdict === 'failed')
  const stale = count(({ cell: { known } }) => known !== undefined && now - known.at > staleAfterMs)
  const waived = count(({ waived: of }) => of.size > 0)
  return [
    ...(open > 0 ? [`${countOf(open, 'cell')} never evaluated.`] : []),
    ...(failed > 0
      ? [`${countOf(failed, 'cell')} without a response to the last evaluation.`]
      : []),
    ...(stale > 0 ? [`${countOf(stale, 'result')} older than 24 hours.`] : []),
    ...(waived > 0 ? [`${countOf(waived, 'cell')} with waivers.`] : []),
  ]
}
