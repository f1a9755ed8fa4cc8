import pino from 'pino'
import { z } from 'zod'
import { versionPath } from '../protocol/build-data.ts'
import { type Clock, wait } from '../protocol/clock.ts'
import { attestationPath } from '../protocol/package-address.ts'
import { ProblemError } from '../protocol/problem.ts'
import type { Config } from './config.ts'
import { fetchBuildList } from './proxy/live/build-list.ts'
import { fetchJson } from './proxy/live/upstream-fetch.ts'
import { openUpstreamStream, type UpstreamStatus } from './proxy/live/upstream-stream.ts'
import {
  createBuildDataUpstream,
  createGovernorUpstream,
  type Upstream,
} from './proxy/upstream/upstream.ts'
import { createUpstreamLog } from './proxy/upstream/upstream-log.ts'
import { acceptResponse } from './proxy/upstream/upstream-response.ts'

/** What is known of one configured server: a line for a terminal, without secrets. */
export interface ServerCheck {
  readonly usable: boolean
  readonly line: string
}

/** What a check needs from its surroundings. */
export interface CheckOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly version: string
}

/** Lets somebody wait for the first thing that the follower of a build server finds out. */
export function createFirstStatus(): {
  readonly known: Promise<UpstreamStatus>
  readonly onStatus: (status: UpstreamStatus) => void
} {
  let resolve: ((status: UpstreamStatus) => void) | undefined
  const known = new Promise<UpstreamStatus>((settle) => {
    resolve = settle
  })
  return {
    known,
    onStatus: (status) => {
      if (status.upstream !== 'connecting') resolve?.(status)
    },
  }
}

/** The line about a build server in a state of its follower; `facts` are what else is known of it. */
export function buildServerCheck(
  server: NonNullable<Config['buildData']>,
  { upstream, message }: Pick<UpstreamStatus, 'upstream' | 'message'>,
  facts: readonly string[] = [],
): ServerCheck {
  const usable = ['live', 'polling', 'complete'].includes(upstream)
  const isUnsigned = upstream === 'refused' && server.credential.kind === 'none'
  const sentence = isUnsigned
    ? 'It requires a credential, and none is configured. Set SIGHTLINE_BUILD_DATA_ACCESS_KEY (or SIGHTLINE_BUILD_DATA_BASIC).'
    : upstream === 'live'
      ? `reachable, ${facts.join(', ')}.`
      : message.replace(/ Reconnecting\.$/, '')
  return { usable, line: lineOf('Build server', server.url, sentence) }
}

/** What is said at start of what nobody has asked: the embedded demo, and the policy service. */
export function startLines({ buildData, governor, embedded }: Config): string[] {
  const key = 'SIGHTLINE_BUILD_DATA_ACCESS_KEY is set without SIGHTLINE_BUILD_DATA_URL'
  const cure = 'To connect your build server, set SIGHTLINE_BUILD_DATA_URL.'
  const isIdle = embedded.accessKey !== undefined && buildData === undefined
  return [
    ...(!isIdle
      ? []
      : governor === undefined
        ? [`${key}: the embedded demo uses the key. ${cure}`]
        : [`${key}: the key is not used. ${cure}`]),
    ...(governor === undefined
      ? []
      : [
          lineOf(
            'Policy service',
            governor.url,
            'contacted with the first evaluation. To check it now, run: npm start -- --check',
          ),
        ]),
  ]
}

/**
 * Asks each configured server once whether it can be used, for 10 s at most, and reads nothing but
 * that: no port is opened and nothing stored. Never throws for a fault of a server.
 */
export function checkServers(
  { buildData, governor, exportBearer, exportVersion }: Config,
  options: CheckOptions,
): Promise<ServerCheck[]> {
  const common = { ...options, kind: 'server', notice: () => undefined } as const
  const checks: Promise<ServerCheck>[] = []
  if (buildData !== undefined) {
    const log = createUpstreamLog(options.clock)
    const versions = { exportBearer, exportVersion, log }
    const upstream = createBuildDataUpstream({ ...buildData, ...common, ...versions })
    const spoken = (): string => `export stream ${log.report().spoken ?? ''}`.trim()
    checks.push(checkBuildServer(buildData, upstream, spoken, options))
  }
  if (governor !== undefined) {
    checks.push(
      checkPolicyService(governor, createGovernorUpstream({ ...governor, ...common }), options),
    )
  }
  return Promise.all(checks)
}

