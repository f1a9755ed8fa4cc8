import { Text } from '@mantine/core'
import { type ReactElement, useRef } from 'react'
import { Link } from 'react-router'
import { verdictSentence } from '../../../policy/verdict.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { countText } from '../../../protocol/count.ts'
import { useKeys } from '../../ui/keys.tsx'
import { packageText, runLink } from '../../domain/package/package-links.ts'
import { RelativeTime } from '../../ui/time.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { verdictTones } from '../../domain/run/remembered-runs.ts'
import css from './activity.module.css'
import pageCss from '../../ui/page.module.css'
import type { RunStep } from './run-steps.ts'

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
  useKeys('History', [
    {
      keys: ['j', 'arrowdown'],
      label: 'Next run',
      run: () => {
        move(list.current, 1)
      },
    },
    {
      keys: ['k', 'arrowup'],
      label: 'Previous run',
      run: () => {
        move(list.current, -1)
      },
    },
  ])
  return (
    <ol ref={list} className={pageCss.box}>
      {steps.map((step) => (
        <li
          key={step.run.id}
          className={css.runListRow}
          data-evaluation={step.run.id}
          data-has-package={hasPackage}
        >
          <RunRow step={step} hasPackage={hasPackage} />
        </li>
      ))}
    </ol>
  )
}

function RunRow({ step, hasPackage }: { step: RunStep; hasPackage: boolean }): ReactElement {
  const { run } = step
  const read = readPackageReference(run.packagePath)
  const mark = (
    <StatusMark tone={verdictTones[run.verdict]} word={verdictSentence(run).replace(/\.$/, '')} />
  )
  return (
    <>
      {read.ok ? (
        <Link className={css.verdict} to={runLink(read.reference.address, run.scan, run.id)}>
          {mark}
        </Link>
      ) : (
        mark
      )}
      {hasPackage && (
        <span className={css.package}>
          {read.ok ? packageText(read.reference.address) : run.packagePath}{' '}
          <Text span inherit c="dimmed">
            {run.scan}
          </Text>
        </span>
      )}
      <span className={css.change}>
        <Change step={step} />
      </span>
      <span className={css.runListBy}>{run.by}</span>
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
      : ` since ${before.packagePath.slice(before.packagePath.lastIndexOf('/') + 1)}`
  return (
    <>
      {run.ended !== 'complete' && (
        <Text span inherit c="dimmed">
          {run.ended === 'broken' ? 'broke off' : 'cancelled'} after {countText(run.results)}{' '}
          results.{' '}
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

/** To the run after or before the one that has the focus; Enter opens it by itself. */
function move(list: HTMLElement | null, step: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('li > a') ?? [])]
  const at = links.findIndex((link) => link === document.activeElement)
  const next = at === -1 ? (step === 1 ? 0 : links.length - 1) : at + step
  links[Math.min(links.length - 1, Math.max(0, next))]?.focus()
}
