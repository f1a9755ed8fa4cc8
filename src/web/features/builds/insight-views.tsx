import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useCallback, useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { countOf } from '../../../protocol/count.ts'
import {
  type BuildGroup,
  type BuildGrouping,
  buildGroupings,
  type BuildGroups,
} from '../../../protocol/insight.ts'
import { applyEdits } from '../../../search/diagnostic.ts'
import { addTerm } from '../../../search/edit.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import { useBuildServices } from '../../data/core/services.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { InlineSelect } from '../../ui/inline-select.tsx'
import { EmptyState } from '../../ui/page.tsx'
import layout from '../../ui/page.module.css'
import { FailureBuilds } from './failure-builds.tsx'
import { GroupTable } from './group-table.tsx'
import { groupingNames, groupTerm } from './group-term.ts'
import { isComplete, uncountedText } from './search-sentence.ts'
import {
  type BuildView,
  type GroupOrder,
  insightAddress,
  searchAddress,
  usualGrouping,
} from './search-address.ts'
import { FailuresProgress, InsightNotices, InsightProgress } from './insight-progress.tsx'
import { countedText, failedBuilds, groupsSentence } from './insight-sentence.ts'
import css from './insight.module.css'
import { NothingFound, WaitingLines } from './search-notices.tsx'
import { TrendsView } from './trends-view.tsx'
import {
  type Insight,
  isReading,
  useCalmStamp,
  useInsight,
  useInsightAnswer,
  useCountingSilence,
} from './use-insight.ts'
import type { SearchPage } from './use-search-page.ts'

/** So many failures are read at first, and so many more with each step. */
const failureBudget = 1_000

/** The views that fold builds; loaded with the first of them. Another query begins them anew. */
export function InsightViews({
  page,
  shown,
}: {
  page: SearchPage
  shown: Exclude<BuildView, 'list'>
}): ReactElement {
  return shown === 'groups' ? (
    <GroupsView key={page.apiText} page={page} />
  ) : (
    <TrendsView key={page.apiText} page={page} />
  )
}

/** The builds of the query by what they have in common. */
function GroupsView({ page }: { page: SearchPage }): ReactElement {
  const [address, change] = useSearchState(insightAddress)
  const by = address.by ?? usualGrouping
  const choice = (
    <InlineSelect
      label="Group by"
      value={by}
      onChange={(next) => {
        const known = buildGroupings.find((grouping) => grouping === next)
        change({ by: known, failure: undefined, build: undefined })
      }}
    >
      {buildGroupings.map((grouping) => (
        <option key={grouping} value={grouping}>
          {groupingNames[grouping]}
        </option>
      ))}
    </InlineSelect>
  )
  return <GroupsBy key={by} page={page} by={by} choice={choice} />
}

function GroupsBy({
  page,
  by,
  choice,
}: {
  page: SearchPage
  by: BuildGrouping
  choice: ReactElement
}): ReactElement {
  const [address, change] = useSearchState(insightAddress)
  const { zone } = usePreferences()
  const { serverInsight } = useBuildServices()
  const isOpen = by === 'failure' && address.failure !== undefined
  const server = useQuery({
    ...serverInsight.groups({ query: page.apiText, by }),
    enabled: !page.isFaulty,
  })
  const isFolded = !page.isFaulty && !server.isPending && (server.data === null || isOpen)
  const insight = useInsight(isFolded ? readText(page, by) : undefined, page.timeZone)
  const folded = useInsightAnswer(insight, { kind: 'groups', by }, useCalmStamp(insight)).data
  const failures = useFailures(insight, isFolded && by === 'failure')
  const groups = server.data ?? folded
  const hasOutcomes = useHasOutcomes(insight) || Boolean(server.data)
  const linkTo = useGroupLinks(page, by)
  const onOrder = useCallback(
    (order: GroupOrder) => {
      change({ order }, true)
    },
    [change],
  )
  const silence = useCountingSilence(insight.list, server.isLoading)
  const opened = groups?.groups.find(({ key }) => (key ?? '') === address.failure?.trim())

  return (
    <>
      <Group flex="none" gap="4px 16px" justify="space-between" align="flex-start">
        <h1 className={css.headline}>
          {page.isFaulty
            ? "The query has an error and wasn't sent."
            : ((groups === undefined ? undefined : groupsSentence(groups, by, zone, hasOutcomes)) ??
              waitingSentence(page, insight, groups, by, silence))}
        </h1>
        {choice}
      </Group>
      {server.data === null && <InsightNotices insight={insight} query={page.query} />}
      {address.failure !== undefined && isOpen && !page.isFaulty ? (
        <FailureBuilds
          insight={insight}
          narrowTo={page.narrowTo}
          failureKey={address.failure.trim() === '' ? null : address.failure}
          group={opened}
          onClose={() => {
            change({ failure: undefined, build: undefined })
          }}
        />
      ) : (
        <div className={layout.list}>
          <GroupsBody
            {...{ page, by, groups, hasOutcomes, insight, linkTo, onOrder }}
            isServer={server.data !== null && server.data !== undefined}
            order={address.order}
          />
        </div>
      )}
      <Group flex="none" gap="0 16px" mih={28} pb={4} fz="xs" c="dimmed">
        {isFolded ? (
          <InsightProgress insight={insight} />
        ) : (
          server.data && <span>{countedText(server.data)}</span>
        )}
        {isFolded && by === 'failure' && <FailuresProgress insight={insight} budget={failures} />}
      </Group>
    </>
  )
}

