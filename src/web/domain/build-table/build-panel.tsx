import { Button, CloseButton, Group, Stack, Text, Title } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { safeLink } from '../../../attestation/decode/visible-text.ts'
import { toolName } from '../../../protocol/build-tool.ts'
import type { BuildFailure, Facts } from '../../../protocol/facts.ts'
import { problemError } from '../../../protocol/problem.ts'
import { isTooLong } from '../../data/builds/build-list-reader.ts'
import { Queries } from '../../data/core/queries.tsx'
import { configQuery } from '../../data/core/server-config.ts'
import { type Services, useServices } from '../../data/core/services.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { durationText } from '../../ui/format.ts'
import { Fact, Facts as FactList } from '../../ui/page.tsx'
import { BuildTime } from '../../ui/time.tsx'
import { OutcomeMark, type TableBuild } from './build-columns.tsx'
import css from './build-panel.module.css'

/** The fields of a build by whose values a list can be narrowed. */
export type NarrowField = 'project' | 'user' | 'hostname' | 'buildTool' | 'tag' | 'value'

/** What the panel shows: a build, or only its id where it is not known (yet). */
interface BuildPanelProps {
  readonly buildId: string
  readonly build: TableBuild | undefined
  /** It may still turn up. */
  readonly isLoading?: boolean
  /** There is more of the list than is loaded. */
  readonly isPartial?: boolean
  /** The query of the address that narrows the list to a value; undefined where it cannot. */
  readonly narrowTo: (field: NarrowField, value: string) => string | undefined
  /** Ways on besides opening and publishing. */
  readonly actions?: ReactNode
  readonly onClose: () => void
}

/** All that is known of one build, beside a list; its values narrow the list. */
export function BuildPanel(props: BuildPanelProps): ReactElement {
  const { buildId, build, isLoading = false, isPartial = false, actions, onClose } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <aside
      className={css.panel}
      aria-label={`Build ${buildId}`}
      data-build-id={buildId}
      data-opened
    >
      <Group component="header" gap={4} py={8} pos="sticky" top={0} bg="var(--surface-panel)">
        <Title ref={heading} order={2} ff="monospace" style={{ outline: 'none' }} tabIndex={-1}>
          {buildId}
        </Title>
        <CopyButton text={buildId} what={`build id ${buildId}`} />
        <Group component="span" flex={1} gap={4} justify="flex-end" wrap="nowrap">
          <Button size="compact-xs" variant="default" component={Link} to={`/builds/${buildId}`}>
            Open
          </Button>
          {/* The live feed has none around it. */}
          <Queries>
            <PublishButton buildId={buildId} />
          </Queries>
          {actions}
          <CloseButton aria-label="Close details" onClick={onClose} />
        </Group>
      </Group>
      {build !== undefined ? (
        <Known {...props} build={build} />
      ) : (
        <Text component="p" my="1em" c="dimmed">
          {isLoading
            ? 'Looking up this build…'
            : isPartial
              ? "This build isn't among those loaded so far. Load more, or open its page."
              : "This build isn't in the list. It may be too old, or its id may be wrong."}
        </Text>
      )}
    </aside>
  )
}

/** Leads to publishing; nowhere without a policy service. */
function PublishButton({ buildId }: { buildId: string }): ReactElement | null {
  const { data } = useQuery(configQuery(useServices().request))
  if (data?.upstreams.governor.kind === 'none') return null
  return (
    <Button size="compact-xs" variant="default" component={Link} to={`/publish?builds=${buildId}`}>
      Publish
    </Button>
  )
}

function Known({
  build,
  narrowTo,
}: Pick<BuildPanelProps, 'narrowTo'> & { build: TableBuild }): ReactElement {
  const { facts } = build
  const requested = facts.requested?.join(' ')
  const narrow = (
    field: NarrowField,
    value: string | null | undefined,
    shown = value,
  ): ReactNode => {
    if (value === undefined || value === null || value === '') return undefined
    const search = linkTo(narrowTo, field, value)
    if (search === undefined) return shown
    return (
      <Link to={{ search }} title="Filter by this value">
        {shown}
      </Link>
    )
  }
  return (
    <>
      <Text component="p" inherit mb={12}>
        <OutcomeMark {...build} />
        {endingText(facts)}
      </Text>
      <Queries>
        <FailureCause facts={facts} />
      </Queries>
      {build.isPending === true && (
        <Text component="p" my="1em" c="dimmed">
          Loading more details…
        </Text>
      )}
      <FactList>
        <Fact name="Project">{narrow('project', facts.project)}</Fact>
        <Fact name="Requested">{requested && <code>{requested}</code>}</Fact>
        <Fact name="User">{narrow('user', facts.user)}</Fact>
        <Fact name="Host">{narrow('hostname', facts.hostname)}</Fact>
        <Fact name="Started">
          {typeof facts.startTime === 'number' && <BuildTime at={facts.startTime} />}
        </Fact>
        <Fact name="Received">
          <BuildTime at={facts.receivedAt} />
        </Fact>
        <Fact name="Tool">
          {narrow('buildTool', facts.buildTool, toolName(facts.buildTool))} {facts.buildToolVersion}
        </Fact>
        <Fact name="Agent">{facts.agentVersion}</Fact>
        <Fact name="Tags">
          {facts.tags?.length ? (
            <Group component="ul" gap="0 12px" m={0} p={0} style={{ listStyle: 'none' }}>
              {[...new Set(facts.tags)].map((tag) => (
                <li key={tag}>{narrow('tag', tag)}</li>
              ))}
            </Group>
          ) : undefined}
        </Fact>
      </FactList>
      <Section heading="Custom values">
        {(facts.values ?? []).map(({ name, value }, index) => (
          // Names may repeat.
          <Fact key={`${index} ${name}`} name={name}>
            <ValueText value={value} search={linkTo(narrowTo, 'value', `${name}=${value}`)} />
          </Fact>
        ))}
      </Section>
      <Section heading={`Fields of ${toolName(facts.buildTool)}`}>
        {Object.entries(facts.fields ?? {}).map(([name, value]) => (
          // The heading names the tool already.
          <Fact key={name} name={name.replace(`${facts.buildTool}.`, '')}>
            {Array.isArray(value) ? value.join(', ') : String(value ?? 'no value')}
          </Fact>
        ))}
      </Section>
    </>
  )
}

