import { type ReactElement, useDeferredValue, useState } from 'react'
import { Link } from 'react-router'
import { isRunning, type PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { usePolicyScans, usePolicyScanView } from '../../data/scans/policy-scans-context.ts'
import { ProblemPanel } from '../../ui/problem-panel.tsx'
import { Unseen } from '../../ui/unseen.tsx'
import { ComparisonLine } from './comparison-line.tsx'
import { EvidenceScope } from './evidence-scope.tsx'
import { EarlierRuns } from './earlier-runs.tsx'
import { useHistoryBefore } from './history-before.ts'
import { RecordedRuns } from './history-earlier.tsx'
import { HistoryNotice } from './history-notice.tsx'
import { useKnownPackages } from './known-packages.ts'
import { PackageForm } from './package-form.tsx'
import { packageLink, packageText } from '../../domain/package/package-words.ts'
import css from './page.module.css'
import { PolicyList } from './policy-list.tsx'
import { refusalText, refusedFields } from './refusal-text.ts'
import { ScanFilters } from './scan-filters.tsx'
import { ScanHeadline } from './scan-headline.tsx'
import { ScanNotices } from './scan-notices.tsx'
import './scan-print.css'
import { ScanTools } from './scan-tools.tsx'
import { useComparison } from './use-comparison.ts'
import { usePolicySieve } from './use-policy-sieve.ts'
import { useRemembering } from './use-remembering.ts'
import { useScanAddress } from './use-scan-address.ts'
import { WaiverNotice } from './waiver-notice.tsx'
import { WaiverRecord } from './waiver-record.tsx'
import { WaiverScope } from './waiver-scope.tsx'
import { useWaiverState } from './waiver-state.ts'

const notCompared = { changes: undefined, passedBefore: undefined }

/** The verdict of one policy scan, why, and what to do; evaluated when it is opened. */
export function ScanScreen({ question }: { question: PolicyScanQuestion }): ReactElement {
  const scan = usePolicyScans().open(question)
  const view = usePolicyScanView(scan)
  const [address, change] = useScanAddress()
  const known = useKnownPackages()
  const history = useHistoryBefore(question, view)
  const comparison = useComparison(question, view, address.other, history.before)
  const [isChanging, setChanging] = useState(false)
  useRemembering(question, view)

  const { state } = view
  const waivers = useWaiverState(question, view)
  const { beside, inForce } = waivers
  // The verdict is told at once; fifty open policies are drawn in many small steps.
  const groups = useDeferredValue(view.groups)
  const answer = usePolicySieve(groups, address, inForce)
  const { changes, passedBefore } = comparison.is === 'done' ? comparison.difference : notCompared

  const form = (
    <PackageForm
      initial={{ ...question, reference: packageText(question.address) }}
      refused={state.is === 'refused' ? refusedFields(state.problem) : {}}
      scans={known.scans}
      onSubmit={(link) => {
        setChanging(false)
        // The same once more is a wish to see it anew; anything else is another page.
        if (link === packageLink(question.address, question, question.scan)) scan.run()
      }}
    />
  )
  if (state.is === 'refused') {
    const text = refusalText(question.scan, state.problem)
    const isUnknown = state.problem.status === 404
    const others = known.scans.filter((name) => name !== question.scan)
    return (
      <div className={css.page}>
        <Unseen as="h1">{text.title}</Unseen>
        <ProblemPanel problem={text} retry={{ label: 'Evaluate again', run: scan.run }} />
        {isUnknown && others.length > 0 && (
          <p className={css.offer}>
            Scans that were used here before:{' '}
            {others.map((name) => (
              <Link key={name} to={packageLink(question.address, question, name)}>
                {name}
              </Link>
            ))}
          </p>
        )}
        {form}
      </div>
    )
  }
  return (
    <WaiverScope state={waivers} of={`${packageText(question.address)}, scan ${question.scan}`}>
      <div className={css.page}>
        <ScanHeadline question={question} view={view} verdict={beside} scans={known.scans}>
          <ScanTools
            question={question}
            view={view}
            verdict={beside.said}
            beside={waivers.isKnown ? beside : undefined}
            isChanging={isChanging}
            onRun={scan.run}
            onCancel={scan.cancel}
            onChange={() => {
              setChanging(!isChanging)
            }}
          />
        </ScanHeadline>
        {isChanging && form}
        <ScanNotices view={view} onRun={scan.run} />
        <WaiverNotice fault={waivers.fault} isKnown={waivers.isKnown} />
        <HistoryNotice fault={history.fault} />
        <ComparisonLine
          question={question}
          comparison={comparison}
          other={address.other}
          known={known}
          onChoose={(other) => {
            change({ other })
          }}
        />
        {groups.length > 0 && (
          <ScanFilters
            groups={groups}
            shown={answer?.found.length}
            isSearching={answer?.address !== address}
            waived={beside.waived.size}
            address={address}
            isCompared={changes !== undefined}
            onChange={change}
          />
        )}
        <EvidenceScope>
          {answer !== undefined && (
            <PolicyList
              groups={answer.found}
              isNarrowed={answer.found.length < answer.groups.length}
              isEvaluating={isRunning(state)}
              address={answer.address}
              changes={changes}
              passedBefore={passedBefore}
              onChange={change}
            />
          )}
        </EvidenceScope>
        <WaiverRecord waivers={waivers.here} now={waivers.now} />
        {history.earlier === undefined || history.earlier.length === 0 ? (
          <EarlierRuns question={question} before={view.startedAt} />
        ) : (
          <RecordedRuns question={question} runs={history.earlier} />
        )}
      </div>
    </WaiverScope>
  )
}
