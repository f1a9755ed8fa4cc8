import { Box, Group } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { Link } from 'react-router'
import { type ScanVerdict, verdictSentence } from '../../../policy/verdict.ts'
import { unwaived, waivedSentence, type WaivedVerdict } from '../../../policy/waived-verdict.ts'
import { countOf } from '../../../protocol/count.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import type { PackageAddress } from '../../../protocol/package-address.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { policyKey, policyName } from '../../../policy/policy-group.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import {
  isRunning,
  type PolicyScanQuestion,
  type PolicyScanView,
} from '../../data/scans/policy-scan.ts'
import { type Artifact, packageLink, runLink } from '../../domain/package/package-links.ts'
import { verdictTone } from '../../domain/run/remembered-runs.ts'
import { useSilence, useWaitStart } from '../../domain/silence/silence.ts'
import { expiryText } from '../../domain/waiver/waiver-draft.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { durationText, type Zone } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { PageHeader } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import type { StatusTone } from '../../ui/status-mark.tsx'
import { IdText, VisuallyHidden } from '../../ui/text.tsx'
import { RelativeTime, useDerivedFromNow } from '../../ui/time.tsx'
import css from './scan-page.module.css'

/** The verdict in one sentence; which package and scan it is of is below it. */
export function ScanHeadline({
  question,
  view,
  verdict,
  isLoadingWaivers,
  overruling,
  scans,
  actions,
  children,
}: {
  question: PolicyScanQuestion
  view: PolicyScanView
  verdict: WaivedVerdict
  /** The verdict may still change: which policies are waived isn't known yet. */
  isLoadingWaivers: boolean
  /** What a newer run says against it (`newerSentence`). */
  overruling?: string | undefined
  /** Names of scans to offer. */
  scans: readonly string[]
  actions: ReactNode
  /** More facts of the run. */
  children?: ReactNode
}): ReactElement {
  const { address, scan } = question
  const { zone } = usePreferences()
  const headlineAt = (now: number): ScanSentence =>
    overruling === undefined
      ? waiverHeadline(view, verdict, { now, zone, isLoadingWaivers })
      : { text: overruling, tone: 'bad' }
  const { tone } = headlineAt(0)
  const isAwaited = view.state.is === 'asking' || view.state.is === 'reading'
  const silence = useSilence(useWaitStart(isAwaited ? view.results : undefined), 'policy service')
  const text = useDerivedFromNow((now) => headlineAt(now).text)
  return (
    <PageHeader
      title={
        <>
          <ScanPlace address={address} scan={scan} />
          <Box visibleFrom="sm">
            <OtherScans question={question} scans={scans} />
          </Box>
        </>
      }
      sentence={<span className={css.verdict}>{text}</span>}
      tone={tone}
      attributes={{
        'data-verdict':
          overruling !== undefined
            ? 'not-releasable'
            : isLoadingWaivers
              ? undefined
              : verdict.verdict,
      }}
      actions={actions}
    >
      {/* What counts down or up is not read out; the end is. */}
      <span role="status">
        <VisuallyHidden>{view.endedAt === undefined ? 'Evaluating' : text}</VisuallyHidden>
      </span>
      <Group gap="4px 16px" c="dimmed">
        <ArtifactFacts artifact={question} />
        {/* It stands there from the start, so that nothing moves when it ends. */}
        <span>
          {view.endedAt === undefined ? (
            `Evaluating… ${silence}`.trimEnd()
          ) : (
            <>
              Evaluated <RelativeTime at={view.endedAt} />
            </>
          )}
        </span>
        {children}
      </Group>
    </PageHeader>
  )
}

/**
 * "Not releasable: a newer, incomplete run fails sbom-present." Undefined where all that newer runs found unsatisfied before
 * they broke off is waived (by policy key), or nothing was.
 */
export function newerSentence(
  newer: readonly Pick<EvaluationSummary, 'failing' | 'counts'>[],
  waived: ReadonlyMap<string, Waiver>,
): string | undefined {
  const run = newer.find((one) => unwaived(one, waived) > 0)
  if (run === undefined) return undefined
  const left = unwaived(run, waived)
  const [first] = run.failing.filter((uri) => !waived.has(policyKey(uri)))
  const named = first === undefined ? [] : [policyName(first).name]
  const more = left - named.length
  const what = [...named, ...(more > 0 ? [countOf(more, 'more policy', 'more policies')] : [])]
  return `Not releasable: a newer, incomplete run fails ${new Intl.ListFormat('en').format(what)}.`
}

/** That there is a newer run than the one that is shown, or may be. */
export function NewerNotice({
  address,
  newer: [newer],
  lag,
}: {
  address: PackageAddress
  /** The newest first. */
  newer: readonly EvaluationSummary[]
  /** Why a newer one may be missing: a sentence. */
  lag: string | undefined
}): ReactElement | null {
  if (newer === undefined && lag === undefined) return null
  return (
    <Notice testId="newer-run">
      {newer !== undefined && (
        <div>
          The results are of the last complete run.{' '}
          <Link to={runLink(address, newer.scan, newer.id)}>A newer run</Link> by {newer.by} (
          <RelativeTime at={newer.endedAt} />) is incomplete.
        </div>
      )}
      {lag !== undefined && <div>{lag}</div>}
    </Notice>
  )
}

