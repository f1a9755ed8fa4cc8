import { Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useEffect } from 'react'
import { useLocation } from 'react-router'
import { AccessTokenList, accessTokensPath } from '../../../protocol/access-token.ts'
import { mayDo } from '../../../protocol/permission.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'
import type { SignInMode } from '../../../protocol/session.ts'
import type { SessionReport } from '../../../protocol/sign-in.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { useServices, useSessionUser } from '../../data/core/services.ts'
import { sessionReportQuery } from '../../data/core/sign-in.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, momentText } from '../../ui/format.ts'
import { Fact, Facts, Section } from '../../ui/page.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'

/** Who is signed in, how, and which rule gave which roles: what to send to who can change it. */
export function You(): ReactElement {
  const report = useQuery(sessionReportQuery(useServices()))
  const { hash } = useLocation()
  const isShown = report.data !== undefined
  useEffect(() => {
    if (hash === '#you' && isShown) document.getElementById('you')?.scrollIntoView()
  }, [hash, isShown])
  return (
    <div id="you">
      <Section title="You">
        {report.data !== undefined && <ReportFacts report={report.data} />}
        {report.isPending && <p>Loading…</p>}
        {report.isError && (
          <ProblemPanel
            problem={problemWords(report.error, {
              action: 'show',
              noun: 'your session',
              server: 'Sightline server',
            })}
            retry={{ label: 'Try again', run: report.refetch }}
          />
        )}
      </Section>
    </div>
  )
}

const modeWords: Record<SignInMode, string> = {
  none: 'Sign-in is off. Anyone on this machine has access.',
  tokens: 'with an access token',
  header: 'by the reverse proxy in front',
  oidc: 'with single sign-on (OpenID Connect)',
}

function ReportFacts({ report }: { report: SessionReport }): ReactElement {
  const { user, mode, rule, signedInAt, endsAt } = report
  const { zone } = usePreferences()
  const { packages, scans } = user.limits ?? {}
  return (
    <Facts>
      <Fact name="Name">{user.name}</Fact>
      <Fact name="Roles">{user.roles.join(', ') || 'none: ask your administrator for one'}</Fact>
      <Fact name="From rule">{rule}</Fact>
      <Fact name="Packages">{packages && (packages.join(', ') || 'none')}</Fact>
      <Fact name="Policy scans">{scans && (scans.join(', ') || 'none')}</Fact>
      <Fact name="Signed in">
        {modeWords[mode]}
        {signedInAt !== null && (
          <>
            , <RelativeTime at={signedInAt} />
          </>
        )}
      </Fact>
      <Fact name="Signed in until">{endsAt !== null && momentText(endsAt, zone)}</Fact>
      {Object.entries(report.claims).map(([name, value]) => (
        <Fact key={name} name={`Claim ${name}`}>
          {claimText(value)}
        </Fact>
      ))}
    </Facts>
  )
}

function claimText(value: unknown): ReactNode {
  if (typeof value === 'string') return value
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
  return isList ? value.join(', ') : JSON.stringify(value)
}

/** Whose access tokens to Sightline there are, and when each was last used: for admins. */
export function AccessTokens({ signIn }: { signIn: ProxyConfig['signIn'] }): ReactElement | null {
  const user = useSessionUser()
  const isShown = signIn !== 'none' && user !== undefined && mayDo(user, 'read-audit-log')
  return isShown ? <TokenTable /> : null
}

function TokenTable(): ReactElement {
  const { request } = useServices()
  const { zone } = usePreferences()
  const now = useNow()
  const { data, error, refetch } = useQuery({
    queryKey: ['access-tokens'],
    queryFn: ({ signal }) => request(accessTokensPath, AccessTokenList, { signal }),
  })
  return (
    <Section title="Access tokens to Sightline">
      {error !== null && (
        <ProblemPanel
          problem={problemWords(error, {
            action: 'show',
            noun: 'the access tokens',
            server: 'Sightline server',
          })}
          retry={{ label: 'Try again', run: refetch }}
        />
      )}
      {data?.tokens.length === 0 && (
        <p>
          None. Create one with <code>sightline token create</code> and add its lines to the
          configuration file.
        </p>
      )}
      {data !== undefined && data.tokens.length > 0 && (
        <Table.ScrollContainer minWidth={640}>
          <Table
            data={{
              head: ['User', 'Role', 'Token', 'Created', 'Expires', 'Last used'],
              body: data.tokens.map(({ name, roles, prefix, createdAt, expiresAt, lastUsedAt }) => [
                name,
                roles.join(', '),
                `${prefix}…`,
                dayText(createdAt, zone, 'date'),
                `${expiresAt <= now ? 'expired on ' : ''}${dayText(expiresAt, zone, 'date')}`,
                lastUsedAt === null ? 'never' : <RelativeTime key="used" at={lastUsedAt} />,
              ]),
            }}
          />
        </Table.ScrollContainer>
      )}
    </Section>
  )
}
