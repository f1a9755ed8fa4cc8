import { Text } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { countOf } from '../../../protocol/count.ts'
import { credentialText } from '../../../protocol/credential-state.ts'
import type {
  BuildServerStatus,
  Health,
  Latency,
  ServerStatus,
  StatusPart,
} from '../../../protocol/status-report.ts'
import { durationText } from '../../ui/format.ts'
import { Fact, Facts, Section } from '../../ui/page.tsx'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { BuildTime, RelativeTime } from '../../ui/time.tsx'

/** The color and shape of a state. */
export const healthTones: Record<Health, StatusTone> = {
  ok: 'good',
  warning: 'waiting',
  failed: 'bad',
  unknown: 'info',
  off: 'none',
}
const words: Record<Health, string> = {
  ok: 'Working',
  warning: 'Needs attention',
  failed: 'Not working',
  unknown: 'Checking',
  off: 'Not configured',
}

/** One part of the report: how it stands in a word and a sentence, then its facts. */
export function Part({
  title,
  part: { health, message, notes },
  children,
}: {
  title: string
  part: StatusPart
  children?: ReactNode
}): ReactElement {
  return (
    <Section title={title}>
      <StatusMark tone={healthTones[health]} word={words[health]} />
      {(health === 'ok' ? notes : [message, ...notes]).map((sentence) => (
        <Text key={sentence} maw="72ch">
          {sentence}
        </Text>
      ))}
      {children}
    </Section>
  )
}

/** What both kinds of servers have. */
interface ServerProps<T> {
  readonly server: T
  /** When the report was made, epoch ms. */
  readonly now: number
}

/** The build server: how it stands, what Sightline may do there, and how soon builds arrive. */
export function BuildServer({ server, now }: ServerProps<BuildServerStatus>): ReactElement {
  const { release, newestBuildAt, deliveryMs, exportVersion, kind } = server
  return (
    <Part title="Build server" part={server}>
      {kind !== 'none' && (
        <Facts>
          <ServerFacts server={server} now={now} />
          <Fact name="Release">{release ?? 'not stated'}</Fact>
          <Fact name="Export stream">{versionText(exportVersion)}</Fact>
          <Fact name="Newest build">
            {newestBuildAt === null ? 'none since the start' : <BuildTime at={newestBuildAt} />}
          </Fact>
          {deliveryMs !== null && (
            <Fact name="Delivery">
              {`${msText(deliveryMs.last)} for the last build, ${msText(deliveryMs.median)} usually`}
            </Fact>
          )}
        </Facts>
      )}
    </Part>
  )
}

/** The policy service: how it stands. */
export function PolicyService({ server, now }: ServerProps<ServerStatus>): ReactElement {
  return (
    <Part title="Policy service" part={server}>
      {server.kind !== 'none' && (
        <Facts>
          <ServerFacts server={server} now={now} />
        </Facts>
      )}
    </Part>
  )
}

function ServerFacts({ server, now }: ServerProps<ServerStatus>): ReactElement {
  const { kind, address, lastResponseAt, latency, credential, permissions, clockSkewMs } = server
  return (
    <>
      <Fact name="Address">{kind === 'embedded' ? 'embedded, with demo data' : address}</Fact>
      <Fact name="Last response">
        {lastResponseAt === null ? 'none yet' : <RelativeTime at={lastResponseAt} />}
      </Fact>
      {latency !== null && <Fact name="Response time">{latencyText(latency)}</Fact>}
      {credential !== null && <Fact name="Credential">{credentialText(credential, now)}</Fact>}
      {permissions.length > 0 && (
        <Fact name="Permissions">
          {permissions.map((permission) => (
            <div key={permission.name} title={`For ${permission.purpose}`}>
              <StatusMark
                tone={permissionTones[permission.state]}
                word={`${permission.name}: ${permission.known ?? permission.state}`}
              />
            </div>
          ))}
        </Fact>
      )}
      <Fact name="Clock">{clockText(clockSkewMs)}</Fact>
    </>
  )
}

const permissionTones = { granted: 'good', missing: 'bad', unknown: 'none' } as const

function clockText(skewMs: number | null): string {
  if (skewMs === null) return 'unknown'
  if (Math.abs(skewMs) < 1000) return "agrees with Sightline's"
  const direction = skewMs > 0 ? 'ahead of' : 'behind'
  return `${durationText(Math.abs(skewMs))} ${direction} Sightline's`
}

function latencyText({ lastMs, medianMs, slowestMs, requests }: Latency): string {
  const window = `${countOf(requests, 'request')} within 10 min`
  return `${msText(lastMs)}; ${msText(medianMs)} usually, ${msText(slowestMs)} at most (${window})`
}

/** Milliseconds below a second ("12 ms"), otherwise a duration ("2 s"). */
export function msText(ms: number): string {
  return ms < 950 ? `${Math.round(ms)} ms` : durationText(ms)
}

function versionText({ setting, spoken }: BuildServerStatus['exportVersion']): string {
  if (spoken === null)
    return setting === 'auto' ? 'no version has responded yet' : `${setting} (by setting)`
  const version = spoken === 'v1' ? 'version 1, which has Gradle builds only' : 'version 2'
  return setting === 'auto' ? `${version} (detected)` : `${version} (by setting)`
}