/** A scan that is being loaded: what its address says of it is there from the start. */
export function LoadingScan({
  address,
  scan,
  artifact,
}: {
  address: PackageAddress
  scan: string
  artifact?: Artifact
}): ReactElement {
  return (
    <div className={pageCss.page}>
      <PageHeader
        title={<ScanPlace address={address} scan={scan} />}
        sentence={<span className={css.verdict}>Loading policy scan…</span>}
      >
        {artifact && (
          <Group gap="4px 16px" c="dimmed">
            <ArtifactFacts artifact={artifact} />
          </Group>
        )}
      </PageHeader>
    </div>
  )
}

/** Which package a page is of; public/frame.js draws the same before. */
export function PackagePlace({ address }: { address: PackageAddress }): ReactElement {
  const name = packageText(address)
  return (
    <span className={css.id}>
      <strong>{name}</strong>
      <CopyButton text={name} what={`package ${name}`} />
    </span>
  )
}

function ScanPlace({ address, scan }: { address: PackageAddress; scan: string }): ReactElement {
  return (
    <>
      <PackagePlace address={address} />
      <span>
        Scan <strong>{scan}</strong>
      </span>
    </>
  )
}

function ArtifactFacts({ artifact }: { artifact: Artifact }): ReactElement {
  const { sha256, repositoryUrl } = artifact
  return (
    <>
      <span className={css.id}>
        sha256:
        <span className={css.id} data-screen-only>
          <IdText id={sha256} />
          <CopyButton text={sha256} what={`digest ${sha256}`} />
        </span>
        <span data-paper-only>{sha256}</span>
      </span>
      <span className={css.id}>{repositoryUrl}</span>
    </>
  )
}

/** Links to other scans of the same package; at the end of the page where its top has no room. */
export function OtherScans({
  question,
  scans,
}: {
  question: PolicyScanQuestion
  scans: readonly string[]
}): ReactElement | null {
  const others = scans.filter((other) => other !== question.scan)
  if (others.length === 0) return null
  const shown = others.slice(0, 5)
  const more = others.length - shown.length
  return (
    <nav aria-label="Other scans of this package">
      <Group gap={12} style={{ overflowWrap: 'anywhere' }}>
        {shown.map((other) => (
          <Link key={other} to={packageLink(question.address, question, other)}>
            {other}
          </Link>
        ))}
        {more > 0 && <Link to={packageLink(question.address, question)}>{more} more</Link>}
      </Group>
    </nav>
  )
}

/** The answer of the page, in one sentence, and what it means as a tone. */
interface ScanSentence {
  readonly text: string
  readonly tone: StatusTone
}

/** What can be said at this moment (epoch ms); before the end nothing counts as releasable. */
export function scanSentence(
  { state, results }: Pick<PolicyScanView, 'state' | 'results'>,
  said: ScanVerdict,
  now: number,
): ScanSentence {
  const { verdict, counts } = said
  switch (state.is) {
    case 'idle':
    case 'asking':
      return { text: 'Evaluating: no results yet.', tone: 'waiting' }
    case 'waiting': {
      const left = durationText(1000 * Math.max(1, Math.ceil((state.until - now) / 1000)))
      return { text: `The policy service is busy. Retrying in ${left}.`, tone: 'waiting' }
    }
    case 'reading': {
      const failing = counts.unsatisfied
      if (results === 0) return { text: 'Evaluating: no results yet.', tone: 'waiting' }
      const soFar = `Evaluating: ${countOf(results, 'result')} so far`
      return failing === 0
        ? { text: `${soFar}.`, tone: 'waiting' }
        : {
            text: `Not releasable: ${countOf(failing, 'policy', 'policies')} already unsatisfied. ${soFar}.`,
            tone: 'bad',
          }
    }
    case 'refused':
      return { text: 'Not evaluated.', tone: 'bad' }
    case 'done':
    case 'cancelled':
    case 'broken':
      return { text: verdictSentence(said), tone: verdictTone(verdict, said) }
  }
}

/**
 * The answer of the page where waivers are counted: `scanSentence` where there are none. What only a
 * waiver lets pass is never said like what passed, and what a waiver may let pass decides nothing
 * before waivers are known. `now` is epoch ms.
 */
export function waiverHeadline(
  view: Pick<PolicyScanView, 'state' | 'results'>,
  verdict: WaivedVerdict,
  {
    now,
    zone,
    isLoadingWaivers = false,
  }: { readonly now: number; readonly zone: Zone; readonly isLoadingWaivers?: boolean },
): ScanSentence {
  const { said, waived } = verdict
  const failing = said.counts.unsatisfied
  if (isLoadingWaivers && failing > 0) {
    const unsatisfied = `${countOf(failing, 'policy', 'policies')} unsatisfied`
    if (view.state.is === 'reading') {
      const soFar = `Evaluating: ${countOf(view.results, 'result')} so far`
      return { text: `${soFar}, ${unsatisfied}.`, tone: 'waiting' }
    }
    const hasEnded = !isRunning(view.state) && view.state.is !== 'refused'
    if (hasEnded) return { text: `${unsatisfied}. Loading waivers…`, tone: 'waiting' }
  }
  if (waived.size === 0 || view.state.is === 'refused') return scanSentence(view, said, now)
  if (!isRunning(view.state)) {
    const text = waivedSentence(verdict, (at) => expiryText(at, zone, now))
    return { text, tone: verdictTone(verdict.verdict, said) }
  }
  // So far all that fails is waived: that decides nothing yet.
  const isOpen = view.state.is === 'reading' && waived.size === said.counts.unsatisfied
  return isOpen
    ? {
        text: `Evaluating: ${countOf(view.results, 'result')} so far, ${countOf(waived.size, 'policy', 'policies')} unsatisfied but waived.`,
        tone: 'waiting',
      }
    : scanSentence(view, said, now)
}
