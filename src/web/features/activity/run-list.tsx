import { Box, Text } from '@mantine/core'
import { type ReactElement, useRef } from 'react'
import { Link } from 'react-router'
import { policyKey, policyName } from '../../../policy/policy-group.ts'
import { verdictOfRun, verdictSentence } from '../../../policy/verdict.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { versionOf } from '../../../protocol/package-address.ts'
import { packageText, readPackageReference } from '../../../protocol/package-reference.ts'
import { runLink } from '../../domain/package/package-links.ts'
import { verdictTone } from '../../domain/run/remembered-runs.ts'
import { useListKeys } from '../../ui/keys.tsx'
import pageCss from '../../ui/page.module.css'
import { StatusMark } from '../../ui/status-mark.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import css from './activity.module.css'

/** Recorded runs, each a link to itself, with what changed since the one before it. */
export function RunList({
  steps,
  hasPackage,
}: {
  steps: readonly RunStep[]
  /** Whether they are of several packages or versions, so that each says of which. */
  hasPackage: boolean
}): ReactElement {
  const list = useRef<HTMLOListElement>(null)
  useListKeys('History', 'run', () => list.current?.querySelectorAll<HTMLElement>('li > a') ?? [])
  return (
    <ol ref={list} className={pageCss.box}>
      {steps.map((step) => (
        <li
          key={step.run.id}
          className={css.row}
          style={{
            gridTemplateColumns: hasPackage
              ? 'minmax(0, 6fr) minmax(0, 6fr) minmax(0, 3fr) 8rem 6rem'
              : 'minmax(0, 5fr) minmax(0, 5fr) 8rem 7rem',
          }}
          data-evaluation={step.run.id}
        >
          <RunRow step={step} hasPackage={hasPackage} />
        </li>
      ))}
    </ol>
  )
}

function RunRow({ step, hasPackage }: { step: RunStep; hasPackage: boolean }): ReactElement {
  const { run } = step
  const verdict = verdictOfRun(run)
  const read = readPackageReference(run.packagePath)
  const mark = (
    <StatusMark
      tone={verdictTone(run.verdict, verdict)}
      word={verdictSentence(verdict).replace(/\.$/, '')}
    />
  )
  return (
    <>
      {read.ok ? (
        <Link className={css.wide} to={runLink(read.reference.address, run.scan, run.id)}>
          {mark}
        </Link>
      ) : (
        mark
      )}
      {hasPackage && (
        <Box component="span" className={css.wide} ff="monospace" fz="xs">
          {read.ok ? packageText(read.reference.address) : run.packagePath}{' '}
          <Text span inherit c="dimmed">
            {run.scan}
          </Text>
        </Box>
      )}
      <span>
        <Change step={step} />
      </span>
      <span>{run.by}</span>
      <RelativeTime at={run.endedAt} />
    </>
  )
}

function Change({
  step: { run, before, newlyFailing, noLongerFailing, isPartial },
}: {
  step: RunStep
}): ReactElement {
  const more = isPartial ? ' or more' : ''
  const since =
    before === undefined || before.packagePath === run.packagePath
      ? ''
      : ` since ${versionOf(before.packagePath)}`
  return (
    <>
      {run.ended !== 'complete' && (
        <Text span inherit c="dimmed">
          {run.ended === 'broken' ? 'Cut off' : 'Canceled'} after {countOf(run.results, 'result')}
          .{' '}
        </Text>
      )}
      {run.waived.length > 0 && <span>{countText(run.waived.length)} waived at the time. </span>}
      {newlyFailing.length > 0 && (
        <Text span inherit fw={600} c="var(--bad-ink)">
          {countText(newlyFailing.length)}
          {more} newly failing{since}: {listText(newlyFailing)}.{' '}
        </Text>
      )}
      {noLongerFailing.length > 0 && (
        <Text span inherit fw={600} c="var(--good-ink)">
          {countText(noLongerFailing.length)}
          {more} no longer failing{since}: {listText(noLongerFailing)}.
        </Text>
      )}
    </>
  )
}

