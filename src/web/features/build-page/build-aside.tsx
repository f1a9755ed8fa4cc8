import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { countText } from '../../../protocol/count.ts'
import { toolName } from '../../../protocol/build-tool.ts'
import { commitOf, shortCommit } from '../../../facts/build-source.ts'
import { branchOf, type Facts as BuildFacts } from '../../../protocol/facts.ts'
import { type ProxyConfig, scanAddress } from '../../../protocol/proxy-config.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { nameText } from '../../../search/values/text.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { packageLink } from '../../domain/package/package-links.ts'
import { packagesOfBuild } from '../../domain/package/remembered-packages.ts'
import { type RememberedPackage, usePreferences } from '../../ui/device-preferences.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { durationText } from '../../ui/format.ts'
import { breakable, StrangerLink } from '../../ui/external-link.tsx'
import { Fact, Facts, Section } from '../../ui/page.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { BuildTime } from '../../ui/time.tsx'
import { isTooLong } from '../../data/builds/build-list-reader.ts'
import { LoadingLines } from './part-notice.tsx'
import { feedAddress, type Knowledge, type Neighbours } from './use-knowledge.ts'
import { useServices } from '../../data/core/services.ts'

/** The facts of a build, and where to go from it. */
export function BuildAside({
  buildId,
  knowledge,
  isLoading,
}: {
  buildId: string
  knowledge: Knowledge
  isLoading: boolean
}): ReactElement {
  const { facts } = knowledge
  if (isLoading) {
    return <LoadingLines label="Loading details…" count={12} gap="md" />
  }
  return (
    <>
      {facts === undefined ? <Text c="dimmed">No details yet</Text> : <KnownFacts facts={facts} />}
      {facts !== undefined && <CustomData facts={facts} />}
      <BuildLinks buildId={buildId} knowledge={knowledge} />
    </>
  )
}

function KnownFacts({ facts }: { facts: BuildFacts }): ReactElement {
  const { startTime, durationMs, requested, user, hostname, outcome } = facts
  const commit = commitOf(facts)
  return (
    <Facts>
      <Fact name="Outcome">
        {outcome === 'succeeded' && <StatusMark tone="good" word="succeeded" />}
        {outcome === 'failed' && <StatusMark tone="bad" word="failed" />}
        {(outcome ?? null) === null && <StatusMark tone="waiting" word="unknown" />}
      </Fact>
      <Fact name="Project">{facts.project && nameText(facts.project)}</Fact>
      <Fact name="Requested">
        {requested?.length ? (
          <Folded what="requests" items={requested}>
            {(some) => <code>{some.join(' ')}</code>}
          </Folded>
        ) : undefined}
      </Fact>
      <Fact name="Branch">{branchOf(facts)}</Fact>
      <Fact name="Commit">
        {commit !== undefined && (
          <Group component="span" gap={0} wrap="nowrap" display="inline-flex">
            <code title={commit}>{shortCommit(commit)}</code>
            <CopyButton text={commit} what={`commit ${shortCommit(commit)}`} />
          </Group>
        )}
      </Fact>
      <Fact name="Duration">
        {typeof durationMs === 'number' ? durationText(durationMs) : undefined}
      </Fact>
      <Fact name="Started">{typeof startTime === 'number' && <BuildTime at={startTime} />}</Fact>
      <Fact name="Received">
        <BuildTime at={facts.receivedAt} />
      </Fact>
      <Fact name="User">{user}</Fact>
      <Fact name="Host">{hostname}</Fact>
      <Fact name="Tool">{`${toolName(facts.buildTool)} ${facts.buildToolVersion}`}</Fact>
      <Fact name="Agent">{facts.agentVersion}</Fact>
      <Fact name="Tags">
        {facts.tags?.length ? (
          <Folded what="tags" items={[...new Set(facts.tags)]}>
            {(some) => some.join(', ')}
          </Folded>
        ) : undefined}
      </Fact>
    </Facts>
  )
}

function CustomData({ facts: { values = [] } }: { facts: BuildFacts }): ReactElement | null {
  if (values.length === 0) return null
  return (
    <Section title="Custom values">
      <Folded what="custom values" items={values}>
        {(some) => (
          <Facts>
            {some.map(({ name, value }, index) => (
              // Names may repeat.
              <Fact key={`${index} ${name}`} name={name}>
                <StrangerLink address={value}>
                  {value === '' ? '(empty)' : breakable(value)}
                </StrangerLink>
              </Fact>
            ))}
          </Facts>
        )}
      </Folded>
    </Section>
  )
}

/** So many of anything stand there at first: on a narrow screen all that the build did is below them. */
const mostAtFirst = 30

