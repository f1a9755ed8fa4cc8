import { memo, type ReactElement } from 'react'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import type { PassedCount, PolicyChange } from '../../../policy/run-difference.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { DrawnNear } from '../../ui/drawn-near.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { cutText } from './cut-text.ts'
import css from './policy-list.module.css'
import { PolicyEvidence } from './policy-evidence.tsx'
import { PolicyLabels } from './policy-labels.tsx'
import { Remediation } from './remediation.tsx'
import { changeWords, statusTones, statusWords, unknownWord } from './status-words.ts'
import { WaiverActions, WaiverLine } from './waiver-row.tsx'

/** About as high as one with a remediation and some evidence, px. */
const bodyHeight = 240

/** A name is to be read at a glance, in characters; exports have all of it. */
const longestName = 200

/** One policy: how it came out, why, and what to do. Failing ones are open. */
export const PolicyRow = memo(function PolicyRow({
  group,
  change,
  before,
  severity,
  words,
  chosen,
  onLabel,
}: {
  group: PolicyGroup
  change: PolicyChange | undefined
  /** What passed in the run that it is compared with, where it was not the same. */
  before: PassedCount | undefined
  /** The label that is told in the line itself. */
  severity: string | undefined
  words: ReadonlyMap<string, string>
  chosen: readonly (readonly [name: string, value: string])[]
  onLabel: (name: string, value: string) => void
}): ReactElement {
  const { status, name, kind, passed, evaluated, description, remediation, labels } = group
  const fails = status === 'unsatisfied' || status === 'unknown'
  const weight = severity === undefined ? undefined : labels[severity]
  return (
    <details
      className={css.policy}
      data-policy-uri={group.policyUri}
      data-status={status}
      open={fails}
    >
      <summary className={css.line}>
        <StatusMark tone={statusTones[status]} word={statusOf(group)} />
        <span className={css.name}>{cutText(name, longestName)}</span>
        <span className={css.kind}>{cutText(kind, longestName)}</span>
        <span className={css.passed}>
          {evaluated === 0
            ? 'applied to no attestation'
            : `passed ${countText(passed)} of ${countOf(evaluated, 'attestation')}`}
          {before !== undefined && (
            <span className={css.dim}>
              {' '}
              ({countText(before.passed)} of {countText(before.evaluated)} before)
            </span>
          )}
        </span>
        <span className={css.weight}>{weight}</span>
        <span className={css.change} data-change={change}>
          {change === undefined || change === 'unchanged' ? '' : changeWords[change]}
        </span>
        <WaiverLine group={group} />
      </summary>
      <DrawnNear height={bodyHeight}>
        <div className={css.body}>
          {description !== '' && <p className={css.description}>{description}</p>}
          {fails && remediation !== '' && (
            <section className={css.remedy} aria-label={`What to do about ${name}`}>
              <h3 className={css.heading}>What to do</h3>
              <Remediation text={remediation} />
            </section>
          )}
          <PolicyLabels group={group} words={words} chosen={chosen} onLabel={onLabel} />
          <WaiverActions group={group} />
          <PolicyEvidence group={group} />
        </div>
      </DrawnNear>
    </details>
  )
})

/** A status that this client does not know is told in the words of the server. */
function statusOf({ status, results }: PolicyGroup): string {
  if (status !== 'unknown') return statusWords[status]
  const told = results.find((result) => result.status === 'unknown')?.statusText ?? ''
  return `${unknownWord(told)} (${statusWords.unknown})`
}
