import type { ReactElement } from 'react'
import type { PlaceState } from '../../../policy/decision.ts'
import type { WaivedVerdict } from '../../../policy/waived-verdict.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { packageText } from '../../domain/package/package-links.ts'
import { packageSubject } from '../../domain/permission/may.ts'
import { ReleaseDecision } from '../../domain/release/release-decision.tsx'
import { EvidenceBundle } from '../../domain/run/evidence-bundle.tsx'

/** The decision on a package by the run that its page shows. */
export function ScanDecision({
  question,
  view,
  verdict,
  by,
}: {
  question: PolicyScanQuestion
  view: PolicyScanView
  /** With the waivers that count. */
  verdict: WaivedVerdict
  /** Who requested the run; undefined where that is who looks. */
  by: string | undefined
}): ReactElement | null {
  const { address, scan, sha256, repositoryUrl } = question
  const place = { packagePath: packagePath(address), sha256, repositoryUrl, scan }
  if (view.endedAt === undefined) return null
  const { record, state, endedAt } = view
  const missing: PlaceState['missing'] = []
  const present: PlaceState =
    record === undefined
      ? { ...place, run: undefined, verdict: 'open', missing, unchecked: [] }
      : {
          ...place,
          run: {
            ...{ id: record, by: by ?? '', endedAt, sha256 },
            ended: state.is === 'done' ? 'complete' : 'broken',
          },
          verdict: verdict.verdict,
          missing,
          unchecked: verdict.said.unchecked,
        }
  return (
    <ReleaseDecision
      subject={{ is: 'scan', ...place }}
      name={`${packageText(address)} by ${scan}`}
      places={[present]}
      evidenceOf={(decision) => (
        <EvidenceBundle of={{ decision }} label="Evidence of the decision" />
      )}
      limit={packageSubject(address, scan)}
    />
  )
}