function listText(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} …` : names.join(', ')
}

/** A recorded run, and what changed since the one before it. */
interface RunStep {
  readonly run: EvaluationSummary
  /** What it is compared with; undefined for the first one. */
  readonly before: EvaluationSummary | undefined
  /** Names of policies. */
  readonly newlyFailing: readonly string[]
  readonly noLongerFailing: readonly string[]
  /** Whether there may be more than is listed: records name the first failing policies only. */
  readonly isPartial: boolean
}

/**
 * Each run, the newest first, with what changed since the whole run before it: of the same artifact,
 * or of another one where this is the first of its own. A run that broke off proves no policy fixed.
 */
export function runSteps(runs: readonly EvaluationSummary[]): readonly RunStep[] {
  return runs.map((run, index) => {
    const before = runBefore(run, runs.slice(index + 1))
    if (before === undefined) return stepAlone(run)
    return {
      run,
      before,
      newlyFailing: failingOnlyIn(run, before),
      noLongerFailing: run.ended === 'complete' ? failingOnlyIn(before, run) : [],
      isPartial: [run, before].some(({ counts, failing }) => counts.unsatisfied > failing.length),
    }
  })
}

/** A run on its own, where what went before it is not shown. */
export function stepAlone(run: EvaluationSummary): RunStep {
  return { run, before: undefined, newlyFailing: [], noLongerFailing: [], isPartial: false }
}

function runBefore(
  run: EvaluationSummary,
  older: readonly EvaluationSummary[],
): EvaluationSummary | undefined {
  const ofScan = older.filter(({ scan, ended }) => scan === run.scan && ended === 'complete')
  return (
    ofScan.find(
      ({ packagePath, sha256 }) => packagePath === run.packagePath && sha256 === run.sha256,
    ) ?? ofScan[0]
  )
}

function failingOnlyIn(one: EvaluationSummary, other: EvaluationSummary): readonly string[] {
  const others = new Set(other.failing.map(policyKey))
  return one.failing.filter((uri) => !others.has(policyKey(uri))).map((uri) => policyName(uri).name)
}

/**
 * How a scan came out over time, in words: the newest run, and for how long it has been like that.
 * `runs` are the newest first; `isAll` says whether there are no older ones; `dayText` writes epoch ms.
 */
export function historySentence(
  runs: readonly EvaluationSummary[],
  isAll: boolean,
  dayText: (at: number) => string,
): string {
  const [newest] = runs
  if (newest === undefined) return 'No runs recorded.'
  const streak = streakOf(runs)
  const since = streak.at(-1) ?? newest
  const newestText = verdictSentence(verdictOfRun(newest)).replace(':', ' in the last run:')
  const lasting =
    streak.length > 1
      ? ` Same verdict for ${streak.length === runs.length && !isAll ? 'at least ' : ''}${countText(streak.length)} runs, since ${dayText(since.endedAt)}.`
      : ''
  // Of a single run the verdict says it.
  return runs.length === 1 ? newestText : `${newestText}${lasting} ${passedText(runs, isAll)}`
}

/** "All 3 runs were releasable.", "None of the last 50 runs was releasable.", "1 of 3 runs was releasable." */
function passedText(runs: readonly EvaluationSummary[], isAll: boolean): string {
  const passed = runs.filter((run) => run.verdict === 'releasable').length
  const number = countText(runs.length)
  const of = isAll ? `${number} runs` : `the last ${number} runs`
  if (passed === runs.length) return `All ${isAll ? of : `of ${of}`} were releasable.`
  const how = passed === 0 ? 'None' : countText(passed)
  return `${how} of ${of} ${passed > 1 ? 'were' : 'was'} releasable.`
}

/** The newest runs that all came out the same. */
function streakOf(runs: readonly EvaluationSummary[]): readonly EvaluationSummary[] {
  const end = runs.findIndex(({ verdict }) => verdict !== runs[0]?.verdict)
  return end === -1 ? runs : runs.slice(0, end)
}
