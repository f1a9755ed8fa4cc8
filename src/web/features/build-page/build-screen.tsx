import { type ReactElement, useState } from 'react'
import { useBuildEvents, useBuildEventsView } from '../../data/build/build-events-context.ts'
import { BuildAside } from './build-aside.tsx'
import { BuildHeadline } from './build-headline.tsx'
import css from './build-page.module.css'
import { BuildTabs } from './build-tabs.tsx'
import { Comparison } from './comparison.tsx'
import { FailedTests } from './failed-tests.tsx'
import { FailureList } from './failure-list.tsx'
import { PartNotice, PartProgress } from './part-notice.tsx'
import { Refusal } from './refusal.tsx'
import { useBuildAddress } from './use-build-address.ts'
import { useBuildLoading } from './use-build-loading.ts'
import { useKnowledge } from './use-knowledge.ts'

/** One build: its sentence, its facts, why it failed, and what it did. */
export function BuildScreen({ buildId }: { buildId: string }): ReactElement {
  const events = useBuildEvents(buildId)
  const view = useBuildEventsView(events)
  const [address, change] = useBuildAddress()
  const [initialTypes] = useState(address.eventTypes)
  const isComparing = address.compare !== undefined
  useBuildLoading(events, view, isComparing ? undefined : address.tab, initialTypes)
  const knowledge = useKnowledge(events, view)
  const { facts, header } = knowledge
  const headerPart = view.parts.header

  if (headerPart.state === 'refused' && facts === undefined) {
    return (
      <Refusal
        buildId={buildId}
        problem={headerPart.problem}
        onRetry={() => {
          events.load('header')
        }}
      />
    )
  }
  return (
    <div className={css.page} data-build-id={buildId}>
      <BuildHeadline
        buildId={buildId}
        knowledge={knowledge}
        isLoading={headerPart.state === 'loading' || headerPart.state === 'idle'}
        address={address}
        onChange={change}
      />
      <PartNotice part="header" events={events} state={headerPart} />
      <div className={css.columns}>
        <BuildAside buildId={buildId} knowledge={knowledge} />
        <div className={css.content}>
          {address.compare === undefined ? (
            <>
              <FailureList failures={header?.failures ?? []} facts={facts} />
              <FailedTests events={events} failed={knowledge.failedTests} />
              <BuildTabs {...{ events, view, knowledge, address, change }} />
            </>
          ) : (
            <Comparison
              events={events}
              facts={facts}
              other={address.compare}
              address={address}
              onChange={change}
            />
          )}
        </div>
      </div>
      {header === undefined && <PartProgress part="header" events={events} state={headerPart} />}
    </div>
  )
}