/** Whether the list says of any build how it ended: a server that knows only `since` says it of none. */
function useHasOutcomes({ list: { found } }: Insight): boolean {
  return useMemo(() => found.some(({ facts: { outcome } }) => typeof outcome === 'string'), [found])
}

/** Where only failed builds matter, no others are read. */
function readText({ query }: SearchPage, by: BuildGrouping): string {
  return by === 'failure'
    ? applyEdits(query.text, addTerm(query, 'buildOutcome:failed'))
    : query.text
}

/** Has the failures of failed builds read as they are found. */
function useFailures({ insight, list }: Insight, isWanted: boolean) {
  const [most, setMost] = useState(failureBudget)
  // Who stops the reading of builds wants nothing else read in its place.
  const isStopped = list.state.is === 'cancelled'
  useEffect(() => {
    if (!isWanted) return
    if (isStopped) insight.cancelFailures()
    else insight.readFailures(most)
  }, [insight, isWanted, isStopped, most])
  return {
    most,
    step: failureBudget,
    onMore: () => {
      setMost(most + failureBudget)
    },
  }
}

/** Where the groups lead: to their builds. */
function useGroupLinks(
  { query }: SearchPage,
  by: BuildGrouping,
): (group: Pick<BuildGroup, 'key'>) => string | undefined {
  const [params] = useSearchParams()
  return useCallback(
    ({ key }) => {
      if (by === 'failure') {
        return `?${insightAddress.update(params, { failure: key ?? '', build: undefined }).toString()}`
      }
      const term = groupTerm(by, key)
      if (term === undefined) return undefined
      const narrowed = searchAddress.update(params, {
        query: applyEdits(query.text, addTerm(query, term)),
      })
      const asList = insightAddress.read(new URLSearchParams())
      return `?${insightAddress.write(asList, narrowed).toString()}`
    },
    [params, by, query],
  )
}

function waitingSentence(
  { query }: SearchPage,
  { list }: Insight,
  groups: BuildGroups | undefined,
  by: BuildGrouping,
  silence: string,
): string {
  if (groups !== undefined && groups.groups.length > 0) {
    const failed = by === 'failure' ? failedBuilds(groups) : undefined
    return failed === undefined
      ? `${countOf(groups.builds, 'build')}.`
      : `${countOf(failed, 'failed build')}.`
  }
  if (silence !== '') return silence
  return isNoneFailed(list, by) ? noneFailed : uncountedText(list, query.root !== undefined)
}

const noneFailed = 'No build failed.'

/** Of failures only failed builds are read: others may match the query. */
function isNoneFailed(list: Insight['list'], by: BuildGrouping): boolean {
  return by === 'failure' && isComplete(list) && list.found.length === 0
}

/** In place of groups; `otherwise` is the next step where no query can be widened. */
function NoGroups({
  title,
  isNarrowed,
  otherwise,
}: {
  title: string
  isNarrowed: boolean
  otherwise: string
}): ReactElement {
  return (
    <EmptyState title={title}>
      <p>{isNarrowed ? 'Widen the query to see groups here.' : otherwise}</p>
    </EmptyState>
  )
}

function NotGiven({ what }: { what: string }): ReactElement {
  return (
    <EmptyState title={`The build server doesn't give the ${what} of these builds.`}>
      <p>Group by tool instead.</p>
    </EmptyState>
  )
}

function GroupsBody({
  page,
  by,
  groups,
  hasOutcomes,
  insight,
  isServer,
  linkTo,
  order,
  onOrder,
}: {
  page: SearchPage
  by: BuildGrouping
  groups: BuildGroups | undefined
  hasOutcomes: boolean
  insight: Insight
  isServer: boolean
  linkTo: (group: BuildGroup) => string | undefined
  order: GroupOrder
  onOrder: (order: GroupOrder) => void
}): ReactElement {
  const { list, search } = insight
  const isNarrowed = page.query.root !== undefined
  const noGroups = (
    <NoGroups
      title={noneFailed}
      isNarrowed={isNarrowed}
      otherwise="Groups appear once builds fail."
    />
  )
  if (groups !== undefined && (isServer || list.found.length > 0)) {
    const [only] = groups.groups
    if (only === undefined) {
      if (by !== 'failure') {
        return (
          <NoGroups
            title={isNarrowed ? 'No builds match.' : 'No builds yet.'}
            isNarrowed={isNarrowed}
            otherwise="Groups appear once the build server has received builds."
          />
        )
      }
      return hasOutcomes ? noGroups : <NotGiven what="outcome" />
    }
    if (only.key === null && groups.allGroups === 1 && by !== 'failure') {
      return <NotGiven what={groupingNames[by].toLowerCase()} />
    }
    return <GroupTable {...{ groups, by, order, onOrder, linkTo }} />
  }
  if (isNoneFailed(list, by)) return noGroups
  if (page.isFaulty || (!isReading(list) && list.found.length === 0)) {
    return (
      <NothingFound
        view={list}
        search={search}
        isFaulty={page.isFaulty}
        isNarrowed={isNarrowed}
        onShowAll={() => {
          page.run('')
        }}
      />
    )
  }
  return <WaitingLines label="Counting builds" count={8} />
}
