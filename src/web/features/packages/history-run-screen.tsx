import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import type { EvaluationRecord } from '../../../protocol/evaluation.ts'
import type { PackageAddress } from '../../../protocol/package-address.ts'
import { evaluationsQuery } from '../../data/scans/evaluation-history.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { allVersionsPath, waiversQuery } from '../../data/scans/waivers.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/instant.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { RunComparison } from './history-run-comparison.tsx'
import { RunTools } from './history-run-tools.tsx'
import { leftOutText, verdictOfRecord, viewOfRecord } from './history-run-view.ts'
import { useRunComparison } from './history-use-run.ts'
import css from './page.module.css'
import { PolicyList } from './policy-list.tsx'
import { caveatsOf, reportOf } from './report-of.ts'
import { ScanFilters } from './scan-filters.tsx'
import { ScanHeadline } from './scan-headline.tsx'
import notices from './scan-notices.module.css'
import './scan-print.css'
import { usePolicySieve } from './use-policy-sieve.ts'
import { useScanAddress } from './use-scan-address.ts'
import { RowWaiversContext } from './waiver-context.ts'

/** A recorded run like the page of its scan, to be read only. */
export function RecordedRunScreen({
  record,
  address,
}: {
  record: EvaluationRecord
  address: PackageAddress
}): ReactElement {
  const request = useRequest()
  const { zone } = usePreferences()
  const [looked, change] = useScanAddress()
  const { scan, sha256, repositoryUrl } = record
  const question = { address, scan, sha256, repositoryUrl }
  const everyVersion = allVersionsPath(record.packagePath)
  const waivers = useQuery(waiversQuery(request, everyVersion)).data?.waivers
  const listed = useInfiniteQuery(evaluationsQuery(request, { path: everyVersion, scan })).data
  const runs = useMemo(
    () => listed?.pages.flatMap(({ evaluations }) => evaluations) ?? [],
    [listed],
  )
  const view = useMemo(() => viewOfRecord(record), [record])
  const verdict = useMemo(
    () => verdictOfRecord(record, view, waivers ?? []),
    [record, view, waivers],
  )
  const { waived } = verdict
  const comparison = useRunComparison(record, view, runs)
  const { groups } = view
  const answer = usePolicySieve(groups, looked, waived)
  const rows = useMemo(() => ({ waived, elsewhere: new Map(), onWish: undefined }), [waived])
  const leftOut = leftOutText(record)
  const caveats = [...caveatsOf(view), ...(leftOut === undefined ? [] : [leftOut])]
  const report = reportOf(question, view, verdict.said, waivers && verdict)
  return (
    <RowWaiversContext value={rows}>
      <div className={css.page}>
        <ScanHeadline question={question} view={view} verdict={verdict} scans={[]}>
          <span>
            Recorded {instantText(record.endedAt, zone)} by <strong>{record.by}</strong>: what the
            service said then.
          </span>
          <RunTools
            question={question}
            record={record}
            runs={runs}
            report={report && { ...report, caveats }}
          />
        </ScanHeadline>
        {caveats.length > 0 && (
          <div className={notices.notice} data-testid="scan-notice">
            <StatusShape tone="waiting" />
            <div>
              {caveats.map((caveat) => (
                <p key={caveat}>{caveat}</p>
              ))}
            </div>
          </div>
        )}
        <RunComparison record={record} runs={runs} comparison={comparison} />
        {groups.length > 0 && (
          <ScanFilters
            groups={groups}
            shown={answer?.found.length}
            isSearching={answer?.address !== looked}
            waived={waived.size}
            address={looked}
            isCompared={comparison.difference !== undefined}
            onChange={change}
          />
        )}
        {answer !== undefined && (
          <PolicyList
            groups={answer.found}
            isNarrowed={answer.found.length < answer.groups.length}
            isEvaluating={false}
            address={answer.address}
            changes={comparison.difference?.changes}
            passedBefore={comparison.difference?.passedBefore}
            onChange={change}
          />
        )}
      </div>
    </RowWaiversContext>
  )
}
