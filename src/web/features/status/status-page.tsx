import { useQuery } from '@tanstack/react-query'
import type { ReactElement, ReactNode } from 'react'
import { ProblemError } from '../../../protocol/problem.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'
import { connectionSentence } from '../../data/live/connection-sentence.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { durationText, timeOfDayText } from '../../ui/format.ts'
import { ProblemPanel } from '../../ui/problem.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { ServerReport } from './server-report.tsx'
import css from './status-page.module.css'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'

/** How this Sightline is set up, and how its feed stands. */
export function StatusPage(): ReactElement {
  const config = useQuery(configQuery(useServices().request))
  const { zone } = usePreferences()
  const sentence = connectionSentence(useStore(useServices().feed), useNow(), (at) =>
    timeOfDayText(at, zone),
  )
  return (
    <div className={css.page}>
      <h1 className={css.headline}>{`${sentence.text}.`}</h1>
      <section>
        <h2 className={css.heading}>Live feed of this browser</h2>
        <FeedFacts />
      </section>
      <section>
        <h2 className={css.heading}>Proxy</h2>
        {config.data !== undefined && <ProxyFacts config={config.data} />}
        {config.isPending && <p>Loading…</p>}
        {config.isError && (
          <ProblemPanel
            problem={{
              title: "Can't load the configuration.",
              meaning: config.error.message,
              detail: detailOf(config.error),
            }}
            retry={{ label: 'Try again', run: () => void config.refetch() }}
          />
        )}
      </section>
      <ServerReport />
    </div>
  )
}

function FeedFacts(): ReactElement {
  const view = useStore(useServices().feed)
  const newest = view.row(view.newest)
  return (
    <dl className={css.facts}>
      <Fact name="Builds kept">{countText(view.newest - view.oldest + 1)}</Fact>
      <Fact name="Newest build">
        {newest === undefined ? (
          'none yet'
        ) : (
          <RelativeTime at={newest.build.timestamp} skew={view.clockDifference} />
        )}
      </Fact>
      <Fact name="Delay">
        {view.behindMs === undefined ? 'not known' : durationText(view.behindMs)}
      </Fact>
      <Fact name="Dropped">
        {view.dropped === 0 ? 'none' : `${countText(view.dropped)}, to make room for newer builds`}
      </Fact>
      <Fact name="Unreadable">{countOf(view.malformed, 'message')}</Fact>
      <Fact name="Interruptions">
        {view.gaps === 0 ? 'no gaps' : `${countOf(view.gaps, 'gap')} with missing builds`}
      </Fact>
    </dl>
  )
}

function ProxyFacts({ config }: { config: ProxyConfig }): ReactElement {
  const { version, signIn, upstreams, liveHistory } = config
  return (
    <dl className={css.facts}>
      <Fact name="Version">{version}</Fact>
      <Fact name="Sign-in">{signInWords[signIn]}</Fact>
      <Fact name="Build data">{upstreamText(upstreams.buildData)}</Fact>
      <Fact name="Governor">{upstreamText(upstreams.governor)}</Fact>
      <Fact name="Live history">
        {liveHistory >= Number.MAX_SAFE_INTEGER
          ? 'all builds on the server'
          : `the newest ${countOf(liveHistory, 'build')}`}
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

const signInWords: Record<ProxyConfig['signIn'], string> = {
  none: 'none: anyone on this machine has access',
  tokens: 'access tokens',
  oidc: 'single sign-on (OpenID Connect)',
}

function upstreamText({ kind, origin }: ProxyConfig['upstreams']['buildData']): string {
  switch (kind) {
    case 'embedded':
      return 'embedded (demo data)'
    case 'none':
      return 'not configured'
    case 'server':
      return origin ?? 'a server'
  }
}

function detailOf(error: Error): string | undefined {
  return error instanceof ProblemError
    ? `${error.status} ${error.problem.title} (${error.problem.type})`
    : error.stack
}
