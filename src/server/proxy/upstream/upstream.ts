import {
  accessTokenPath,
  type AccessTokenRequest,
  buildListPath,
} from '../../../protocol/build-data.ts'
import type { ExportVersion } from '../../../protocol/build-export.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { CredentialState } from '../../../protocol/credential-state.ts'
import { attestationPath } from '../../../protocol/package-address.ts'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import { problem, ProblemDetail, ProblemError, problemJson } from '../../../protocol/problem.ts'
import type { AllowList } from './allow-list.ts'
import { createCredentialRecord } from './credential-record.ts'
import {
  buildDataCredentials,
  type Credentials,
  fixedCredentials,
  type UpstreamCredential,
  withCredentials,
} from './credentials.ts'
import { withMaskedSecrets } from './mask-secrets.ts'
import { buildDataAllowList, governorAllowList } from './routes.ts'
import {
  mediaType,
  readBounded,
  type UpstreamClient,
  type UpstreamClientOptions,
  type UpstreamRequest,
  type UpstreamResponse,
} from './upstream-client.ts'
import { type UpstreamLog, withLog } from './upstream-log.ts'

/** What the addresses of a server's pages begin with: its own, without a slash at the end. */
export function pagesAt(url: URL): string {
  return url.href.replace(/\/$/, '')
}

/** One of the services behind the proxy, ready to be asked. */
export interface Upstream {
  readonly kind: 'embedded' | 'server' | 'none'
  /** The server's own address for links to its pages; null for the embedded services and for none. */
  readonly origin: string | null
  /** What people call it, such as `build data server`. */
  readonly name: string
  /** The settings that a person must look at when it does not work. */
  readonly settings: { readonly url: string; readonly credential: string }
  readonly client: UpstreamClient
  /** A text with this upstream's credentials in it replaced. */
  readonly redact: (text: string) => string
  /** How its credential stands, as far as the responses so far say. */
  readonly credential: () => CredentialState
  /** Finds out how its credential stands by a request or two. Never rejects. */
  readonly checkCredential: () => Promise<void>
  /** Looks at the file that its credential comes from; true where it has changed. */
  readonly rereadCredential: () => boolean
  /**
   * Requests an access token for somebody, made from the credential itself; the response is neither
   * looked at nor masked. Throws what the client throws, and a ProblemError without a credential.
   */
  readonly requestToken: (
    request: AccessTokenRequest,
    signal: AbortSignal,
  ) => Promise<UpstreamResponse>
}

/** Where an upstream is and how it is asked. */
export interface UpstreamOptions {
  readonly kind: 'embedded' | 'server'
  readonly url: URL
  readonly credential: UpstreamCredential
  /** Makes the connection to it, without a credential. */
  readonly connect: (options: UpstreamClientOptions) => UpstreamClient
  readonly clock: Clock
  /** This program's version, for `user-agent`. */
  readonly version: string
  /** Told, in a sentence without secrets, what an operator should know. */
  readonly notice: (sentence: string) => void
  readonly log?: UpstreamLog
}

/** The build data server: the export stream and the build data API. */
export function createBuildDataUpstream(
  options: UpstreamOptions & {
    readonly exportBearer: 'raw' | 'base64'
    readonly exportVersion: ExportVersionSetting
  },
): Upstream {
  const { name } = buildDataAllowList
  const settings = {
    url: 'SIGHTLINE_BUILD_DATA_URL',
    credential: 'SIGHTLINE_BUILD_DATA_ACCESS_KEY (or SIGHTLINE_BUILD_DATA_BASIC)',
  }
  const client = clientOf(options, buildDataAllowList, settings.url)
  const credentials = buildDataCredentials({ ...options, client })
  const checkPath = (now: number): string => buildListPath({ since: now, maxBuilds: 1 })
  const upstream = upstreamOf(options, { name, settings, client, credentials, checkPath })
  const { exportVersion, log } = options
  return { ...upstream, client: withExportVersion(upstream.client, exportVersion, log) }
}

/** The policy service. */
export function createGovernorUpstream(options: UpstreamOptions): Upstream {
  const { name } = governorAllowList
  const settings = {
    url: 'SIGHTLINE_GOVERNOR_URL',
    credential: 'SIGHTLINE_GOVERNOR_BASIC (or SIGHTLINE_GOVERNOR_BEARER)',
  }
  const client = clientOf(options, governorAllowList, settings.url)
  const credentials = fixedCredentials(options)
  return upstreamOf(options, {
    name,
    settings,
    client,
    credentials,
    checkPath: () => nothingStored,
  })
}

/** The address of an attestation that nobody has stored: that it is missing is said to allowed users only. */
export const nothingStored = attestationPath({
  type: 'generic',
  name: 'sightline-check',
  version: '0',
  digestType: 'sha256',
  digest: '0'.repeat(64),
  instance: 'af:sightline',
  id: 'check',
})

/** Stands where no build server is configured: every request is refused in words. */
export function createAbsentBuildData(): Upstream {
  return {
    kind: 'none',
    origin: null,
    name: buildDataAllowList.name,
    settings: { url: 'SIGHTLINE_BUILD_DATA_URL', credential: 'SIGHTLINE_BUILD_DATA_ACCESS_KEY' },
    client: {
      request: () => Promise.reject(new ProblemError(noBuildServer)),
      close: () => Promise.resolve(),
    },
    redact: (text) => text,
    credential: createCredentialRecord('none', { now: () => 0 }).state,
    checkCredential: () => Promise.resolve(),
    rereadCredential: () => false,
    requestToken: () => Promise.reject(new ProblemError(noBuildServer)),
  }
}

