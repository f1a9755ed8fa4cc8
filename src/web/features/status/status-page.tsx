import { Button, Code, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useEffect } from 'react'
import { useLocation } from 'react-router'
import { countOf, countText } from '../../../protocol/count.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'
import { statusHeadline, StatusReport, statusReportPath } from '../../../protocol/status-report.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { connectionSentence } from '../../data/live/connection-sentence.ts'
import { copyText } from '../../ui/copy.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { durationText, timeOfDayText } from '../../ui/format.ts'
import { Fact, Facts, PageHeader, Section } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { ProblemPanel } from '../../ui/problem.tsx'
import { BuildTime, RelativeTime, useNow } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.ts'
import { BuildServer, PolicyService, healthTones } from './server-parts.tsx'
import {
  AlertsPart,
  DatabasePart,
  LiveLogPart,
  PeoplePart,
  ServerReport,
} from './server-report.tsx'
import { AccessTokens, You } from './sign-in-parts.tsx'

/** Asked again so often while the page is visible, and sooner while something is being checked, ms. */
const refreshMs = 15_000
const checkingMs = 3000

/**
 * Whether everything works, for whoever runs this Sightline: the parts in the order in which one
 * looks at them, each with its own fault, loaded and refreshed on its own.
 */
export function StatusPage(): ReactElement {
  const { request } = useServices()
  const config = useQuery(configQuery(request))
  const report = useQuery({
    queryKey: ['status-report'],
    queryFn: ({ signal }) => request(statusReportPath, StatusReport, { signal }),
    refetchInterval: ({ state }) => (isChecking(state.data) ? checkingMs : refreshMs),
    retry: false,
  })
  const { data } = report
  return (
    <div className={pageCss.page}>
      <Headline report={data} isFailed={report.isError} />
      {report.isError && data === undefined && (
        <ProblemPanel
          problem={problemWords(report.error, {
            action: 'show',
            noun: 'the status',
            server: 'Sightline server',
          })}
          retry={{ label: 'Try again', run: report.refetch }}
        />
      )}
      {report.isPending ? (
        <Stack gap="xs" mih="70vh" role="status" aria-label="Loading the status">
          {[60, 80, 70, 75, 65, 80].map((width, index) => (
            <Skeleton key={index} height={16} width={`${width / 2}%`} />
          ))}
        </Stack>
      ) : (
        <div className={pageCss.columns} data-page="parts">
          {data !== undefined && (
            <>
              <BuildServer server={data.buildServer} now={data.at} />
              <PolicyService server={data.policyService} now={data.at} />
              {data.database !== null && <DatabasePart database={data.database} />}
              {data.liveLog !== null && <LiveLogPart log={data.liveLog} />}
            </>
          )}
          <Section title="Live feed of this browser">
            <FeedFacts />
          </Section>
          {data !== undefined && (
            <>
              {data.alerts !== null && <AlertsPart alerts={data.alerts} />}
              {data.people !== null && <PeoplePart people={data.people} />}
            </>
          )}
          <Section title="Sightline server">
            {config.data !== undefined && <ServerFacts config={config.data} report={data} />}
            {config.isPending && <p>Loading…</p>}
            {config.isError && (
              <ProblemPanel
                problem={problemWords(config.error, {
                  action: 'show',
                  noun: 'the configuration',
                  server: 'Sightline server',
                })}
                retry={{ label: 'Try again', run: config.refetch }}
              />
            )}
          </Section>
          <You />
        </div>
      )}
      {data !== undefined && <ServerReport report={data} />}
      {config.data !== undefined && !report.isPending && (
        <AccessTokens signIn={config.data.signIn} />
      )}
      {config.data !== undefined && !report.isPending && <ConnectServers config={config.data} />}
    </div>
  )
}

async function copyReport(report: StatusReport): Promise<void> {
  if (await copyText(JSON.stringify(report, null, 2))) await toast('Status copied as JSON')
}

function isChecking(report: StatusReport | undefined): boolean {
  if (report === undefined) return false
  const { buildServer, policyService, database, alerts } = report
  return [buildServer, policyService, database, alerts].some((part) => part?.health === 'unknown')
}

