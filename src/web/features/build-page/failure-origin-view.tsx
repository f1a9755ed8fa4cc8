import { Skeleton, Stack, Text, Title } from '@mantine/core'
import { type ReactElement, type ReactNode, useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import { skipToken, useQuery } from '@tanstack/react-query'
import {
  comparedBuilds,
  failuresAround,
  failuresElsewhere,
  originDays,
} from '../../../facts/builds-around.ts'
import { commitsBetween } from '../../../facts/build-source.ts'
import type { FailureStreak } from '../../../facts/failure-streak.ts'
import {
  elsewhereTexts,
  failureOrigin,
  type FailureOrigin,
  originSentence,
  projectUnknown,
} from '../../../facts/insight/failure-origin.ts'
import { originOf } from '../../../facts/tile-branch.ts'
import { failedTestText } from '../../../facts/insight/failure-text.ts'
import { toolName } from '../../../protocol/build-tool.ts'
import { countOf } from '../../../protocol/count.ts'
import { branchOf, type Facts } from '../../../protocol/facts.ts'
import { quoteValue } from '../../../search/values/text.ts'
import { StrangerLink } from '../../ui/external-link.tsx'
import { Fact, Facts as FactList } from '../../ui/page.tsx'
import { BuildTime } from '../../ui/time.tsx'
import { buildAddress, lastSuccess as lastSuccessParam } from './build-address.ts'
import layout from '../../ui/page.module.css'
import css from './build-page.module.css'
import type { Knowledge } from './use-knowledge.ts'
import { failureKey } from '../../../facts/insight/failure-key.ts'
import type { BuildFailure } from '../../../protocol/facts.ts'
import { buildsAroundQuery } from '../../data/builds/build-queries.ts'
import { useBuildServices, useServices } from '../../data/core/services.ts'

/**
 * Whether a failure is that of the person who looks at it: an answer in one sentence, and what it rests
 * on. It has its place before it is known, so that nothing moves.
 */
export function FailureOriginView({
  knowledge,
  origin,
}: {
  knowledge: Knowledge
  origin: OriginKnowledge
}): ReactElement | null {
  const { facts, neighbours, lastSuccess, laterSuccess, isComplete } = knowledge
  const streak = neighbours?.streak
  if (facts?.outcome !== 'failed') return null
  if (streak === undefined) {
    if (!isComplete) return <Skeleton className={css.origin} h={heightPx} aria-hidden="true" />
    return facts.project ? null : <OriginSection text={projectUnknown} />
  }
  const { found, problem, failure } = origin
  const isPending = found === undefined && problem === undefined
  const comparedBy =
    failure &&
    [
      failure.test === undefined ? failure.task : failedTestText(failure),
      failure.exception?.split('.').at(-1),
      failure.message,
    ]
      .filter(Boolean)
      .join(' · ')
  return (
    <OriginSection
      text={
        found !== undefined
          ? originSentence({ streak }, found)
          : problem !== undefined
            ? `Can't compare it with other builds: ${problem}`
            : 'Comparing it with other builds…'
      }
    >
      <FactList>
        <Fact name="On this branch">
          <BranchText facts={facts} streak={streak} />
        </Fact>
        <Fact name="Same failure">
          {isPending ? (
            <Skeleton h={{ base: '3lh', xs: 14 }} width="60%" my={3} />
          ) : (
            <Elsewhere facts={facts} origin={origin} />
          )}
        </Fact>
        <Fact name="Compared by">
          {isPending ? (
            <Skeleton height={14} width="80%" my={3} />
          ) : comparedBy === undefined ? undefined : (
            <Text span lineClamp={2} fz="sm" title={comparedBy}>
              {comparedBy}
            </Text>
          )}
        </Fact>
        <Fact name="Last success">
          {lastSuccess === undefined && !isComplete ? (
            <Skeleton height={14} width="40%" my={3} />
          ) : (
            <LastSuccess lastSuccess={lastSuccess} branch={streak.branch} />
          )}
        </Fact>
        <Fact name="Next success">
          {laterSuccess === undefined ? (
            'None yet'
          ) : (
            <>
              <BuildTime at={laterSuccess.receivedAt} />:{' '}
              <BuildLink facts={laterSuccess} of={facts} />
            </>
          )}
        </Fact>
        <Fact name="Changed since">
          {lastSuccess && <ChangedSince facts={facts} streak={streak} lastSuccess={lastSuccess} />}
        </Fact>
      </FactList>
    </OriginSection>
  )
}

/** The answer, and what it rests on. */
function OriginSection({ text, children }: { text: string; children?: ReactNode }): ReactElement {
  return (
    <Stack
      component="section"
      className={`${layout.box} ${css.origin}`}
      gap={4}
      p={12}
      style={{ overflowWrap: 'anywhere' }}
      aria-label="Is this failure mine?"
    >
      <Title order={2} size="h3" c="dimmed">
        Is this failure mine?
      </Title>
      <Text component="p" inherit mih={{ base: '2lh', xs: '1lh' }} mb={4} fw={600} role="status">
        {text}
      </Text>
      {children}
    </Stack>
  )
}

/** About what it takes up once it is known what the build is to be compared with. */
const heightPx = 203

/** Whether the branch was failing before, and since when. */
function BranchText({ facts, streak }: { facts: Facts; streak: FailureStreak }): ReactElement {
  const { before, isOpen } = streak
  const first = before.at(-1)
  if (first === undefined) {
    return (
      <>{isOpen ? 'No earlier build of this work is known' : 'The first failure after a success'}</>
    )
  }
  return (
    <>
      {`${isOpen ? 'At least ' : ''}${countOf(before.length, 'failure')} before this one, the first `}
      <BuildTime at={first.receivedAt} />: <BuildLink facts={first} of={facts} />
    </>
  )
}

/** A longer name stands whole among the facts only. */
const longestName = 100

/** Which builds of other branches failed of the same, and where all of them are grouped. */
function Elsewhere({
  facts,
  origin: { found, failure },
}: {
  facts: Facts
  origin: OriginKnowledge
}): ReactElement {
  const { project } = facts
  const isNamed = project && project.length <= longestName
  const groups = (
    <Link
      to={groupsAddress(facts)}
    >{`Failures of ${isNamed ? project : 'this project'}, grouped`}</Link>
  )
  if (failure === undefined || found === undefined) return <>Not known. {groups}</>
  const [newest] = found.elsewhere
  const [text, unread] = elsewhereTexts(found)
  // A paragraph: by touch, links outside of one are as high as a finger, and those of two lines would cover each other.
  return (
    <Text component="p" inherit maw="none">
      {text}
      {newest !== undefined && (
        <>
          , the last <BuildTime at={newest.receivedAt} /> on{' '}
          {branchOf(newest) ?? 'a build without a branch'}: <BuildLink facts={newest} of={facts} />
        </>
      )}
      {`. ${unread}`}
      {groups}
    </Text>
  )
}

function LastSuccess({
  lastSuccess,
  branch,
}: {
  lastSuccess: Knowledge['lastSuccess']
  branch: string | undefined
}): ReactNode {
  const [search] = useSearchParams()
  if (lastSuccess === undefined) return 'Not known'
  if (lastSuccess === null) {
    return branch === undefined ? 'None of this work known' : `None of this work known on ${branch}`
  }
  return (
    <>
      <BuildTime at={lastSuccess.receivedAt} />:{' '}
      <Link to={`/builds/${lastSuccess.buildId}`}>
        <code>{lastSuccess.buildId}</code>
      </Link>
      {' · '}
      <Link to={{ search: buildAddress.update(search, { compare: lastSuccessParam }).toString() }}>
        Compare
      </Link>
    </>
  )
}

/** The commits since the last success, and who committed them; where builds name none, whose account built them. */
function ChangedSince({
  facts,
  streak,
  lastSuccess,
}: {
  facts: Facts
  streak: FailureStreak
  lastSuccess: Facts
}): ReactElement {
  const range = commitsBetween(lastSuccess, facts)
  const origins = [facts, ...streak.before].map(originOf)
  const committers = [...new Set(origins.flatMap(({ committer }) => committer ?? []))]
  const people =
    committers.length > 0 ? committers : [...new Set(origins.flatMap(({ author }) => author ?? []))]
  const tools = [lastSuccess, facts].map(({ buildToolVersion }) => buildToolVersion)
  const parts: ReactNode[] = [
    range === undefined ? (
      'The same commit, or none is named'
    ) : (
      <>
        Commits <code>{range.from}</code> to <code>{range.to}</code>
        {range.url !== undefined && (
          <>
            {' '}
            <StrangerLink address={range.url}>Compare commits</StrangerLink>
          </>
        )}
      </>
    ),
    ...(people.length === 0
      ? []
      : [`${committers.length > 0 ? 'committed' : 'built'} by ${people.slice(0, 4).join(', ')}`]),
    ...(tools[0] === tools[1] ? [] : [`${toolName(facts.buildTool)} ${tools.join(' to ')}`]),
  ]
  return (
    <Stack gap={0}>
      {parts.map((part, index) => (
        <span key={index}>{part}</span>
      ))}
    </Stack>
  )
}

/** A build by its id and who committed, else ran it, for a reader of another one. */
function BuildLink({ facts, of }: { facts: Facts; of: Facts }): ReactElement {
  const { buildId } = facts
  const { author } = originOf(facts)
  return (
    <>
      <Link to={`/builds/${buildId}`}>
        <code>{buildId}</code>
      </Link>
      {author !== undefined && author !== originOf(of).author ? ` by ${author}` : ''}
    </>
  )
}

/** Where the failures of a build's project are grouped. */
export function groupsAddress({ project }: Pick<Facts, 'project'>): string {
  const quoted = project ? `project:${quoteValue(project)} ` : ''
  const search = new URLSearchParams({
    q: `${quoted}buildOutcome:failed buildStartTime:>-${originDays}d`,
    view: 'groups',
    by: 'failure',
  })
  return `/builds?${search.toString()}`
}

/** What is known of where a failure comes from. */
export interface OriginKnowledge {
  readonly found: FailureOrigin | undefined
  /** The failure that it is about. */
  readonly failure: BuildFailure | undefined
  /** Why nothing could be compared. */
  readonly problem: string | undefined
}

const nothing: OriginKnowledge = {
  found: undefined,
  failure: undefined,
  problem: undefined,
}

/**
 * Compares why a build failed with why the builds before it on its branch did, and those of other
 * branches of its project in the last days: the proxy reads their events, once for everybody.
 */
export function useFailureOrigin(knowledge: Knowledge): OriginKnowledge {
  const { request, clock } = useServices()
  const { readFailures, readFacts } = useBuildServices()
  const { facts, neighbours, isComplete } = knowledge
  const streak = neighbours?.streak
  const build = isComplete && facts?.outcome === 'failed' && facts.project ? facts : undefined
  const around = useQuery(buildsAroundQuery({ request, readFacts, clock }, build, failuresAround))
  const elsewhere = useMemo(
    () => build && failuresElsewhere(build, around.data),
    [build, around.data],
  )
  const ids =
    build !== undefined && elsewhere !== undefined && streak !== undefined && !around.isPending
      ? comparedBuilds(build, streak, elsewhere.others)
      : undefined
  const { data, error } = useQuery({
    queryKey: ['failures-around', ids],
    queryFn:
      ids === undefined
        ? skipToken
        : async ({ signal }): Promise<ReadonlyMap<string, readonly BuildFailure[]>> => {
            const known = new Map<string, readonly BuildFailure[]>()
            await readFailures(ids, {
              signal,
              onWait: () => undefined,
              onFindings: (findings) => {
                for (const { buildId, failures } of findings) {
                  if (failures !== undefined) known.set(buildId, failures)
                }
              },
            })
            return known
          },
    staleTime: Infinity,
    retry: false,
  })
  return useMemo(() => {
    if (build === undefined || elsewhere === undefined || streak === undefined) return nothing
    if (error !== null) return { ...nothing, problem: error.message }
    if (data === undefined) return nothing
    const keys = new Map(Array.from(data, ([id, failures]) => [id, failures.map(failureKey)]))
    const found = failureOrigin({ build, streak, ...elsewhere, keys })
    const failure = data.get(build.buildId)?.find((one) => failureKey(one) === found.key)
    return { found, failure, problem: undefined }
  }, [build, streak, elsewhere, data, error])
}
