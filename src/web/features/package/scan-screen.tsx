import { type ReactElement, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { filterPolicies } from '../../../policy/policy-filter.ts'
import { scanVerdict } from '../../../policy/verdict.ts'
import { isRunning, type PolicyScanQuestion } from '../../data/policy-scan.ts'
import { usePolicyScans, usePolicyScanView } from '../../data/policy-scans-context.ts'
import { ProblemPanel } from '../../ui/problem-panel.tsx'
import { Unseen } from '../../ui/unseen.tsx'
import { ComparisonLine } from './comparison-line.tsx'
import { EarlierRuns } from './earlier-runs.tsx'
import { useKnownPackages } from './known-packages.ts'
import { PackageForm } from './package-form.tsx'
import { packageLink, packageText } from '../../ui/package-words.ts'
import css from './page.module.css'
import { PolicyList } from './policy-list.tsx'
import { refusalText, refusedFields } from './refusal-text.ts'
import { policyFilter } from './scan-address.ts'
import { ScanFilters } from './scan-filters.tsx'
import { ScanHeadline } from './scan-headline.tsx'
import { ScanNotices } from './scan-notices.tsx'
import './scan-print.css'
import { ScanTools } from './scan-tools.tsx'
import { useComparison } from './use-comparison.ts'
import { useRemembering } from './use-remembering.ts'
import { useScanAddress } from './use-scan-address.ts'

/** The verdict of one policy scan, why, and what to do; evaluated when it is opened. */
export function ScanScreen({ question }: { question: PolicyScanQuestion }): ReactElement {
  const scan = usePolicyScans().open(question)
  const view = usePolicyScanView(scan)
  const [address, change] = useScanAddress()
  const known = useKnownPackages()
  const comparison = useComparison(question, view, address.other)
  const [isChanging, setChanging] = useState(false)
  useRemembering(question, view)

  const { state, groups, unreadable } = view
  const verdict = useMemo(
    () => scanVerdict(groups, { unreadable, complete: state.is === 'done' }),
    [groups, unreadable, state.is],
  )
  const shown = useMemo(() => filterPolicies(groups, policyFilter(address)), [groups, address])
  const changes = comparison.is === 'done' ? comparison.difference.changes : undefined

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
    <div className={css.page}>
      <ScanHeadline question={question} view={view} verdict={verdict} scans={known.scans}>
        <ScanTools
          question={question}
          view={view}
          verdict={verdict}
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
          shown={shown.length}
          address={address}
          isCompared={changes !== undefined}
          onChange={change}
        />
      )}
      <PolicyList
        groups={shown}
        isNarrowed={shown.length < groups.length}
        isEvaluating={isRunning(state)}
        address={address}
        changes={changes}
        onChange={change}
      />
      <EarlierRuns question={question} before={view.startedAt} />
    </div>
  )
}