const longestMs = 10_000
const silent = (name: string, setting: string): string =>
  `The ${name} sent nothing for ${longestMs / 1000} s. Check ${setting}, the network and its firewalls.`

/** Follows the export stream (or polls the build list) as the live feed does, until it says how it stands. */
async function checkBuildServer(
  server: NonNullable<Config['buildData']>,
  { client, name, settings }: Upstream,
  spoken: () => string,
  { clock, random }: CheckOptions,
): Promise<ServerCheck> {
  const ended = new AbortController()
  const late = wait(clock, longestMs, ended.signal).then(() => undefined)
  const first = createFirstStatus()
  const stream = openUpstreamStream({
    client,
    clock,
    random,
    logger: pino({ level: 'silent' }),
    onLoss: () => undefined,
    idleMs: 2 * longestMs,
    streamRetryMs: longestMs,
    onBuild: () => true,
    onGap: () => undefined,
    onStatus: () => {
      first.onStatus(stream.status())
    },
    pace: () => Promise.resolve(),
  })
  try {
    const status = await Promise.race([first.known, late])
    if (status === undefined) {
      return { usable: false, line: lineOf('Build server', server.url, silent(name, settings.url)) }
    }
    if (status.upstream !== 'live') return buildServerCheck(server, status)
    const facts = await Promise.race([apiFacts(client, clock, ended.signal), late])
    return buildServerCheck(server, status, [spoken(), ...(facts ?? [])])
  } finally {
    ended.abort()
    await Promise.all([stream.close(), client.close()])
  }
}

/** The release, and whether the build data API is allowed; old servers have neither. */
async function apiFacts(
  client: Upstream['client'],
  clock: Clock,
  signal: AbortSignal,
): Promise<string[]> {
  const [release, builds] = await Promise.allSettled([
    fetchJson(client, clock, versionPath, signal),
    fetchBuildList(client, clock, { since: clock.now(), maxBuilds: 1 }, signal),
  ])
  const told = Version.safeParse(release.status === 'fulfilled' ? release.value : undefined)
  const isDenied =
    builds.status === 'rejected' &&
    builds.reason instanceof ProblemError &&
    builds.reason.status === 403
  return [
    ...(told.success ? [`release ${told.data.version}`] : []),
    ...(isDenied
      ? [
          'but without the permission "Access build data via the API", so details come from each build\'s events',
        ]
      : []),
  ]
}

const Version = z.object({ version: z.string().max(100) })

/** Fetches an attestation that nobody has stored: that it is missing is said to allowed users only. */
async function checkPolicyService(
  server: NonNullable<Config['governor']>,
  upstream: Upstream,
  { clock }: CheckOptions,
): Promise<ServerCheck> {
  const late = new AbortController()
  const stop = clock.after(longestMs, () => {
    late.abort()
  })
  const checkOf = (usable: boolean, sentence: string): ServerCheck => ({
    usable,
    line: lineOf('Policy service', server.url, sentence),
  })
  try {
    const response = await upstream.client.request({
      path: nothingStored,
      headers: { accept: 'application/json' },
      signal: late.signal,
    })
    const { status } = response
    try {
      await acceptResponse(upstream, response, clock.now())
      response.cancel()
    } catch (error) {
      // Not there, or not an address that this release takes: both come after signing in.
      if (![400, 404, 410, 422].includes(status)) throw error
    }
    return checkOf(true, 'reachable, and the credential is not rejected.')
  } catch (error) {
    if (late.signal.aborted) return checkOf(false, silent(upstream.name, upstream.settings.url))
    return checkOf(
      false,
      error instanceof ProblemError ? error.sentence : `Can't reach the ${upstream.name}.`,
    )
  } finally {
    stop()
    await upstream.client.close()
  }
}

const nothingStored = attestationPath({
  type: 'generic',
  name: 'sightline-check',
  version: '0',
  digestType: 'sha256',
  digest: '0'.repeat(64),
  instance: 'af:sightline',
  id: 'check',
})

/** One line, whatever a server puts into its texts: a terminal obeys control characters. */
function lineOf(name: string, url: URL, sentence: string): string {
  return `${name} ${url.origin}: ${sentence}`
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .slice(0, 600)
}
