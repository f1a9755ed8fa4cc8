import { Group } from '@mantine/core'
import { type ReactElement, useMemo, useState } from 'react'
import type { BoardRow } from '../../../policy/board-row.ts'
import type { PlaceState } from '../../../policy/decision.ts'
import { countedVerdict } from '../../../policy/waived-verdict.ts'
import { countOf } from '../../../protocol/count.ts'
import { whyNot } from '../../../protocol/permission.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { useSessionUser } from '../../data/core/services.ts'
import { useDecisions } from '../../data/release/decisions.ts'
import { packageSubject } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { EvidenceBundle } from '../../domain/run/evidence-bundle.tsx'
import { DecisionDialog, type Wanted } from '../../domain/release/decision-dialog.tsx'
import { DecisionLine } from '../../domain/release/decision-line.tsx'

/** Who released the board on what, what has come since, and the buttons to decide. */
export function BoardDecision({
  board,
  title,
  rows,
}: {
  /** Its name, by which everybody finds its decisions. */
  board: string
  title: string
  rows: readonly BoardRow[]
}): ReactElement | null {
  const subject = { is: 'board', board } as const
  const { data: decisions } = useDecisions(subject)
  const [wanted, setWanted] = useState<Wanted>()
  const places = useMemo(() => rows.flatMap(placesOf), [rows])
  const user = useSessionUser()
  // Of a board one package outside somebody's limits is enough.
  const limit = rows
    .flatMap(({ of, cells }) =>
      cells.flatMap((cell) =>
        cell === undefined ? [] : packageSubject(of.address, cell.place.scan),
      ),
    )
    .find((one) => user !== undefined && whyNot(user, 'decide', one) !== undefined)
  if (decisions === undefined || places.length === 0) return null
  const [newest] = decisions
  const button = {
    permission: 'decide',
    ...(limit === undefined ? {} : { subject: limit }),
  } as const
  return (
    <>
      <DecisionLine
        decisions={decisions}
        name={title}
        places={places}
        actions={
          <Group gap={8} data-screen-only>
            {newest !== undefined && (
              <EvidenceBundle of={{ decision: newest.id }} label="Evidence of the decision" />
            )}
            {newest?.action === 'release' && (
              <PermittedButton
                {...button}
                variant="default"
                onClick={() => {
                  setWanted('revoke')
                }}
              >
                Revoke…
              </PermittedButton>
            )}
            <PermittedButton
              {...button}
              variant={newest?.action === 'release' ? 'default' : 'filled'}
              onClick={() => {
                setWanted('release')
              }}
            >
              {newest?.action === 'release' ? 'Release again…' : 'Release…'}
            </PermittedButton>
          </Group>
        }
      />
      {wanted !== undefined && (
        <DecisionDialog
          wanted={wanted}
          subject={subject}
          name={title}
          places={places}
          newest={newest}
          caveats={caveatsOf(rows)}
          onClose={() => {
            setWanted(undefined)
          }}
        />
      )}
    </>
  )
}

function placesOf({ of, cells }: BoardRow): readonly PlaceState[] {
  const { address, sha256, repositoryUrl } = of
  return cells.flatMap((one): PlaceState[] => {
    if (one === undefined) return []
    const { known } = one.cell
    const place = { packagePath: packagePath(address), sha256, repositoryUrl, scan: one.place.scan }
    const id = known?.outcome.evaluation
    // What failed to be evaluated, or was not recorded, is nothing to stand on.
    if (known === undefined || typeof id !== 'string' || one.cell.fault !== undefined) {
      return [{ ...place, run: undefined, verdict: 'open' }]
    }
    const { by = '' } = known.outcome
    const run = { id, by, endedAt: known.at, ended: 'complete', sha256 } as const
    return [{ ...place, run, verdict: countedVerdict(known.outcome, one.waived.size) }]
  })
}

/** What the board itself asks for besides: proof that is missing. */
function caveatsOf(rows: readonly BoardRow[]): readonly string[] {
  const cells = rows.flatMap((row) => row.cells.flatMap((cell) => cell ?? []))
  const missing = cells.filter((cell) => cell.missing.length > 0).length
  const unchecked = cells.filter((cell) => cell.unchecked.length > 0).length
  return [
    ...(missing > 0
      ? [
          `${countOf(missing, 'scan')} ${missing === 1 ? 'lacks' : 'lack'} evidence that this board requires.`,
        ]
      : []),
    ...(unchecked > 0
      ? [`In ${countOf(unchecked, 'scan')} a policy of high severity was not checked.`]
      : []),
  ]
}
