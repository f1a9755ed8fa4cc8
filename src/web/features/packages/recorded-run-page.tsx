import { Button, Group, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useMemo } from 'react'
import { Link, Navigate, useParams } from 'react-router'
import { differenceSentence } from '../../../policy/run-difference.ts'
import { waiversInForce } from '../../../policy/waived-verdict.ts'
import type { ScanReport } from '../../../policy/scan-report.ts'
import type { EvaluationRecord, EvaluationSummary } from '../../../protocol/evaluation.ts'
import { type PackageAddress, packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { evaluationQuery, evaluationsQuery } from '../../data/scans/evaluation-history.ts'
import type { PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { allVersionsPath, usePackageWaivers, usePrefetchWaivers } from '../../data/scans/waivers.ts'
import { packageLink, runLink, runsLink } from '../../domain/package/package-links.ts'
import { packageSubject, useMay } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { EvidenceBundle } from '../../domain/run/evidence-bundle.tsx'
import { WaiverNotice } from '../../domain/waiver/waiver-mark.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText, momentText, type Zone } from '../../ui/format.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { ProblemPanel, type ProblemText } from '../../ui/problem.tsx'
import { InlineSelect } from '../../ui/inline-select.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ComparedAttestations } from './comparison.tsx'
import { caveatsOf, ExportMenu, reportOf, useDecisionText } from './export-menu.tsx'
import { useAddressedPackage } from './known-packages.ts'
import pageCss from '../../ui/page.module.css'
import { useFilteredPolicies } from './policy-filtering.ts'
import { PolicyList } from './policy-list.tsx'
import {
  isOfSameArtifact,
  otherArtifactText,
  runAddress,
  type RunsCompared,
  useRunComparison,
  verdictOfRecord,
} from './recorded-run.ts'
import { viewOfRecord } from './last-recorded.ts'
import { scanAddress } from './scan-address.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import { ScanFilters } from './scan-filters.tsx'
import { LoadingScan, newerSentence, NewerNotice, ScanHeadline } from './scan-headline.tsx'
import { RowWaiversContext } from './waivers.tsx'
import { useServices } from '../../data/core/services.ts'

/** One recorded run of a policy scan, as it was: the address is a permalink. */
export function RecordedRunPage(): ReactElement {
  const { run = '' } = useParams()
  const { address, scan } = useAddressedPackage()
  const { data: record, error, refetch } = useQuery(evaluationQuery(useServices().request, run))
  usePrefetchWaivers(packagePath(address))
  if (record !== undefined) {
    const read = readPackageReference(record.packagePath)
    const isHere = record.packagePath === packagePath(address) && record.scan === scan
    // Somebody changed the address by hand: a permalink says the truth about its run.
    return !isHere && read.ok ? (
      <Navigate to={runLink(read.reference.address, record.scan, record.id)} replace />
    ) : (
      <RecordedRunScreen key={run} record={record} address={address} />
    )
  }
  if (error === null) return <LoadingScan address={address} scan={scan} />
  const text = missingText(error)
  return (
    <div className={pageCss.page}>
      <ProblemPanel isPage problem={text} retry={{ label: 'Try again', run: refetch }} />
      <p>
        <Link to={runsLink(address, scan)}>All recorded runs of this scan</Link>
      </p>
    </div>
  )
}

function missingText(error: Error): ProblemText {
  const requested = { action: 'show', noun: 'the recorded run', server: 'Sightline server' }
  return problemWords(error, requested, {
    'not-found': {
      title: 'Run not found.',
      meaning: 'Runs are deleted after the configured time. The link may also be mistyped.',
    },
  })
}

const nothing = (): void => undefined
/** Who may not evaluate may not waive either: the buttons say who may. */
const noChange = {
  onGive: nothing,
  onCarry: nothing,
  onApprove: nothing,
  onEnd: nothing,
  onRenew: nothing,
}

/** A recorded run like the page of its scan, to be read only. */
export function RecordedRunScreen({
  record,
  address,
  note,
  isLast = false,
  newer = [],
  lag,
  onEvaluate,
}: {
  record: EvaluationRecord
  address: PackageAddress
  /** Stands beside the facts of the run, in place of when it was recorded. */
  note?: ReactNode
  /** Whether it stands in place of a new run: what may be done about its policies is shown. */
  isLast?: boolean
  /** Newer, incomplete runs, and why one may be missing. */
  newer?: readonly EvaluationSummary[]
  lag?: string | undefined
  /** Evaluates anew, where this page is the one that does. */
  onEvaluate?: (() => void) | undefined
}): ReactElement {
  const { request, session } = useServices()
  const { zone } = usePreferences()
  const [looked, change] = useSearchState(scanAddress)
  const { scan, sha256, repositoryUrl } = record
  const question = { address, scan, sha256, repositoryUrl }
  const everyVersion = allVersionsPath(record.packagePath)
  const { data: known, error, refetch } = usePackageWaivers(everyVersion)
  const waivers = known?.waivers
  const hadWaivers = record.waived.length > 0
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
  const answer = useFilteredPolicies(groups, looked, waived)
  const rows = useMemo(
    () => ({
      waived,
      waiting: new Map(),
      elsewhere: new Map(),
      subject: packageSubject(address, scan),
      change: isLast ? noChange : undefined,
    }),
    [waived, address, scan, isLast],
  )
  const overruling =
    known === undefined && error === null
      ? undefined
      : newerSentence(newer, waiversInForce(waivers ?? [], record, session.proxyNow()))
  const caveats = caveatsOf(view)
  const decision = useDecisionText(question)
  const report = reportOf(
    question,
    { ...view, record: record.id },
    { verdict: verdict.said, beside: waivers && verdict, by: record.by, decision, overruling },
  )
  return (
    <RowWaiversContext value={rows}>
      <div className={pageCss.page}>
        <ScanHeadline
          question={question}
          view={view}
          verdict={verdict}
          isLoadingWaivers={hadWaivers && waivers === undefined && error === null}
          overruling={overruling}
          scans={[]}
          actions={
            <RunTools
              question={question}
              record={record}
              runs={runs}
              report={report}
              onEvaluate={onEvaluate}
            />
          }
        >
          {note ?? (
            <span>
              Recorded {momentText(record.endedAt, zone)} by <strong>{record.by}</strong>: the
              results at that time.
            </span>
          )}
        </ScanHeadline>
        <NewerNotice address={address} newer={newer} lag={lag} />
        {caveats.length > 0 && (
          <Notice testId="scan-notice">
            {caveats.map((caveat) => (
              <div key={caveat}>{caveat}</div>
            ))}
          </Notice>
        )}
        {hadWaivers && (
          <WaiverNotice fault={error?.message} isKnown={waivers !== undefined} onRetry={refetch} />
        )}
        <RunComparison record={record} runs={runs} comparison={comparison} />
        <ComparedAttestations
          before={comparison.difference === undefined ? undefined : comparison.theirs}
          after={groups}
          names={{
            before:
              comparison.other === undefined
                ? ''
                : `the run of ${runText(comparison.other, record, zone)}`,
            after: 'this run',
          }}
        />
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
            isComplete
            address={answer.address}
            changes={comparison.difference?.changes}
            passedBefore={comparison.difference?.passedBefore}
            statusBefore={comparison.difference?.statusBefore}
            onChange={change}
          />
        )}
      </div>
    </RowWaiversContext>
  )
}

