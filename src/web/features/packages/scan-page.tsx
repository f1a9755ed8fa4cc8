import { Box, Button, Group } from '@mantine/core'
import { type ReactElement, useMemo, useState } from 'react'
import {
  packagePath,
  policyScanPath,
  readRepositoryUrl,
  readSha256,
} from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import {
  isRunning,
  type PolicyScanQuestion,
  type PolicyScanView,
} from '../../data/scans/policy-scan.ts'
import { usePrefetchWaivers } from '../../data/scans/waivers.ts'
import { packageSubject, useMay } from '../../domain/permission/may.ts'
import { ReleaseDayField } from '../../domain/waiver/release-day.tsx'
import { WaiverNotice } from '../../domain/waiver/waiver-mark.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { Notice } from '../../ui/notice.tsx'
import {
  ComparedAttestations,
  ComparisonLine,
  useComparison,
  useHistoryBefore,
} from './comparison.tsx'
import { EarlierRuns, LastRun } from './earlier-runs.tsx'
import { EvidenceScope } from './evidence-signature.tsx'
import { caveatsOf } from './export-menu.tsx'
import { type FieldMistakes, refusalText, refusedAt } from './package-refusal.ts'
import { knownOf, useAddressedPackage, useKnownPackages, useRemembering } from './known-packages.ts'
import { PageHeader } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { isTold, type LastRecorded, useLastRecorded } from './last-recorded.ts'
import { useFilteredPolicies } from './policy-filtering.ts'
import { PolicyList } from './policy-list.tsx'
import { ScanAsOfAnswer, useScanAsOf } from './scan-as-of.tsx'
import { ScanDecision, ScanTools } from './scan-tools.tsx'
import { scanAddress } from './scan-address.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import { ScanFilters } from './scan-filters.tsx'
import {
  LoadingScan,
  newerSentence,
  NewerNotice,
  OtherScans,
  ScanHeadline,
} from './scan-headline.tsx'
import { useWaiverState, WaiverRecord, WaiverScope } from './waivers.tsx'
import { usePageServices, useSessionUser } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'

/** Only who looks for another package needs it, or whom a field was refused. */
const PackageForm = lazyPart(async () => (await import('./package-form.tsx')).PackageForm)

/** One policy scan of one package; where the address does not say of which artifact, it is requested. */
export function ScanPage(): ReactElement {
  const { address, scan, ...fields } = useAddressedPackage()
  const known = useKnownPackages()
  const sha256 = readSha256(fields.sha256)
  const repositoryUrl = readRepositoryUrl(fields.repositoryUrl)
  if (sha256.ok && repositoryUrl.ok) {
    const question = { address, scan, sha256: sha256.value, repositoryUrl: repositoryUrl.value }
    const key = `${policyScanPath(address, scan)} ${question.sha256} ${question.repositoryUrl}`
    return <EvaluatedOrRecorded key={key} question={question} />
  }
  const [before] = knownOf(known, address)
  const mistakes: FieldMistakes = {
    ...(sha256.ok || fields.sha256 === '' ? {} : { sha256: sha256.mistake }),
    ...(repositoryUrl.ok || fields.repositoryUrl === ''
      ? {}
      : { repositoryUrl: repositoryUrl.mistake }),
  }
  return (
    <div className={pageCss.page}>
      <PageHeader
        sentence={`Which artifact of ${packageText(address)}? Enter its digest and repository.`}
      />
      <PackageForm
        key={`${policyScanPath(address, scan)} ${fields.sha256} ${fields.repositoryUrl}`}
        initial={{
          reference: packageText(address),
          sha256: fields.sha256 || (before?.sha256 ?? ''),
          repositoryUrl: fields.repositoryUrl || (before?.repositoryUrl ?? ''),
          scan,
        }}
        refused={mistakes}
        scans={known.scans}
      />
    </div>
  )
}

