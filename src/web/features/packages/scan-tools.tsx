import { Button, Group } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import type { ScanVerdict } from '../../../policy/verdict.ts'
import type { WaivedVerdict } from '../../../policy/waived-verdict.ts'
import {
  isRunning,
  type PolicyScanQuestion,
  type PolicyScanView,
} from '../../data/scans/policy-scan.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { EvidenceBundle } from '../../domain/run/evidence-bundle.tsx'
import { useSessionUser } from '../../data/core/services.ts'
import { useKeys } from '../../ui/keys.tsx'
import { publishPackageLink, runsLink } from '../../domain/package/package-links.ts'
import { ExportMenu, reportOf, useDecisionText } from './export-menu.tsx'
import { PrintScan } from './print-scan.tsx'

/** What can be done with an evaluation. */
export function ScanTools({
  question,
  view,
  verdict,
  beside,
  asOf,
  isChanging,
  onRun,
  onCancel,
  onChange,
}: {
  question: PolicyScanQuestion
  view: PolicyScanView
  verdict: ScanVerdict
  /** The verdict where waivers are counted, if they are known. */
  beside: WaivedVerdict | undefined
  /** What is known of the day that somebody chose, a sentence. */
  asOf: string | undefined
  isChanging: boolean
  onRun: () => void
  onCancel: () => void
  onChange: () => void
}): ReactElement {
  const isGoing = isRunning(view.state)
  const by = useSessionUser()?.name
  const decision = useDecisionText(question)
  useKeys('Policy scan', [
    { keys: ['r'], label: 'Evaluate again', isCommand: true, run: onRun },
    ...(isGoing ? [{ keys: ['escape'], label: 'Cancel evaluation', run: onCancel } as const] : []),
  ])
  return (
    <Group gap={8} data-screen-only>
      {isGoing ? (
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      ) : (
        <Button variant="default" onClick={onRun}>
          Evaluate again
        </Button>
      )}
      <ExportMenu
        report={
          isGoing ? undefined : reportOf(question, view, { verdict, beside, by, decision, asOf })
        }
      />
      <EvidenceBundle
        of={{
          path: packagePath(question.address),
          scan: question.scan,
          sha256: question.sha256,
          repository: question.repositoryUrl,
        }}
        isDisabled={isGoing}
      />
      <Button
        variant="default"
        component={Link}
        to={runsLink(question.address, question.scan, question)}
      >
        History
      </Button>
      <Button
        variant="default"
        component={Link}
        to={publishPackageLink(question.address, question)}
      >
        Publish…
      </Button>
      <PrintScan groups={view.groups} isDisabled={isGoing} />
      <Button variant="default" aria-expanded={isChanging} onClick={onChange}>
        Another package
      </Button>
    </Group>
  )
}
