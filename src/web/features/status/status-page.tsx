import { Code } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useEffect } from 'react'
import { useLocation } from 'react-router'
import { countOf, countText } from '../../../protocol/count.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { connectionSentence } from '../../data/live/connection-sentence.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { timeOfDayText } from '../../ui/format.ts'
import { Fact, Facts, PageHeader, Section } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { ProblemPanel } from '../../ui/problem.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { ServerReport } from './server-report.tsx'

/** How this Sightline is set up, how its feed stands, and what the servers sent that it couldn't read. */
export function StatusPage(): ReactElement {
  const { request, feed } = useServices()
  const { zone } = usePreferences()
  const { text } = connectionSentence(useStore(feed), useNow(), (at) => timeOfDayText(at, zone))
  const config = useQuery(configQuery(request))
  return (
    <div className={pageCss.page}>
      <PageHeader sentence={/[.!?]$/.test(text) ? text : `${text}.`} />
      <Section title="Live feed of this browser">
        <FeedFacts />
      </Section>
      <Section title="Sightline server">
        {config.data !== undefined && <ServerFacts config={config.data} />}
        {config.isPending && <p>Loading…</p>}
        {config.isError && (
          <ProblemPanel
            problem={problemWords(config.error, {
              action: 'show',
              noun: 'the configuration',
              server: 'Sightline server',
            })}
            retry={{ label: 'Try again', run: () => void config.refetch() }}
          />
        )}
      </Section>
      {config.data !== undefined && <ConnectServers config={config.data} />}
      <ServerReport />
    </div>
  )
}

function FeedFacts(): ReactElement {
  const view = useStore(useServices().feed)
  const newest = view.row(view.newest)
  const { upstream, clockDifference } = view
  return (
    <Facts>
      <Fact name="Last message">
        {view.lastHeardAt === undefined ? 'none yet' : <RelativeTime at={view.lastHeardAt} />}
      </Fact>
      <Fact name="Build server">{upstream === undefined ? 'not known yet' : upstream.message}</Fact>
      <Fact name="Last data from it">
        {typeof upstream?.lastHeardAt === 'number' ? (
          <RelativeTime at={upstream.lastHeardAt} skew={clockDifference} />
        ) : (
          'none yet'
        )}
      </Fact>
      <Fact name="Builds kept">
        {newest === undefined ? 'none yet' : countText(view.newest - view.oldest + 1)}
      </Fact>
      <Fact name="Newest build">
        {newest === undefined ? (
          'none yet'
        ) : (
          <RelativeTime at={newest.build.timestamp} skew={clockDifference} />
        )}
      </Fact>
      <Fact name="Dropped">
        {view.dropped === 0 ? 'none' : `${countText(view.dropped)}, to make room for newer builds`}
      </Fact>
      <Fact name="Unreadable">{countOf(view.malformed, 'message')}</Fact>
      <Fact name="Interruptions">
        {view.gaps === 0 ? 'no gaps' : `${countOf(view.gaps, 'gap')} with missing builds`}
      </Fact>
    </Facts>
  )
}

const signInWords: Record<ProxyConfig['signIn'], string> = {
  none: 'none: anyone on this machine has access',
  tokens: 'access tokens',
  header: 'by the reverse proxy in front',
  oidc: 'single sign-on (OpenID Connect)',
}

function ServerFacts({
  config: { version, signIn, upstreams, liveHistory },
}: {
  config: ProxyConfig
}): ReactElement {
  return (
    <Facts>
      <Fact name="Version">{version}</Fact>
      <Fact name="Sign-in">{signInWords[signIn]}</Fact>
      <Fact name="Build server">{serverText(upstreams.buildData)}</Fact>
      <Fact name="Policy service">{serverText(upstreams.governor)}</Fact>
      <Fact name="Live history">
        {liveHistory >= Number.MAX_SAFE_INTEGER
          ? 'all builds on the server'
          : `the newest ${countOf(liveHistory, 'build')}`}
      </Fact>
    </Facts>
  )
}

function serverText({ kind, origin }: ProxyConfig['upstreams']['buildData']): string {
  switch (kind) {
    case 'embedded':
      return 'embedded, with demo data'
    case 'none':
      return 'not connected'
    case 'server':
      return origin ?? 'a server'
  }
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