/** The evaluation of this page, or what was recorded last; opening it evaluates nothing. */
function EvaluatedOrRecorded({ question }: { question: PolicyScanQuestion }): ReactElement {
  const isKnown = useSessionUser() !== undefined
  const may = useMay('evaluate', packageSubject(question.address, question.scan))
  // Whoever loses the role meanwhile keeps the page, with the dialog that is open and what they type in it.
  const [wasAllowed, setWasAllowed] = useState(false)
  if (isKnown && may.isAllowed && !wasAllowed) setWasAllowed(true)
  const scan = usePageServices().scans.open(question)
  const here = useStore(scan)
  const last = useLastRecorded(question, here.record)
  usePrefetchWaivers(packagePath(question.address))
  if (!isKnown) {
    return <LoadingScan address={question.address} scan={question.scan} artifact={question} />
  }
  if (!may.isAllowed && !wasAllowed) return <LastRun question={question} reason={may.reason} />
  // Somebody may have evaluated it after this page did.
  const isOvertaken =
    last.is === 'found' &&
    !isRunning(here.state) &&
    (here.record === undefined
      ? last.record.endedAt > (here.endedAt ?? Infinity)
      : last.record.id > here.record)
  // From a part no verdict can be made.
  const shown = last.is === 'found' && isTold(last.record, last.view) ? last : undefined
  const refusal = here.state.is === 'refused' && !isOvertaken ? here.state.problem : undefined
  // What is wrong with a field is said in the form; any other failure says nothing against the last run,
  // nor does it that the policy scan is gone.
  const isBeside =
    refusal !== undefined &&
    (refusal.status === 404 || Object.keys(refusedAt(refusal)).length === 0)
  if (here.state.is !== 'idle' && !isOvertaken && !(isBeside && shown !== undefined))
    return <ScanScreen question={question} view={here} />
  if (shown !== undefined) {
    const { view, record } = shown
    return (
      <ScanScreen question={question} view={view} by={record.by} refusal={refusal} last={shown} />
    )
  }
  return <LastRun question={question} reason={may.reason ?? ''} onEvaluate={scan.run} />
}

const notCompared = { changes: undefined, passedBefore: undefined, statusBefore: undefined }

