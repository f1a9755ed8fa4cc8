import { Button, Group } from '@mantine/core'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import type { ScanVerdict } from '../../../policy/verdict.ts'
import type { WaivedVerdict } from '../../../policy/waived-verdict.ts'
import {
  isRunning,
  type PolicyScanQuestion,
  type PolicyScanView,
} from '../../data/scans/policy-scan.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { packageWords } from '../../../protocol/package-reference.ts'
import { EvidenceBundle } from '../../domain/run/evidence-bundle.tsx'
import { useSessionUser } from '../../data/core/services.ts'
import { FoldedFilters } from '../../ui/folded-filters.tsx'
import { useKeys } from '../../ui/keys.tsx'
import { publishPackageLink, runsLink } from '../../domain/package/package-links.ts'
import css from './scan-page.module.css'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import type { PlaceState } from '../../../policy/decision.ts'
import { packageSubject, useMay } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { ReleaseDecision } from '../../domain/release/release-decision.tsx'
import { ExportMenu, reportOf, useDecisionText } from './export-menu.tsx'
import { mostOnPaper } from './policy-evidence.tsx'
import { useSignatureCheck } from './evidence-signature.tsx'

/** What can be done with an evaluation. */
export function ScanTools({
  question,
  view,
  verdict,
  beside,
  by,
  asOf,
  overruling,
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
  /** Who requested a run that was recorded; undefined for one of this page. */
  by: string | undefined
  /** What is known of the day that somebody chose, a sentence. */
  asOf: string | undefined
  /** What a newer run says against it: a sentence. */
  overruling: string | undefined
  isChanging: boolean
  onRun: () => void
  onCancel: () => void
  onChange: () => void
}): ReactElement {
  const isGoing = isRunning(view.state)
  const user = useSessionUser()?.name
  const decision = useDecisionText(question)
  const subject = packageSubject(question.address, question.scan)
  const { isAllowed } = useMay('evaluate', subject)
  useKeys('Policy scan', [
    ...(isAllowed
      ? [{ keys: ['r'], label: 'Evaluate again', isCommand: true, run: onRun } as const]
      : []),
    ...(isGoing ? [{ keys: ['escape'], label: 'Cancel evaluation', run: onCancel } as const] : []),
  ])
  return (
    <Group gap={8} data-screen-only>
      {isGoing ? (
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      ) : (
        <PermittedButton permission="evaluate" subject={subject} variant="default" onClick={onRun}>
          Evaluate again
        </PermittedButton>
      )}
      <FoldedFilters label="Scan tools" word="More" until={900} className={css.inLine}>
        <ExportMenu
          report={
            isGoing
              ? undefined
              : reportOf(question, view, {
                  verdict,
                  beside,
                  by: by ?? user,
                  decision,
                  asOf,
                  overruling,
                })
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
          Change package
        </Button>
      </FoldedFilters>
    </Group>
  )
}

/**
 * Prints the page once the signatures of what stands on paper are checked: paper cannot be checked
 * later. Pressed again meanwhile it prints at once.
 */
function PrintScan({
  groups,
  isDisabled,
}: {
  groups: readonly PolicyGroup[]
  isDisabled: boolean
}): ReactElement {
  const check = useSignatureCheck()
  const [checked, setChecked] = useState<{ readonly done: number; readonly of: number }>()
  const turn = useRef(0)
  useEffect(
    () => () => {
      turn.current += 1
    },
    [],
  )

  function printNow(): void {
    turn.current += 1
    setChecked(undefined)
    print()
  }

  async function checkAndPrint(): Promise<void> {
    const uris = evidenceOnPaper(groups)
    if (check === undefined || uris.length === 0) {
      printNow()
      return
    }
    turn.current += 1
    const own = turn.current
    let done = 0
    setChecked({ done, of: uris.length })
    await Promise.all(
      uris.map(async (uri) => {
        await check(uri)
        done += 1
        if (turn.current === own) setChecked({ done, of: uris.length })
      }),
    )
    if (turn.current === own) printNow()
  }

  return (
    <Button
      variant="default"
      disabled={isDisabled}
      onClick={() => {
        if (checked === undefined) void checkAndPrint()
        else printNow()
      }}
    >
      {checked === undefined
        ? 'Print'
        : `Print now (${String(checked.done)} of ${String(checked.of)} signatures checked)`}
    </Button>
  )
}

/** The attestations of the results that are printed, each once. */
function evidenceOnPaper(groups: readonly PolicyGroup[]): readonly string[] {
  const uris = groups.flatMap(({ results }) =>
    results.slice(0, mostOnPaper).flatMap(({ attestationUri }) => attestationUri ?? []),
  )
  return [...new Set(uris)].slice(0, mostOnPaper)
}

/** The decision on a package by the run that its page shows. */
export function ScanDecision({
  question,
  view,
  verdict,
  areWaiversKnown,
  by,
  isSuperseded,
}: {
  question: PolicyScanQuestion
  view: PolicyScanView
  /** With the waivers that count. */
  verdict: WaivedVerdict
  areWaiversKnown: boolean
  /** Who requested the run; undefined where that is who looks. */
  by: string | undefined
  /** Whether a newer run says otherwise. */
  isSuperseded: boolean
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
            ...{ id: record, by: by ?? '', endedAt, sha256, repositoryUrl },
            ended: state.is === 'done' ? 'complete' : 'broken',
          },
          verdict: verdict.verdict,
          missing,
          unchecked: verdict.said.unchecked,
          isSuperseded,
        }
  return (
    <ReleaseDecision
      subject={{ is: 'scan', ...place }}
      name={`${packageWords(place.packagePath)} (scan ${scan})`}
      places={[present]}
      areWaiversKnown={areWaiversKnown}
      evidenceOf={(decision) => (
        <EvidenceBundle of={{ decision }} label="Evidence of the decision" />
      )}
      limit={packageSubject(address, scan)}
    />
  )
}
