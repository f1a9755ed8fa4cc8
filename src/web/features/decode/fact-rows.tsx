import type { ReactElement, ReactNode } from 'react'
import type { Fact } from '../../../attestation/facts.ts'
import { FactValue } from './fact-value.tsx'
import css from './facts.module.css'
import { Visible } from './visible.tsx'

/** What an attestation says, name by name. */
export function FactRows({ rows }: { rows: readonly Fact[] }): ReactElement {
  return (
    <dl className={css.rows}>
      {rows.map((row, at) => (
        <div key={at}>
          <dt>
            <Visible text={row.label} most={200} />
          </dt>
          <dd>
            <FactValue {...row} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Names and what belongs to them; a row without content is left out. */
export function NamedRows({
  rows,
}: {
  rows: readonly (readonly [string, ReactNode])[]
}): ReactElement {
  return (
    <dl className={css.rows}>
      {rows.map(([name, content]) =>
        content === undefined || content === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{content}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