/** The verdict of one policy scan, why, and what to do. */
function ScanScreen({
  question,
  view,
  by,
  refusal,
  last,
}: {
  question: PolicyScanQuestion
  view: PolicyScanView
  /** Who requested a run that was recorded; undefined for one of this page. */
  by?: string
  /** Why there is no newer run than a recorded one. */
  refusal?: ProblemError | undefined
  /** Of a recorded run: what newer ones there are. */
  last?: Pick<Extract<LastRecorded, { is: 'found' }>, 'newer' | 'lag'>
}): ReactElement {
  const scan = usePageServices().scans.open(question)
  const [address, change] = useSearchState(scanAddress)
  const known = useKnownPackages()
  const history = useHistoryBefore(question, view)
  const comparison = useComparison(question, view, address.other, history.before)
  const [isChanging, setChanging] = useState(false)
  useRemembering(question, view)

  const { state } = view
  const waivers = useWaiverState(question, view)
  const { beside, inForce } = waivers
  const overruling = waivers.isLoading ? undefined : newerSentence(last?.newer ?? [], inForce)
  const onDay = useScanAsOf(view, waivers, {
    day: address.asOf,
    isOverruled: overruling !== undefined,
  })
  const answer = useFilteredPolicies(view.groups, address, inForce)
  // Nothing is to be said of results that may be among what is missing.
  const isLacking = state.is === 'cancelled' || state.is === 'broken' || view.unreadable > 0
  const { changes, passedBefore, statusBefore } =
    comparison.is === 'done' ? comparison.difference : notCompared

  const subject = useMemo(() => packageSubject(question.address, question.scan), [question])
  const form = (
    <PackageForm
      initial={{ ...question, reference: packageText(question.address) }}
      refused={state.is === 'refused' ? refusedAt(state.problem) : {}}
      scans={known.scans}
      onSubmit={() => {
        setChanging(false)
      }}
    />
  )
  if (state.is === 'refused') {
    const text = refusalText(question.scan, state.problem)
    const isUnknown = state.problem.status === 404
    return (
      <div className={pageCss.page}>
        <ProblemPanel isPage problem={text} retry={{ label: 'Evaluate again', run: scan.run }} />
        {isUnknown && known.scans.some((name) => name !== question.scan) && (
          <Group gap={12}>
            Known policy scans: <OtherScans question={question} scans={known.scans} />
          </Group>
        )}
        {form}
      </div>
    )
  }
  return (
    <EvidenceScope sha256={question.sha256}>
      <WaiverScope
        state={waivers}
        of={`${packageText(question.address)}, scan ${question.scan}`}
        subject={subject}
      >
        <div className={pageCss.page}>
          <ScanHeadline
            question={question}
            view={view}
            verdict={beside}
            isLoadingWaivers={waivers.isLoading}
            overruling={overruling}
            scans={known.scans}
            actions={
              <ScanTools
                question={question}
                view={view}
                verdict={beside.said}
                beside={waivers.isKnown ? beside : undefined}
                by={by}
                asOf={onDay.text}
                overruling={overruling}
                isChanging={isChanging}
                onRun={scan.run}
                onCancel={scan.cancel}
                onChange={() => {
                  setChanging(!isChanging)
                }}
              />
            }
          >
            {by !== undefined && (
              <span data-testid="last-run">
                by <strong>{by}</strong>
              </span>
            )}
          </ScanHeadline>
          {refusal !== undefined && <Refusal question={question} problem={refusal} />}
          {isChanging && form}
          <ScanDecision
            question={question}
            view={view}
            verdict={beside}
            areWaiversKnown={waivers.isKnown}
            by={by}
            isSuperseded={overruling !== undefined}
          />
          <NewerNotice address={question.address} newer={last?.newer ?? []} lag={last?.lag} />
          <ScanNotices view={view} onRun={scan.run} />
          <WaiverNotice fault={waivers.fault} isKnown={waivers.isKnown} onRetry={waivers.retry} />
          {history.fault !== undefined && <Notice testId="history-notice">{history.fault}</Notice>}
          <Group gap="8px 24px">
            <ComparisonLine
              question={question}
              comparison={comparison}
              other={address.other}
              known={known}
              onChoose={(other) => {
                change({ other })
              }}
              active={[address.other, address.asOf || undefined].filter(Boolean).length}
            >
              {state.is === 'done' && (
                <ReleaseDayField
                  day={address.asOf}
                  read={onDay.read}
                  onChange={(asOf) => {
                    change({ asOf }, true)
                  }}
                />
              )}
            </ComparisonLine>
          </Group>
          <ScanAsOfAnswer of={onDay} />
          <ComparedAttestations
            before={comparison.is === 'done' ? comparison.theirs : undefined}
            after={view.groups}
            names={{
              before: comparison.is === 'done' ? comparison.since : '',
              after:
                address.other === undefined ? 'this run' : `version ${question.address.version}`,
            }}
          />
          {answer !== undefined && answer.groups.length > 0 && (
            <ScanFilters
              groups={answer.groups}
              shown={answer.found.length}
              isSearching={answer.address !== address}
              waived={beside.waived.size}
              address={address}
              isCompared={changes !== undefined}
              onChange={change}
            />
          )}
          {answer !== undefined && (answer.groups.length > 0 || !isLacking) && (
            <PolicyList
              groups={answer.found}
              isNarrowed={answer.found.length < answer.groups.length}
              isComplete={state.is === 'done' && answer.groups === view.groups}
              address={answer.address}
              changes={changes}
              passedBefore={passedBefore}
              statusBefore={statusBefore}
              onChange={change}
            />
          )}
          <WaiverRecord waivers={waivers.here} now={waivers.now} />
          <EarlierRuns question={question} recorded={history.earlier} before={view.startedAt} />
          <Box hiddenFrom="sm">
            <OtherScans question={question} scans={known.scans} />
          </Box>
        </div>
      </WaiverScope>
    </EvidenceScope>
  )
}

/** Why there is no newer run, above the one that is shown in its place. */
function Refusal({
  question,
  problem,
}: {
  question: PolicyScanQuestion
  problem: ProblemError
}): ReactElement {
  const { title, ...text } = refusalText(question.scan, problem)
  return <ProblemPanel problem={{ ...text, title: `${title} The last recorded run is shown.` }} />
}

/** What keeps the answer from being whole, and why it takes so long. */
function ScanNotices({
  view,
  onRun,
}: {
  view: PolicyScanView
  onRun: () => void
}): ReactElement | null {
  const { state } = view
  const caveats = caveatsOf(view)
  if (state.is === 'waiting') {
    return <Notice testId="scan-notice">{state.reason} Sightline retries by itself.</Notice>
  }
  if (caveats.length === 0) return null
  return (
    <Notice
      role="alert"
      testId="scan-notice"
      action={
        view.endedAt !== undefined && (
          <Button variant="default" onClick={onRun}>
            Evaluate again
          </Button>
        )
      }
    >
      {caveats.map((caveat) => (
        <div key={caveat}>{caveat}</div>
      ))}
    </Notice>
  )
}
