import { Group } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import type { PlaceState } from '../../../policy/decision.ts'
import type { WaivedVerdict } from '../../../policy/waived-verdict.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { useDecisions } from '../../data/release/decisions.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { packageText } from '../../domain/package/package-links.ts'
import { packageSubject } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { EvidenceBundle } from '../../domain/run/evidence-bundle.tsx'
import { DecisionDialog, type Wanted } from '../../domain/release/decision-dialog.tsx'
import { DecisionLine } from '../../domain/release/decision-line.tsx'

/** Who released the package by this scan, what has come since, and the buttons to decide. */
export function ScanDecision({
  question,
  view,
  verdict,
  by,
}: {
  question: PolicyScanQuestion
  view: PolicyScanView
  /** With the waivers that count. */
  verdict: WaivedVerdict['verdict']
  /** Who requested the run; undefined where that is who looks. */
  by: string | undefined
}): ReactElement | null {
  const { address, scan, sha256, repositoryUrl } = question
  const place = { packagePath: packagePath(address), sha256, repositoryUrl, scan }
  const subject = { is: 'scan', ...place } as const
  const { data: decisions } = useDecisions(subject)
  const [wanted, setWanted] = useState<Wanted>()
  if (decisions === undefined || view.endedAt === undefined) return null
  const { record, state, endedAt } = view
  const present: PlaceState =
    record === undefined
      ? { ...place, run: undefined, verdict: 'open' }
      : {
          ...place,
          run: {
            ...{ id: record, by: by ?? '', endedAt, sha256 },
            ended: state.is === 'done' ? 'complete' : 'broken',
          },
          verdict,
        }
  const places = [present]
  const [newest] = decisions
  const name = `${packageText(address)} by ${scan}`
  const button = { permission: 'decide', subject: packageSubject(address, scan) } as const
  const isReleased = newest?.action === 'release'
  return (
    <>
      <DecisionLine
        decisions={decisions}
        name={name}
        places={places}
        actions={
          <Group gap={8} data-screen-only>
            {newest !== undefined && (
              <EvidenceBundle of={{ decision: newest.id }} label="Evidence of the decision" />
            )}
            {isReleased && (
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
              variant="default"
              onClick={() => {
                setWanted('release')
              }}
            >
              {isReleased ? 'Release again…' : 'Release…'}
            </PermittedButton>
          </Group>
        }
      />
      {wanted !== undefined && (
        <DecisionDialog
          wanted={wanted}
          subject={subject}
          name={name}
          places={places}
          newest={newest}
          onClose={() => {
            setWanted(undefined)
          }}
        />
      )}
    </>
  )
}
