import type { ReactElement } from 'react'
import type { EnvironmentRow } from '../../../facts/environment.ts'
import { bytesText, durationText } from '../../ui/format.ts'
import { EmptyState } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import css from './build-page.module.css'
import type { Knowledge } from './use-knowledge.ts'

/** Where and how the build ran, as far as its events and attributes tell. */
export function EnvironmentTab({ knowledge }: { knowledge: Knowledge }): ReactElement {
  const { facts, header } = knowledge
  const rows = header?.environment ?? []
  const fields = Object.entries(facts?.fields ?? {})
  const groups = [...new Set(rows.map(({ group }) => group))]
  if (rows.length === 0 && fields.length === 0) {
    return (
      <EmptyState title="Nothing is told of where this build ran.">
        <p>
          Machine, system, Java and switches appear here where a build’s events or attributes tell
          them.
        </p>
      </EmptyState>
    )
  }
  return (
    <div className={css.groups}>
      {groups.map((group) => (
        <section key={group} className={css.group}>
          <h2>{group}</h2>
          <dl>
            {rows
              .filter((row) => row.group === group)
              .map((row, index) => (
                <Row key={`${index} ${row.name}`} row={row} />
              ))}
          </dl>
        </section>
      ))}
      {fields.length > 0 && (
        <section className={css.group}>
          <h2>Fields to search for</h2>
          <dl>
            {fields.map(([name, value]) => (
              <div key={name}>
                <dt className={css.field}>{name}</dt>
                <dd>{value === null ? 'no value' : String(value)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </div>
  )
}

function Row({ row }: { row: EnvironmentRow }): ReactElement {
  return (
    <div>
      <dt>{row.name}</dt>
      <dd>{valueOf(row)}</dd>
    </div>
  )
}

function valueOf({ value, unit }: EnvironmentRow): string | ReactElement {
  const amount = Number(value)
  if (unit === null || !Number.isFinite(amount)) return value
  switch (unit) {
    case 'bytes':
      return bytesText(amount)
    case 'ms':
      return amount < 0 ? `−${durationText(-amount)}` : durationText(amount)
    case 'instant':
      return <RelativeTime at={amount} />
  }
}
