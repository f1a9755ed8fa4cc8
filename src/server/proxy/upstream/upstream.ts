import type { Clock } from '../../../protocol/clock.ts'
import type { CredentialState } from '../../../protocol/credential-state.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import {
  buildDataCredentials,
  type Credentials,
  fixedCredentials,
  type UpstreamCredential,
  withCredentials,
} from './credentials.ts'
import { createUpstreamClient } from './undici-upstream-client.ts'
import { type ExportVersionSetting, withExportVersion } from './export-version.ts'
import type { AllowList } from './allow-list.ts'
import { buildDataAllowList, governorAllowList } from './routes.ts'
import { withMaskedSecrets } from './mask-secrets.ts'
import type { UpstreamClient } from './upstream-client.ts'
import { type UpstreamLog, withLog } from './upstream-log.ts'

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
}

/** Where an upstream is and how it is asked. */
export interface UpstreamOptions {
  readonly kind: 'embedded' | 'server'
  readonly url: URL
  readonly credential: UpstreamCredential
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
  const upstream = upstreamOf(
    options,
    name,
    settings,
    client,
    buildDataCredentials({ ...options, client }),
  )
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
  return upstreamOf(options, name, settings, client, fixedCredentials(options.credential))
}

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
    credential: () => unchecked('none'),
  }
}

const noBuildServer = problem(
  404,
  'no-build-server',
  'No build server',
  'No build server is configured. Set SIGHTLINE_BUILD_DATA_URL and restart.',
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
  const client = createUpstreamClient({
    baseUrl: options.url,
    name: allowList.name,
    urlSetting,
    userAgent: `sightline/${options.version}`,
    clock: options.clock,
  })
  return options.log === undefined ? client : withLog(client, options.log, allowList, options.clock)
}

function upstreamOf(
  options: UpstreamOptions,
  name: string,
  settings: Upstream['settings'],
  client: UpstreamClient,
  credentials: Credentials,
): Upstream {
  return {
    kind: options.kind,
    origin: options.kind === 'server' ? options.url.origin : null,
    name,
    settings,
    client: withMaskedSecrets(withCredentials(client, credentials), credentials.secrets),
    redact: credentials.redact,
    credential: () => unchecked(kindOf(options.credential)),
  }
}

function kindOf({ kind }: UpstreamCredential): CredentialState['kind'] {
  return kind
}

function unchecked(kind: CredentialState['kind']): CredentialState {
  return {
    kind,
    state: 'unchecked',
    checkedAt: null,
    expiresAt: null,
    expiresEarlier: false,
    permissions: null,
    notice: null,
  }
}