/** What can be done with a recorded run: go to its neighbours, evaluate anew, take it along. */
function RunTools({
  question,
  record,
  runs,
  report,
  onEvaluate,
}: {
  question: PolicyScanQuestion
  record: EvaluationSummary
  /** Of all versions, the newest first. */
  runs: readonly EvaluationSummary[]
  report: ScanReport | undefined
  onEvaluate: (() => void) | undefined
}): ReactElement {
  const { address, scan } = question
  const subject = packageSubject(address, scan)
  const mayEvaluate = useMay('evaluate', subject)
  const ofArtifact = runs.filter((run) => isOfSameArtifact(run, record))
  const at = ofArtifact.findIndex(({ id }) => id === record.id)
  const before = at === -1 ? undefined : ofArtifact[at + 1]
  const after = at === -1 ? undefined : ofArtifact[at - 1]
  return (
    <Group gap={8} data-screen-only>
      {before !== undefined && <Tool to={runLink(address, scan, before.id)} label="Previous run" />}
      {after !== undefined && <Tool to={runLink(address, scan, after.id)} label="Next run" />}
      <Tool to={runsLink(address, scan, question)} label="All runs" />
      {mayEvaluate.isAllowed ? (
        onEvaluate === undefined ? (
          <Tool to={packageLink(address, question, scan)} label="Latest run" />
        ) : (
          <Button variant="default" onClick={onEvaluate}>
            Evaluate
          </Button>
        )
      ) : (
        <PermittedButton permission="evaluate" subject={subject} variant="default">
          Evaluate
        </PermittedButton>
      )}
      <ExportMenu report={report} />
      <EvidenceBundle of={{ run: record.id }} />
    </Group>
  )
}

function Tool({ to, label }: { to: string; label: string }): ReactElement {
  return (
    <Button variant="default" component={Link} to={to}>
      {label}
    </Button>
  )
}

/** What changed between two recorded runs, and the choice of the other one. */
function RunComparison({
  record,
  runs,
  comparison: { other, difference, fault },
}: {
  record: EvaluationSummary
  runs: readonly EvaluationSummary[]
  comparison: RunsCompared
}): ReactElement | null {
  const [{ than: named = '' }, change] = useSearchState(runAddress)
  const { zone } = usePreferences()
  const others = runs.filter((run) => run.id !== record.id)
  if (others.length === 0 && named === '') return null
  return (
    <Group gap="8px 16px">
      {difference !== undefined && other !== undefined ? (
        <span data-testid="comparison">
          {differenceSentence(
            difference,
            `the run of ${runText(other, record, zone)}`,
            other.id > record.id ? 'Going back from' : 'Since',
          ) || `No policy's status differs from the run of ${runText(other, record, zone)}.`}
        </span>
      ) : (
        <Text span inherit c="dimmed">
          {fault === undefined ? 'Not compared with another run.' : `Not compared: ${fault}`}
        </Text>
      )}
      <InlineSelect
        label="Compare with"
        value={named}
        onChange={(chosen) => {
          change({ than: chosen })
        }}
      >
        <option value="">Previous run</option>
        {named !== '' && !others.some((run) => run.id === named) && (
          <option value={named}>
            {named === record.id
              ? 'This run'
              : other === undefined
                ? 'Another run'
                : runText(other, record, zone)}
          </option>
        )}
        {others.map((run) => (
          <option key={run.id} value={run.id}>
            {runText(run, record, zone)}
          </option>
        ))}
      </InlineSelect>
    </Group>
  )
}

/** "Nov 20, 2026, 09:14:05 UTC by alice", with the artifact where it is another one. */
function runText(run: EvaluationSummary, record: EvaluationSummary, zone: Zone): string {
  return `${otherArtifactText(run, record)}${instantText(run.endedAt, zone)} by ${run.by}`
}
