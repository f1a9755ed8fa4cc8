import { Stack, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link, useSearchParams } from 'react-router'
import { countText } from '../../../protocol/count.ts'
import { buildAddress, type Tab, tabs } from './build-address.ts'
import css from './build-page.module.css'
import { EnvironmentTab } from './environment-tab.tsx'
import { EventsTab } from './events-tab.tsx'
import { TestsTab } from './tests-tab.tsx'
import { TimelineTab } from './timeline-tab.tsx'
import type { Knowledge, TabProps } from './use-knowledge.ts'
import { tabWords } from './words.ts'

/** What the build did, its tests, where it ran, and its raw events: each has an address. */
export function BuildTabs(props: TabProps): ReactElement {
  const { address, knowledge, view } = props
  const counts = countsOf(knowledge, view.parts.executions.state === 'complete')
  return (
    <section>
      <nav className={css.tabs} aria-label="Build tabs">
        {tabs.map((tab) => (
          <TabLink key={tab} tab={tab} isCurrent={tab === address.tab} count={counts[tab]} />
        ))}
      </nav>
      <Stack gap={8} pt={12}>
        <Panel {...props} />
      </Stack>
    </section>
  )
}

function TabLink({
  tab,
  isCurrent,
  count,
}: {
  tab: Tab
  isCurrent: boolean
  count: number | undefined
}): ReactElement {
  const [search] = useSearchParams()
  // The search of one part means nothing in another.
  return (
    <Link
      to={{ search: buildAddress.update(search, { tab, search: '' }).toString() }}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {tabWords[tab]}
      {count !== undefined && (
        <Text span fz="xs" c="dimmed" fw={400}>
          {countText(count)}
        </Text>
      )}
    </Link>
  )
}

function Panel(props: TabProps): ReactElement {
  switch (props.address.tab) {
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