const noBuildServer = problem(
  404,
  'no-build-server',
  'No build server',
  'No build server is configured. Set SIGHTLINE_BUILD_DATA_URL and restart.',
)

const noCredential = problem(
  404,
  'no-access-key',
  'No access key',
  'Sightline has no access key for the build server to make access tokens from. Set SIGHTLINE_BUILD_DATA_ACCESS_KEY and restart.',
)

/** Whether a request was refused because no build server is configured. */
export function isNoBuildServer(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.problem.type === noBuildServer.type
}

function clientOf(
  options: UpstreamOptions,
  allowList: AllowList,
  urlSetting: string,
): UpstreamClient {
  const connected = options.connect({
    baseUrl: options.url,
    name: allowList.name,
    urlSetting,
    userAgent: `sightline/${options.version}`,
    clock: options.clock,
  })
  const client = options.kind === 'embedded' ? withOwnFaults(connected) : connected
  return options.log === undefined ? client : withLog(client, options.log, allowList, options.clock)
}

/** The embedded services stand on Sightline's own database: what is wrong with it is no answer of a server. */
function withOwnFaults(client: UpstreamClient): UpstreamClient {
  return {
    request: async (request) => {
      const response = await client.request(request)
      if (![500, 503].includes(response.status) || mediaType(response) !== problemJson)
        return response
      const bytes = await readBounded(response, maxProblemBytes)
      const { data } = ProblemDetail.safeParse(parsedJson(bytes.toString('utf8')))
      if (data?.type.endsWith(':database-unusable') === true) throw new ProblemError(data)
      return { ...response, body: whole(bytes) }
    },
    close: () => client.close(),
  }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}

const maxProblemBytes = 65_536

function upstreamOf(
  options: UpstreamOptions,
  {
    name,
    settings,
    client,
    credentials,
    checkPath,
  }: {
    readonly name: string
    readonly settings: Upstream['settings']
    readonly client: UpstreamClient
    readonly credentials: Credentials
    /** What only those who are signed in get an answer for; with the time in it. */
    readonly checkPath: (now: number) => string
  },
): Upstream {
  const { clock } = options
  const authorized = withCredentials(client, credentials)
  const checkByRequest = async (): Promise<void> => {
    try {
      const response = await authorized.request({
        path: checkPath(clock.now()),
        headers: { accept: 'application/json' },
      })
      response.cancel()
    } catch {
      // No response: the credentials have noted it.
    }
  }
  return {
    kind: options.kind,
    origin: options.kind === 'server' ? pagesAt(options.url) : null,
    name,
    settings,
    client: withMaskedSecrets(authorized, credentials.secrets),
    redact: credentials.redact,
    credential: credentials.state,
    rereadCredential: credentials.reread,
    checkCredential: async () => {
      if (options.credential.kind === 'none') return
      credentials.reread()
      if (!(await credentials.check())) await checkByRequest()
    },
    requestToken: async (request, signal) => {
      credentials.reread()
      const authorization = credentials.own()
      if (authorization === null) throw new ProblemError(noCredential)
      return client.request({
        path: accessTokenPath(request),
        method: 'POST',
        headers: { authorization, accept: 'text/plain, */*;q=0.1' },
        signal,
      })
    },
  }
}

/** `auto`: version 2, or version 1 where the server has only that. */
export type ExportVersionSetting = ExportVersion | 'auto'

/**
 * Requests of version 2 of the export stream as the server speaks it: everybody behind this asks for
 * version 2, and messages of both versions are understood (docs/services.md#export-versions). With
 * `auto`, what one of them answers as absent is tried in the other: always for lists and streams of builds, which ask for
 * version 2 first, as a server may be upgraded; for single builds until one of the two has answered.
 */
export function withExportVersion(
  client: UpstreamClient,
  setting: ExportVersionSetting,
  log?: UpstreamLog,
): UpstreamClient {
  let spoken: ExportVersion | null = setting === 'auto' ? null : setting
  const speak = (version: ExportVersion | null): void => {
    if (setting === 'auto') spoken = version
    if (version !== null) log?.spoke(version)
  }
  const send = async (
    request: UpstreamRequest,
    version: ExportVersion,
  ): Promise<UpstreamResponse> => {
    const path = request.path.replace(/^\/build-export\/v2\//, `/build-export/${version}/`)
    const response = await client.request({ ...request, path })
    if (isAnswer(response)) speak(version)
    else if (isAbsent(response) && path.includes('/builds/')) speak(null)
    return response
  }
  return {
    request: async (request) => {
      if (!request.path.startsWith('/build-export/v2/')) return client.request(request)
      const isOfBuilds = request.path.includes('/builds/')
      const isDecided = setting !== 'auto' || !isOfBuilds
      if (spoken !== null && isDecided) return send(request, spoken)
      const response = await send(request, 'v2')
      if (!isAbsent(response)) return response
      // A 404 may also hide a missing permission or build: version 1 has to answer to be believed.
      const older = await send(request, 'v1').catch(() => undefined)
      const chosen = older !== undefined && isAnswer(older) ? older : response
      const other = chosen === older ? response : older
      other?.cancel()
      return chosen
    },
    close: () => client.close(),
  }
}

function isAnswer({ status }: UpstreamResponse): boolean {
  return status === 200 || status === 204
}

function isAbsent({ status }: UpstreamResponse): boolean {
  return status === 404 || status === 405 || status === 410 || status === 501
}