/** One sentence that is true now: what this browser can't reach is said before what it last heard. */
function Headline({
  report,
  isFailed,
}: {
  report: StatusReport | undefined
  isFailed: boolean
}): ReactElement {
  const view = useStore(useServices().feed)
  const { zone } = usePreferences()
  const now = useNow()
  const { state } = view.connection
  const isCut = state === 'retrying' || state === 'signed-out' || state === 'refused'
  const connection = connectionSentence(view, now, {
    timeOfDay: (at) => timeOfDayText(at, zone),
    duration: durationText,
  }).text
  const { health, message } =
    report === undefined
      ? { health: 'unknown' as const, message: 'Loading the status…' }
      : statusHeadline(report)
  const [tone, sentence] = isCut
    ? (['bad', connection] as const)
    : isFailed
      ? (['bad', "Can't load the status from the Sightline server"] as const)
      : ([healthTones[health], message] as const)
  return (
    <PageHeader
      tone={tone}
      sentence={/[.!?…]$/.test(sentence) ? sentence : `${sentence}.`}
      actions={
        <Button
          variant="default"
          disabled={report === undefined}
          onClick={() => {
            if (report !== undefined) void copyReport(report)
          }}
        >
          Copy as JSON
        </Button>
      }
    >
      <Text c="dimmed" size="sm">
        {report === undefined ? (
          'Not loaded yet'
        ) : (
          <>
            Checked <RelativeTime at={report.at} />
          </>
        )}
      </Text>
    </PageHeader>
  )
}

function FeedFacts(): ReactElement {
  const view = useStore(useServices().feed)
  const newest = view.row(view.newest)
  const { upstream } = view
  return (
    <Facts>
      <Fact name="Last message">
        {view.lastHeardAt === undefined ? 'none yet' : <RelativeTime at={view.lastHeardAt} />}
      </Fact>
      <Fact name="Build server">{upstream === undefined ? 'not known yet' : upstream.message}</Fact>
      <Fact name="Builds in this tab">
        {newest === undefined ? 'none yet' : countText(view.newest - view.oldest + 1)}
      </Fact>
      <Fact name="Newest build">
        {newest === undefined ? 'none yet' : <BuildTime at={newest.build.timestamp} />}
      </Fact>
      <Fact name="Dropped">
        {view.dropped === 0 ? 'none' : `${countText(view.dropped)}, to make room for newer builds`}
      </Fact>
      <Fact name="Unreadable">{countOf(view.malformed, 'message')}</Fact>
      <Fact name="Missed builds">
        {view.gaps === 0 ? 'none' : `in ${countOf(view.gaps, 'gap')}`}
      </Fact>
    </Facts>
  )
}

const signInWords: Record<ProxyConfig['signIn'], string> = {
  none: 'off: anyone on this machine has access',
  tokens: 'access tokens',
  header: 'by the reverse proxy in front',
  oidc: 'single sign-on (OpenID Connect)',
}

function ServerFacts({
  config: { version, signIn, liveHistory, upstreams },
  report,
}: {
  config: ProxyConfig
  report: StatusReport | undefined
}): ReactElement {
  const product = report?.product
  return (
    <Facts>
      <Fact name="Version">{version}</Fact>
      {product !== undefined && (
        <Fact name="Started">
          <RelativeTime at={product.startedAt} />
        </Fact>
      )}
      <Fact name="Sign-in">{signInWords[signIn]}</Fact>
      {upstreams.buildData.kind !== 'none' && (
        <Fact name="History">
          {liveHistory >= Number.MAX_SAFE_INTEGER
            ? 'everything the server has'
            : `the newest ${countOf(liveHistory, 'build')}`}
        </Fact>
      )}
      {product !== undefined && (
        <Fact name="Configuration">
          {product.warnings.length === 0
            ? 'no warnings'
            : product.warnings.map((warning) => <div key={warning}>{warning}</div>)}
        </Fact>
      )}
    </Facts>
  )
}

/** How to connect what is not connected. */
function ConnectServers({ config: { upstreams } }: { config: ProxyConfig }): ReactElement | null {
  const { hash } = useLocation()
  const { buildData, governor } = upstreams
  const isDemo = buildData.kind === 'embedded'
  const isWhole = buildData.kind === 'server' && governor.kind === 'server'
  useEffect(() => {
    if (hash === '#connect') document.getElementById('connect')?.scrollIntoView()
  }, [hash])
  if (isWhole) return null
  const lines = [
    ...(buildData.kind === 'server'
      ? []
      : [
          'SIGHTLINE_BUILD_DATA_URL=https://builds.example.com',
          'SIGHTLINE_BUILD_DATA_ACCESS_KEY=…',
        ]),
    ...(governor.kind === 'server'
      ? []
      : ['SIGHTLINE_GOVERNOR_URL=https://governor.example.com', 'SIGHTLINE_GOVERNOR_BEARER=…']),
  ]
  return (
    <div id="connect">
      <Section title={isDemo ? 'Connect your server' : 'Connect the other server'}>
        <p>
          {isDemo
            ? 'The builds and packages shown are made up. To see your own, set the address of your build server, your policy service, or both, and restart Sightline:'
            : 'To connect it, set these and restart Sightline:'}
        </p>
        <Code block>{lines.join('\n')}</Code>
      </Section>
    </div>
  )
}
