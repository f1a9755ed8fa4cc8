import { Stack, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link, useSearchParams } from 'react-router'
import { countText } from '../../../protocol/count.ts'
import { buildAddress, type Tab } from './build-address.ts'
import tabs from '../../ui/tabs.module.css'
import css from './build-page.module.css'
import { EventsTab } from './events-tab.tsx'
import { knownTools } from './part-notice.tsx'
import { TestsTab } from './tests-tab.tsx'
import { TimelineTab } from './timeline-tab.tsx'
import type { Knowledge, TabProps } from './use-knowledge.ts'
import { tabWords } from './words.ts'
import type { EnvironmentRow } from '../../../facts/environment.ts'
import { breakable, StrangerLink } from '../../ui/external-link.tsx'
import { bytesText, durationText } from '../../ui/format.ts'
import { EmptyState, Fact, Facts, Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'

/** What the build did, its tests, where it ran, and its raw events: each has an address, none is empty. */
export function BuildTabs(props: TabProps): ReactElement {
  const { address, knowledge, view } = props
  const isComplete = view.parts.executions.state === 'complete'
  const counts = countsOf(knowledge, isComplete)
  const [usual, ...more] = tabsOf(props)
  const current = address.tab ?? usual
  // An address may name a tab that has nothing: it says what would be there.
  const shown = [usual, ...more, ...(more.includes(current) || current === usual ? [] : [current])]
  return (
    <section className={css.tabs}>
      <nav
        className={tabs.tabs}
        style={{ borderBottom: '1px solid var(--line)' }}
        aria-label="Build tabs"
      >
        {shown.map((tab) => (
          <TabLink
            key={tab}
            tab={tab}
            isUsual={tab === usual}
            isCurrent={tab === current}
            word={tab === 'environment' && hasCommand(knowledge) ? 'Details' : tabWords[tab]}
            count={counts[tab]}
          />
        ))}
      </nav>
      <Stack gap={8} pt={12}>
        <Panel {...props} tab={current} />
      </Stack>
    </section>
  )
}

/** The tab that a build opens on. */
export function usualTab(props: Pick<TabProps, 'knowledge' | 'view'>): Tab {
  return tabsOf(props)[0]
}

/** The tabs that have something, or may get it; the one that a build opens on is the first. */
function tabsOf({
  knowledge,
  view,
}: Pick<TabProps, 'knowledge' | 'view'>): readonly [Tab, ...Tab[]] {
  const { facts, executions, header, attributes } = knowledge
  const { state } = view.parts.executions
  const isKnownTool = facts === undefined || knownTools.includes(facts.buildTool)
  const isOpen = state !== 'complete' && state !== 'refused'
  const hasWork = executions?.span !== null && executions?.span !== undefined
  const hasTests = Object.keys(executions?.counts.test ?? {}).length > 0
  const rows = header?.environment.length ?? 0
  const fields = Object.keys(facts?.fields ?? {}).length
  const hasDetails = rows + fields + (attributes?.rows.length ?? 0) > 0
  const isRefused = view.parts.header.state === 'refused'
  const found: Tab[] = [
    ...(hasWork || (isOpen && isKnownTool && !isRefused) ? (['timeline'] as const) : []),
    ...(hasTests ? (['tests'] as const) : []),
    ...(hasDetails ? (['environment'] as const) : []),
    ...(isRefused ? [] : (['events'] as const)),
  ]
  const [first = 'environment', ...rest] = found
  return [first, ...rest]
}

/** Whether nothing but attributes says what the build did. */
function hasCommand({ header, attributes }: Knowledge): boolean {
  return (
    (header?.environment.length ?? 0) === 0 &&
    attributes?.rows.some(({ group }) => group === 'Command') === true
  )
}

function TabLink({
  tab,
  isUsual,
  isCurrent,
  word,
  count,
}: {
  tab: Tab
  isUsual: boolean
  isCurrent: boolean
  word: string
  count: number | undefined
}): ReactElement {
  const [search] = useSearchParams()
  // The search and the open row of one part mean nothing in another.
  const change = { tab: isUsual ? undefined : tab, search: '', row: undefined }
  return (
    <Link
      to={{ search: buildAddress.update(search, change).toString() }}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {word}
      {count !== undefined && (
        <Text span fz="xs" c="dimmed" fw={400}>
          {countText(count)}
        </Text>
      )}
    </Link>
  )
}

function Panel({ tab, ...props }: TabProps & { tab: Tab }): ReactElement {
  switch (tab) {
    case 'timeline':
      return <TimelineTab {...props} />
    case 'tests':
      return <TestsTab {...props} />
    case 'environment':
      return <EnvironmentTab knowledge={props.knowledge} />
    case 'events':
      return <EventsTab {...props} />
  }
}

/** While events are still read, none so far is no count. */
function countsOf(
  { executions }: Knowledge,
  isComplete: boolean,
): Partial<Record<Tab, number | undefined>> {
  if (executions === undefined) return {}
  const known = (...counts: readonly Readonly<Record<string, number>>[]): number | undefined => {
    const sum = counts
      .flatMap((each) => Object.values(each))
      .reduce((total, count) => total + count, 0)
    return isComplete || sum > 0 ? sum : undefined
  }
  const { task, goal, test } = executions.counts
  return { timeline: known(task, goal), tests: known(test) }
}

/** What was run, where and how, as far as its events show, or else its attributes. */
function EnvironmentTab({ knowledge }: { knowledge: Knowledge }): ReactElement {
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
              <Fact key={name} name={breakable(name)}>
                {Array.isArray(value) ? value.join(', ') : String(value ?? 'no value')}
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