/** The first items, and a button for all of them. */
function Folded<Item>({
  what,
  items,
  children,
}: {
  what: string
  items: readonly Item[]
  children: (some: readonly Item[]) => ReactNode
}): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const isLong = items.length > mostAtFirst
  return (
    <>
      {children(isLong && !isWhole ? items.slice(0, mostAtFirst) : items)}
      {isLong && (
        <Button
          display="block"
          variant="default"
          size="compact-sm"
          mt={4}
          aria-expanded={isWhole}
          onClick={() => {
            setWhole(!isWhole)
          }}
        >
          {isWhole ? 'Show fewer' : `Show all ${countText(items.length)} ${what}`}
        </Button>
      )}
    </>
  )
}

function BuildLinks({
  buildId,
  knowledge: { facts, header, attributes, neighbours },
}: {
  buildId: string
  knowledge: Knowledge
}): ReactElement {
  const { data: config } = useQuery(configQuery(useServices().request))
  const { packages = [] } = usePreferences()
  const server = config?.upstreams.buildData
  const ofEvents = header?.links ?? []
  const ownLinks = ofEvents.length > 0 ? ofEvents : (attributes?.links ?? [])
  const known = { buildId, facts, neighbours, server, ownLinks }
  const links = [
    ...attestationLinks(buildId, packages, config?.upstreams.governor),
    ...buildLinks(known),
  ]
  return (
    <nav aria-label="From this build">
      <Section title="From here">
        <Folded what="links" items={links}>
          {(some) => (
            <Stack component="ul" gap={8} m={0} p={0}>
              {some.map((link, index) => (
                <li key={`${index} ${link.text}`} style={{ listStyle: 'none' }}>
                  {'to' in link ? (
                    <Link to={link.to}>{link.text}</Link>
                  ) : (
                    <StrangerLink address={link.address}>{link.text}</StrangerLink>
                  )}
                </li>
              ))}
            </Stack>
          )}
        </Folded>
      </Section>
    </nav>
  )
}

const mostPackages = 5

/**
 * From a build to what was attested of it: the packages of this device that it is known to stand
 * behind, or all of them, as no service can list it; and to publishing. Nowhere without a policy service.
 */
export function attestationLinks(
  buildId: string,
  packages: readonly RememberedPackage[],
  governor: ProxyConfig['upstreams']['governor'] | undefined,
): readonly BuildLink[] {
  if (governor?.kind === 'none') return []
  const known = packagesOfBuild(packages, buildId).slice(0, mostPackages)
  const text = 'Attestations'
  return [
    ...known.map((one) => ({
      text: `${text}: ${packageText(one.address)}`,
      to: packageLink(one.address, one),
    })),
    ...(known.length === 0 ? [{ text, to: '/packages' }] : []),
    { text: 'Publish attestations', to: `/publish?builds=${buildId}` },
  ]
}

/** Somewhere to go from a build: within the dashboard (`to`), or in the web (`address`). */
type BuildLink =
  | { readonly text: string; readonly to: string }
  | { readonly text: string; readonly address: string }

/**
 * Where to go from a build: the same project and user in the feed, the build before it, others of
 * its commit, the page that the build server itself has of it (docs/services.md#build-page-links),
 * and the build's own links. */
export function buildLinks(known: {
  readonly buildId: string
  readonly facts: BuildFacts | undefined
  readonly neighbours: Neighbours | undefined
  readonly ownLinks: readonly { readonly label: string; readonly url: string }[]
  readonly server: ProxyConfig['upstreams']['buildData'] | undefined
}): readonly BuildLink[] {
  const { buildId, facts, neighbours, ownLinks, server } = known
  const links: BuildLink[] = []
  const { project, user } = facts ?? {}
  if (project && !isTooLong(project))
    links.push({ text: `Builds of ${nameText(project)}`, to: feedAddress({ project }) })
  if (user && !isTooLong(user)) links.push({ text: `Builds by ${user}`, to: feedAddress({ user }) })
  const previous = neighbours?.streak?.previous
  if (previous) links.push({ text: 'Previous build', to: `/builds/${previous}` })
  for (const other of neighbours?.sameCommit ?? []) {
    const what = [other.requested?.join(' ') ?? other.buildId, other.outcome]
    const text = `Same commit: ${what.filter((word) => word).join(', ')}`
    links.push({ text, to: `/builds/${other.buildId}` })
  }
  const scan = scanAddress(server, buildId)
  if (scan !== undefined) links.push({ text: 'Build Scan', address: scan })
  if (scan !== undefined && facts !== undefined && toolsWithLog.has(facts.buildTool)) {
    links.push({ text: 'Console log', address: `${scan}/console-log` })
  }
  return [...links, ...ownLinks.map(({ label, url }) => ({ text: label, address: url }))]
}

/** The tools whose Build Scans have a page with the console log. */
const toolsWithLog: ReadonlySet<string> = new Set(['gradle', 'maven', 'sbt'])
