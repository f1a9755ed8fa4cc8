import type { ReactElement } from 'react'
import type { EnvironmentRow } from '../../../facts/environment.ts'
import { StrangerLink } from '../../ui/external-link.tsx'
import { bytesText, durationText } from '../../ui/format.ts'
import { EmptyState, Fact, Facts, Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import css from './build-page.module.css'
import type { Knowledge } from './use-knowledge.ts'

/** What was run, where and how, as far as its events show, or else its attributes. */
export function EnvironmentTab({ knowledge }: { knowledge: Knowledge }): ReactElement {
  const { facts, header, attributes } = knowledge
  const ofEvents = header?.environment ?? []
  // Tools that publish no events, and builds whose events can't be had.
  const rows = ofEvents.length > 0 ? ofEvents : (attributes?.rows ?? [])
  // They repeat what the attributes say.
  const fields = ofEvents.length > 0 || rows.length === 0 ? Object.entries(facts?.fields ?? {}) : []
  const groups = [...new Set(rows.map(({ group }) => group))]
  if (rows.length === 0 && fields.length === 0) {
    return (
      <EmptyState title="No environment data">
        <p>
          Machine, operating system, Java and switches appear here when the build's events or
          attributes include them.
        </p>
      </EmptyState>
    )
  }
  return (
    <div className={css.groups}>
      {groups.map((group) => (
        <Section key={group} title={group}>
          <Facts>
            {rows
              .filter((row) => row.group === group)
              .map((row, index) => (
                <Fact key={`${index} ${row.name}`} name={row.name}>
                  {valueOf(row)}
                </Fact>
              ))}
          </Facts>
        </Section>
      ))}
      {fields.length > 0 && (
        <Section title="Searchable fields">
          <Facts>
            {fields.map(([name, value]) => (
              <Fact key={name} name={name}>
                {value === null ? 'no value' : String(value)}
              </Fact>
            ))}
          </Facts>
        </Section>
      )}
    </div>
  )
}

function valueOf({ name, value, unit }: EnvironmentRow): string | ReactElement {
  const amount = Number(value)
  if (unit === null || !Number.isFinite(amount)) {
    return name === 'command' || name === 'targets' ? (
      <code>{value}</code>
    ) : (
      <StrangerLink address={value}>{value}</StrangerLink>
    )
  }
  switch (unit) {
    case 'bytes':
      return bytesText(amount)
    case 'ms':
      return amount < 0 ? `−${durationText(-amount)}` : durationText(amount)
    case 'instant':
      return <RelativeTime at={amount} />
  }
}
