import type { Clock } from '../../../protocol/clock.ts'
import {
  buildDataCredentials,
  type Credentials,
  fixedCredentials,
  type UpstreamCredential,
  withCredentials,
} from './credentials.ts'
import { createUpstreamClient } from './undici-upstream-client.ts'
import type { UpstreamClient } from './upstream-client.ts'

/** One of the services behind the proxy, ready to be asked. */
export interface Upstream {
  readonly kind: 'embedded' | 'server'
  /** The server's own address for links to its pages; null for the embedded services. */
  readonly origin: string | null
  /** What people call it, such as `build data server`. */
  readonly name: string
  /** The settings that a person must look at when it does not work. */
  readonly settings: { readonly url: string; readonly credential: string }
  readonly client: UpstreamClient
  /** A text with this upstream's credentials in it replaced. */
  readonly redact: (text: string) => string
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
}

/** The build data server: the export stream and the build data API. */
export function createBuildDataUpstream(
  options: UpstreamOptions & { readonly exportBearer: 'raw' | 'base64' },
): Upstream {
  const name = 'build server'
  const settings = {
    url: 'SIGHTLINE_BUILD_DATA_URL',
    credential: 'SIGHTLINE_BUILD_DATA_ACCESS_KEY (or SIGHTLINE_BUILD_DATA_BASIC)',
  }
  const client = clientOf(options, name, settings.url)
  return upstreamOf(options, name, settings, client, buildDataCredentials({ ...options, client }))
}

/** The policy service. */
export function createGovernorUpstream(options: UpstreamOptions): Upstream {
  const name = 'policy service'
  const settings = {
    url: 'SIGHTLINE_GOVERNOR_URL',
    credential: 'SIGHTLINE_GOVERNOR_BASIC (or SIGHTLINE_GOVERNOR_BEARER)',
  }
  const client = clientOf(options, name, settings.url)
  return upstreamOf(options, name, settings, client, fixedCredentials(options.credential))
}

function clientOf(options: UpstreamOptions, name: string, urlSetting: string): UpstreamClient {
  return createUpstreamClient({
    baseUrl: options.url,
    name,
    urlSetting,
    userAgent: `sightline/${options.version}`,
    clock: options.clock,
  })
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
    client: withCredentials(client, credentials),
    redact: credentials.redact,
  }
}
