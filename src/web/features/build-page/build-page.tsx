import { Skeleton, Stack, Text } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { Link, useParams } from 'react-router'
import { isBuildId } from '../../../protocol/build-message.ts'
import layout from '../../ui/page.module.css'
import { EmptyState } from '../../ui/page.tsx'
import { buildAddress } from './build-address.ts'
import { BuildAside } from './build-aside.tsx'
import { BuildHeadline } from './build-headline.tsx'
import css from './build-page.module.css'
import { BuildTabs, usualTab } from './build-tabs.tsx'
import { Comparison } from './comparison.tsx'
import { FailedTests, FailureList } from './failure-list.tsx'
import { FailureOriginView, useFailureOrigin } from './failure-origin-view.tsx'
import { PartNotice, PartProgress, Refusal } from './part-notice.tsx'
import { useBuildLoading, useKnowledge, useLate } from './use-knowledge.ts'
import { useBuildServices, useServices } from '../../data/core/services.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import { useStore } from '../../data/core/store.ts'
import { peopleOf } from '../../../facts/tile-claim.ts'
import { tileKey } from '../../../protocol/claim.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { parse } from '../../../search/parse.ts'
import { canonicalQuery } from '../../../search/to-api.ts'
import { useClaims } from '../../data/wall/claims.ts'
import { BuildTime } from '../../ui/time.tsx'
import { TilePeopleControls } from '../../domain/wall/tile-people.tsx'

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
  const events = useBuildServices().buildEvents(buildId)
  const view = useStore(events)
  const [address, change] = useSearchState(buildAddress)
  const [initialTypes] = useState(address.eventTypes)
  const isComparing = address.compare !== undefined
  const knowledge = useKnowledge(events, view)
  const { facts } = knowledge
  const origin = useFailureOrigin(knowledge)
  const isPatient = !useLate(knowledge.isRead, patienceMs)
  const headerPart = view.parts.header
  // What comes later would push away what is being read; but nobody waits long for a large build.
  const isLoading = !knowledge.isRead || (isPatient && !knowledge.isComplete)
  const tab = address.tab ?? (isLoading ? undefined : usualTab({ knowledge, view }))
  useBuildLoading(events, view, isComparing ? undefined : tab, initialTypes)

  if (headerPart.state === 'refused' && facts === undefined) {
    return <Refusal buildId={buildId} problem={headerPart.problem} events={events} />
  }
  return (
    <div className={css.page} data-build-id={buildId} data-loading={isLoading || undefined}>
      <div className={layout.page}>
        <BuildHeadline
          buildId={buildId}
          knowledge={knowledge}
          isLoading={isLoading}
          isWhole={knowledge.isSettled && headerPart.state === 'complete'}
          origin={origin}
          address={address}
          onChange={change}
        >
          <PartNotice part="header" events={events} state={headerPart} />
        </BuildHeadline>
        <div className={layout.columns} data-page="detail">
          <aside className={layout.column} aria-label="Build details">
            <BuildAside buildId={buildId} knowledge={knowledge} isLoading={isLoading} />
          </aside>
          <div className={layout.column}>
            <Stack gap={12} miw={0} className={css.content}>
              {address.tile !== undefined && facts?.outcome === 'failed' && (
                <TileClaim
                  query={address.tile}
                  branch={address.branch}
                  since={facts.receivedAt}
                  laterSuccess={knowledge.laterSuccess}
                />
              )}
              {isLoading ? (
                <>
                  <Stack gap={16} aria-hidden="true">
                    {Array.from({ length: 10 }, (_, index) => (
                      <Skeleton key={index} height={14} />
                    ))}
                  </Stack>
                  <PartProgress part="header" events={events} state={headerPart} />
                </>
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
                  <FailedTests knowledge={knowledge} />
                  <FailureList knowledge={knowledge} part={headerPart} />
                  <FailureOriginView knowledge={knowledge} origin={origin} />
                  <BuildTabs {...{ events, view, knowledge, address, change }} />
                </>
              )}
            </Stack>
          </div>
        </div>
      </div>
    </div>
  )
}

/** What is shown at once when it is there is waited for so long, ms. */
const patienceMs = 1500

/**
 * Who is on the tile of a wall that this build broke, and until when it sleeps, for whoever read its QR code. `since` is when the
 * failures began, epoch ms: what was said before was of others.
 */
function TileClaim({
  query,
  branch,
  since,
  laterSuccess,
}: {
  query: string
  branch: string | undefined
  since: number
  /** The build that has succeeded since. */
  laterSuccess: Facts | undefined
}): ReactElement {
  const { proxyNow } = useServices().session
  const key = tileKey(canonicalQuery(parse(query)), branch)
  const { claims, isKnown, hasFailed } = useClaims()
  const said = claims.filter(({ tile }) => tile === key)
  const people = peopleOf(said, { status: 'failing', since, isOpen: false }, proxyNow())
  const isNobodys = people.claim === undefined && people.sleep === undefined
  return (
    <section aria-label="Tile of the wall">
      {laterSuccess !== undefined ? (
        <Text>
          Fixed <BuildTime at={laterSuccess.receivedAt} />:{' '}
          <Link to={`/builds/${laterSuccess.buildId}`}>{laterSuccess.buildId}</Link> succeeded.
        </Text>
      ) : (
        isNobodys && (
          <Text>
            {isKnown
              ? 'Nobody is on this failure yet.'
              : hasFailed
                ? "It isn't known who is on this failure: the claims of tiles can't be loaded."
                : 'Loading who is on this failure…'}
          </Text>
        )
      )}
      <TilePeopleControls
        title={query}
        tile={{ query, branch, failingSince: since }}
        people={people}
      />
    </section>
  )
}
