import { memo, type ReactElement } from 'react'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import type { PassedCount, PolicyChange } from '../../../policy/run-difference.ts'
import { DrawnNear } from '../../ui/drawn-near.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import css from './policy-list.module.css'
import { PolicyEvidence } from './policy-evidence.tsx'
import { Remediation } from './remediation.tsx'
import { changeWords, statusTones, statusWords } from './status-words.ts'
import { WaiverActions, WaiverLine } from './waiver-row.tsx'

/** About as high as one with a remediation and some evidence, px. */
const bodyHeight = 240

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
        <span className={css.name}>{name}</span>
        <span className={css.kind}>{kind}</span>
        <span className={css.passed}>
          {evaluated === 0
            ? 'applied to no attestation'
            : `passed ${passed} of ${evaluated} ${evaluated === 1 ? 'attestation' : 'attestations'}`}
          {before !== undefined && (
            <span className={css.dim}>
              {' '}
              ({before.passed} of {before.evaluated} before)
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
          {Object.keys(labels).length > 0 && (
            <div role="group" aria-label={`Labels of ${name}`} className={css.labels}>
              {Object.entries(labels).map(([label, value]) => (
                <button
                  key={label}
                  type="button"
                  className={css.label}
                  title={`${label}=${value}: show the policies with this label`}
                  aria-pressed={chosen.some((one) => one[0] === label && one[1] === value)}
                  onClick={() => {
                    onLabel(label, value)
                  }}
                >
                  <span className={css.dim}>{words.get(label) ?? label}</span> {value}
                </button>
              ))}
            </div>
          )}
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
  return `${told || 'no status'} (${statusWords.unknown})`
}
