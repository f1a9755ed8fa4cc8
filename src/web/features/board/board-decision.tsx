import { memo, type ReactElement, useMemo } from 'react'
import type { BoardRow } from '../../../policy/board-row.ts'
import type { PlaceState } from '../../../policy/decision.ts'
import { countedVerdict } from '../../../policy/waived-verdict.ts'
import { whyNot } from '../../../protocol/permission.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { useSessionUser } from '../../data/core/services.ts'
import { packageSubject } from '../../domain/permission/may.ts'
import { ReleaseDecision } from '../../domain/release/release-decision.tsx'
import { EvidenceBundle } from '../../domain/run/evidence-bundle.tsx'

/** The decision on a board, and the recorded runs that it stands on. */
export const BoardDecision = memo(function BoardDecision({
  board,
  title,
  rows,
}: {
  /** Its name, by which everybody finds its decisions. */
  board: string
  title: string
  rows: readonly BoardRow[]
}): ReactElement | null {
  const places = useMemo(() => rows.flatMap(placesOf), [rows])
  const user = useSessionUser()
  // Of a board one package outside somebody's limits is enough.
  const limit = useMemo(
    () =>
      rows
        .flatMap(({ of, cells }) =>
          cells.flatMap((cell) =>
            cell === undefined ? [] : packageSubject(of.address, cell.place.scan),
          ),
        )
        .find((one) => user !== undefined && whyNot(user, 'decide', one) !== undefined),
    [rows, user],
  )
  if (places.length === 0) return null
  return (
    <ReleaseDecision
      subject={{ is: 'board', board }}
      name={title}
      places={places}
      evidenceOf={(decision) => (
        <EvidenceBundle of={{ decision }} label="Evidence of the decision" />
      )}
      limit={limit}
      variant="filled"
    />
  )
})

function placesOf({ of, cells }: BoardRow): readonly PlaceState[] {
  const { address, sha256, repositoryUrl } = of
  return cells.flatMap((one): PlaceState[] => {
    if (one === undefined) return []
    const { known } = one.cell
    const place = { packagePath: packagePath(address), sha256, repositoryUrl, scan: one.place.scan }
    const id = known?.outcome.evaluation
    // What failed to be evaluated, or was not recorded, is nothing to stand on.
    if (known === undefined || typeof id !== 'string' || one.cell.fault !== undefined) {
      return [{ ...place, run: undefined, verdict: 'open', missing: [], unchecked: [] }]
    }
    const { by = '' } = known.outcome
    const run = { id, by, endedAt: known.at, ended: 'complete', sha256 } as const
    const { missing, unchecked } = one
    const verdict = countedVerdict(known.outcome, one.waived.size)
    return [{ ...place, run, verdict, missing, unchecked }]
  })
}
