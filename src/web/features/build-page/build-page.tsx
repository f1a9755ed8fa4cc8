import { type ReactElement, useState } from 'react'
import { Link, useParams } from 'react-router'
import { isBuildId } from '../../../protocol/build-message.ts'
import { DetailPage, EmptyState } from '../../ui/page.tsx'
import { buildAddress } from './build-address.ts'
import { BuildAside } from './build-aside.tsx'
import { BuildHeadline } from './build-headline.tsx'
import css from './build-page.module.css'
import { BuildTabs } from './build-tabs.tsx'
import { Comparison } from './comparison.tsx'
import { FailedTests, FailureList } from './failure-list.tsx'
import { PartNotice, PartProgress, Refusal } from './part-notice.tsx'
import { useBuildLoading, useKnowledge } from './use-knowledge.ts'
import { usePageServices } from '../../data/core/services.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import { useStore } from '../../data/core/store.ts'

/** What happened in one build; an id that cannot be one is refused before anything is requested. */
export function BuildPage(): ReactElement {
  const { buildId = '' } = useParams()
  if (isBuildId(buildId)) return <BuildScreen key={buildId} buildId={buildId} />
  return (
    <EmptyState title="Not a build id." heading="h1">
      <p>
        The URL has “{buildId}”, but a build id has 13 letters and digits, such as k3j7x2m4q7a4c.
        The URL may be incomplete.
      </p>
      <p>
        <Link to="/">Live feed</Link>
      </p>
    </EmptyState>
  )
}

/** One build: its sentence, its facts, why it failed, and what it did. */
function BuildScreen({ buildId }: { buildId: string }): ReactElement {
  const events = usePageServices().buildEvents(buildId)
  const view = useStore(events)
  const [address, change] = useSearchState(buildAddress)
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
  // Until all of the header is there: what comes later would push away what is being read.
  const isLoading =
    headerPart.state === 'idle' ||
    headerPart.state === 'loading' ||
    (headerPart.state === 'complete' && header === undefined)
  return (
    <div className={css.page} data-build-id={buildId}>
      <DetailPage
        header={
          <BuildHeadline
            buildId={buildId}
            knowledge={knowledge}
            isLoading={isLoading}
            address={address}
            onChange={change}
          >
            <PartNotice part="header" events={events} state={headerPart} />
          </BuildHeadline>
        }
        factsLabel="Build details"
        facts={<BuildAside buildId={buildId} knowledge={knowledge} isLoading={isLoading} />}
      >
        <div className={css.content}>
          {isLoading ? (
            <PartProgress part="header" events={events} state={headerPart} />
          ) : address.compare !== undefined ? (
            <Comparison
              events={events}
              knowledge={knowledge}
              other={address.compare}
              address={address}
              onChange={change}
            />
          ) : (
            <>
              <FailureList failures={header?.failures ?? []} facts={facts} />
              <FailedTests events={events} failed={knowledge.failedTests} />
              <BuildTabs {...{ events, view, knowledge, address, change }} />
            </>
          )}
        </div>
      </DetailPage>
    </div>
  )
}