/** The first failure of a failed build, or the reason it can't be read; nothing for other builds, and where none is known. */
function FailureCause({ facts }: { facts: Facts }): ReactElement | null {
  const { buildId, outcome } = facts
  const { ofBuilds } = useServices()
  // The feed's builds say it; of those of a search it is read when one is looked at.
  const isAsked = outcome === 'failed' && facts.failure === undefined
  const { data, error } = useQuery({
    queryKey: ['build-failure', buildId],
    queryFn: isAsked ? ({ signal }) => readFailure(ofBuilds, buildId, signal) : skipToken,
    staleTime: Infinity,
    retry: false,
  })
  const failure = facts.failure ?? data ?? null
  if (failure === null) {
    return error && <Text mb={12} c="dimmed">{`Can't read why it failed: ${error.message}`}</Text>
  }
  const { task, exception, message } = failure
  return (
    // It stands before all else that is known.
    <Stack
      component="section"
      className={css.cause}
      gap={4}
      mb={12}
      px={12}
      py={8}
      aria-label="Why it failed"
    >
      <Title order={3} ff="monospace" fw={700}>
        {task ?? exception?.split('.').at(-1) ?? 'Failure'}
      </Title>
      {message !== '' && <pre>{message}</pre>}
      <Link to={`/builds/${buildId}`}>Stack trace, and whether it is new</Link>
    </Stack>
  )
}

async function readFailure(
  ofBuilds: Services['ofBuilds'],
  buildId: string,
  signal: AbortSignal,
): Promise<BuildFailure | null> {
  const { readFailures } = await ofBuilds()
  let first: BuildFailure | null = null
  await readFailures([buildId], {
    signal,
    onWait: () => undefined,
    onFindings: ([{ failures, problem } = {}]) => {
      if (problem !== undefined) throw problemError(502, 'no-failure', 'Not read', problem)
      first = failures?.[0] ?? first
    },
  })
  return first
}

function linkTo(
  narrowTo: BuildPanelProps['narrowTo'],
  field: NarrowField,
  value: string,
): string | undefined {
  return isTooLong(value) ? undefined : narrowTo(field, value)
}

function Section({
  heading,
  children,
}: {
  heading: string
  children: readonly ReactElement[]
}): ReactElement | null {
  if (children.length === 0) return null
  return (
    <>
      <Text component="h3" mt={16} mb={4} fz="xs" fw={600} c="dimmed">
        {heading}
      </Text>
      <FactList>{children}</FactList>
    </>
  )
}

/** What follows the outcome: " after 1 min 12 s, a check or test failed". */
function endingText(facts: Facts): string {
  const duration = facts.durationMs ?? undefined
  const after = duration === undefined ? '' : ` after ${durationText(duration)}`
  if (facts.outcome !== 'failed') return after
  if (facts.hasVerificationFailure === true) return `${after}, a check or test failed`
  return facts.hasNonVerificationFailure === true ? `${after}, but not in a check or test` : after
}

/** A custom value; a web address becomes a link, so that the list is narrowed by a sign beside it. */
function ValueText({ value, search }: { value: string; search: string | undefined }): ReactElement {
  const text = value === '' ? '(empty)' : value
  const leads = safeLink(value)
  const narrow = (label: string): ReactNode =>
    search === undefined ? null : (
      <Link to={{ search }} title="Filter by this value">
        {label}
      </Link>
    )
  if (leads === undefined) return <>{narrow(text) ?? text}</>
  return (
    <>
      <a href={leads.href} target="_blank" rel="noopener noreferrer nofollow">
        {text}
      </a>{' '}
      {narrow('Filter')}
    </>
  )
}
