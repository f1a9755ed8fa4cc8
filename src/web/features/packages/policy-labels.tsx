import { type ReactElement, useState } from 'react'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import { countOf } from '../../../protocol/count.ts'
import css from './policy-list.module.css'

/** A policy has a handful; where a service writes a thousand, they are drawn on demand. */
const drawnAtFirst = 24

/** The labels of a policy; pressing one shows the policies that have it. */
export function PolicyLabels({
  group: { name, labels },
  words,
  chosen,
  onLabel,
}: {
  group: PolicyGroup
  words: ReadonlyMap<string, string>
  chosen: readonly (readonly [name: string, value: string])[]
  onLabel: (name: string, value: string) => void
}): ReactElement | null {
  const [drawn, setDrawn] = useState(drawnAtFirst)
  const all = Object.entries(labels)
  if (all.length === 0) return null
  return (
    <div role="group" aria-label={`Labels of ${name}`} className={css.labels}>
      {all.slice(0, drawn).map(([label, value]) => (
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
      {all.length > drawn && (
        <>
          <button
            type="button"
            className={css.more}
            onClick={() => {
              setDrawn(drawn + 100)
            }}
          >
            Show more: {countOf(all.length - drawn, 'label')} left
          </button>
          <p data-paper-only>Not on this paper: {countOf(all.length - drawn, 'more label')}.</p>
        </>
      )}
    </div>
  )
}
