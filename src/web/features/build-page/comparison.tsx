import { useQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useEffect } from 'react'
import { Link, useSearchParams } from 'react-router'
import { earlierSuccesses } from '../../../facts/builds-around.ts'
import { commitsBetween } from '../../../facts/build-source.ts'
import { branchOf, type Facts } from '../../../protocol/facts.ts'
import { isBuildId } from '../../../protocol/build-message.ts'
import type { BuildEvents, BuildEventsView } from '../../data/build/build-events.ts'
import { buildsAroundQuery } from '../../data/builds/build-queries.ts'
import { useBuildServices, useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { StrangerLink } from '../../ui/external-link.tsx'
import { durationText } from '../../ui/format.ts'
import { EmptyState, Section } from '../../ui/page.tsx'
import { BuildTime } from '../../ui/time.tsx'
import {
  type BuildAddress,
  buildAddress,
  type ChangeAddress,
  lastSuccess,
} from './build-address.ts'
import css from './build-page.module.css'
import { ComparedEnvironment } from './compared-environment.tsx'
import { ComparedExecutions } from './compared-executions.tsx'
import { ComparedFailures } from './compared-failures.tsx'
import { LoadingLines, PartNotice, PartProgress, Refusal } from './part-notice.tsx'
import {
  type Knowledge,
  successesOfBranch,
  useBuildLoading,
  useKnowledge,
} from './use-knowledge.ts'

interface ComparisonProps {
  readonly events: BuildEvents
  readonly knowledge: Knowledge
  readonly other: string
  readonly address: BuildAddress
  readonly onChange: ChangeAddress
}

/** This build beside another one: failures first, then what changed, and what was executed otherwise. */
export function Comparison(props: ComparisonProps): ReactElement {
  const { events, other, knowledge } = props
  if (other === lastSuccess) {
    const found = knowledge.lastSuccess
    if (found === undefined && !knowledge.isComplete) return <Loading />
    if (!found) return <NoSuccess {...props} />
    return <Sides key={found.buildId} {...props} other={found.buildId} />
  }
  if (isBuildId(other) && other !== events.buildId) return <Sides key={other} {...props} />
  return (
    <EmptyState title="Nothing to compare with.">
      <p>
        {other === events.buildId
          ? 'The URL has the same build twice.'
          : `The URL has “${other}”, but a build id has 13 letters and digits.`}
      </p>
    </EmptyState>
  )
}

function Loading(): ReactElement {
  return <LoadingLines label="Loading both builds" count={12} data-waits />
}

const successesOfProject = (build: Facts) => earlierSuccesses(build, false)

/** Where the branch has no success: the last one of any branch, and the build before. */
function NoSuccess({ knowledge: { facts, neighbours } }: ComparisonProps): ReactElement {
  const [search] = useSearchParams()
  const comparedWith = (compare: string) => ({
    search: buildAddress.update(search, { compare }).toString(),
  })
  const { request, clock } = useServices()
  const { readFacts } = useBuildServices()
  const source = { request, readFacts, clock }
  const known = facts?.project ? facts : undefined
  const ofProject = useQuery(buildsAroundQuery(source, known, successesOfProject)).data
  const ofBranch = useQuery(buildsAroundQuery(source, known, successesOfBranch)).data
  const branch = neighbours?.streak?.branch
  const previous = neighbours?.streak?.previous
  const isGreen = ({ outcome, project }: Facts) =>
    outcome === 'succeeded' && project === facts?.project
  const elsewhere = ofProject?.find(
    (other) => isGreen(other) && other.requested?.join(' ') === facts?.requested?.join(' '),
  )
  const otherWork = ofBranch?.find((other) => isGreen(other) && branchOf(other) === branch)
  return (
    <EmptyState
      title={
        branch === undefined
          ? 'No earlier success of this work is known.'
          : `No earlier success of this work on ${branch} is known.`
      }
    >
      <p>Compare with another build instead:</p>
      <ul>
        {elsewhere !== undefined && (
          <li>
            <Link to={comparedWith(elsewhere.buildId)}>
              Last success of this work on any branch
            </Link>
            , <BuildTime at={elsewhere.receivedAt} />
          </li>
        )}
        {otherWork !== undefined && (
          <li>
            <Link to={comparedWith(otherWork.buildId)}>
              {`Last success of other work${branch === undefined ? '' : ` on ${branch}`}`}
            </Link>
            , <code>{otherWork.requested?.join(' ')}</code>, <BuildTime at={otherWork.receivedAt} />
          </li>
        )}
        {previous !== undefined && (
          <li>
            <Link to={comparedWith(previous)}>Previous build of this work</Link>
          </li>
        )}
        <li>Any build by its id, under “Compare with…”</li>
      </ul>
    </EmptyState>
  )
}

/** The other build is what this one is measured against: it stands before it. */
function Sides({ events, knowledge, other, address, onChange }: ComparisonProps): ReactElement {
  const before = useBuildServices().buildEvents(other)
  const beforeView = useStore(before)
  const view = useStore(events)
  useBuildLoading(before, beforeView, undefined, [])
  useDependencies(before, beforeView)
  useDependencies(events, view)
  const earlier = useKnowledge(before, beforeView)
  const { facts } = knowledge
  const sides = { before, beforeView, after: events, afterView: view }

  if (beforeView.parts.header.state === 'refused' && earlier.facts === undefined) {
    return <Refusal buildId={other} problem={beforeView.parts.header.problem} events={before} />
  }
  // What comes later would push away what is being read.
  if (!earlier.isSettled || !knowledge.isSettled) {
    return (
      <>
        <Loading />
        <PartProgress part="header" events={before} state={beforeView.parts.header} />
      </>
    )
  }
  return (
    <>
      <p className={css.compared}>
        {comparedSentence(earlier.facts, facts)} Before:{' '}
        <Link to={`/builds/${other}`}>
          <code>{other}</code>
        </Link>
        {earlier.facts !== undefined && (
          <>
            , <BuildTime at={earlier.facts.receivedAt} />
          </>
        )}
        . After: this build.
      </p>
      <PartNotice part="header" events={before} state={beforeView.parts.header} />
      <ComparedFailures before={earlier} after={knowledge} sides={sides} />
      <Commits before={earlier.facts} after={facts} />
      <ComparedEnvironment before={earlier} after={knowledge} sides={sides} />
      <ComparedExecutions sides={sides} address={address} onChange={onChange} />
    </>
  )
}

/** What the builds resolved, once the first of their events came. */
function useDependencies(
  events: BuildEvents,
  { parts: { header, dependencies } }: BuildEventsView,
) {
  const isWanted = header.state === 'complete' && dependencies.state === 'idle'
  useEffect(() => {
    if (isWanted) events.load('dependencies')
  }, [events, isWanted])
}

function Commits({
  before,
  after,
}: {
  before: Facts | undefined
  after: Facts | undefined
}): ReactNode {
  const range = before && after && commitsBetween(before, after)
  if (range === undefined) return null
  return (
    <Section title="Commits">
      <p className={css.compared}>
        From <code>{range.from}</code> to <code>{range.to}</code>
        {range.url !== undefined && (
          <>
            {' '}
            <StrangerLink address={range.url}>Compare commits</StrangerLink>
          </>
        )}
      </p>
    </Section>
  )
}

/** How two builds ended, in one sentence; empty while that is not known of both. */
function comparedSentence(before: Facts | undefined, after: Facts | undefined): string {
  const [one, other] = [ending(before), ending(after)]
  if (one === undefined || other === undefined) return ''
  return `This build ${other}, the other one ${one}.`
}

function ending(facts: Facts | undefined): string | undefined {
  if (!facts?.outcome) return undefined
  const { outcome, durationMs } = facts
  return typeof durationMs === 'number' ? `${outcome} after ${durationText(durationMs)}` : outcome
}
