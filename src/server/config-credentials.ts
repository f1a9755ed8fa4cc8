import { accessKeyFor, readAccessKeys } from './access-key.ts'
import type { SettingName, Settings } from './config-settings.ts'
import type { Reread, UpstreamCredential } from './proxy/upstream/credentials.ts'
import { type ReadSettings, rereadSetting, Secret, type SettingSources } from './read-settings.ts'

/** An upstream that is a real server. */
export interface ServerUpstream {
  readonly url: URL
  readonly credential: UpstreamCredential
}

type GivenSettings = Extract<ReadSettings, { readonly ok: true }>

/** The build data server, where one is configured. */
export function buildDataServer(
  read: GivenSettings,
  sources: SettingSources,
): ServerUpstream | undefined {
  const { settings } = read
  const { BUILD_DATA_URL: url, BUILD_DATA_ACCESS_KEY: keys, BUILD_DATA_BASIC: account } = settings
  if (url === undefined) return undefined
  if (keys === undefined) {
    return { url, credential: basicOf(account, rereadOf('BUILD_DATA_BASIC', read, sources)) }
  }
  const choose = (text: string): ReturnType<Reread> => chooseAccessKey(text, url)
  const chosen = choose(keys)
  if (!chosen.ok) return { url, credential: { kind: 'none' } }
  const reread = rereadOf('BUILD_DATA_ACCESS_KEY', read, sources, choose)
  const expiresAt = settings.BUILD_DATA_ACCESS_KEY_EXPIRES
  return { url, credential: { kind: 'bearer', token: chosen.secret, reread, expiresAt } }
}

/** The policy service, where one is configured. */
export function governorServer(
  read: GivenSettings,
  sources: SettingSources,
): ServerUpstream | undefined {
  const { settings } = read
  const { GOVERNOR_URL: url, GOVERNOR_BEARER: token, GOVERNOR_BASIC: account } = settings
  if (url === undefined) return undefined
  if (token === undefined)
    return { url, credential: basicOf(account, rereadOf('GOVERNOR_BASIC', read, sources)) }
  const reread = rereadOf('GOVERNOR_BEARER', read, sources)
  const expiresAt = undefined
  return { url, credential: { kind: 'bearer', token: new Secret(token), reread, expiresAt } }
}

function basicOf(
  userAndPassword: string | undefined,
  reread: Reread | undefined,
): UpstreamCredential {
  return userAndPassword === undefined
    ? { kind: 'none' }
    : { kind: 'basic', userAndPassword: new Secret(userAndPassword), reread }
}

function rereadOf(
  name: SettingName,
  { files }: GivenSettings,
  { readFile }: SettingSources,
  choose = (text: string): ReturnType<Reread> => ({ ok: true, secret: new Secret(text) }),
): Reread | undefined {
  const path = files.get(name)
  if (path === undefined) return undefined
  return () => {
    const read = rereadSetting(name, path, readFile)
    return read.ok ? choose(read.text) : read
  }
}

/** Where keys are listed by host, one must be for the build server. */
export function accessKeyMistakes(settings: Settings): string[] {
  const { BUILD_DATA_ACCESS_KEY: text, BUILD_DATA_URL: url } = settings
  const expires = settings.BUILD_DATA_ACCESS_KEY_EXPIRES
  if (text === undefined) {
    return expires === undefined
      ? []
      : [
          "SIGHTLINE_BUILD_DATA_ACCESS_KEY_EXPIRES is set, but SIGHTLINE_BUILD_DATA_ACCESS_KEY isn't. Set the key that expires then.",
        ]
  }
  if (url !== undefined) {
    const chosen = chooseAccessKey(text, url)
    return chosen.ok ? [] : [chosen.mistake]
  }
  return typeof readAccessKeys(text) === 'string'
    ? []
    : [
        "SIGHTLINE_BUILD_DATA_ACCESS_KEY lists keys by host, but SIGHTLINE_BUILD_DATA_URL isn't set. Set the URL of the server whose key is used.",
      ]
}

/** The key for a server; the mistake names the hosts that have one, and never a key. */
function chooseAccessKey(text: string, url: URL): ReturnType<Reread> {
  const keys = readAccessKeys(text) ?? new Map<string, string>()
  const key = accessKeyFor(keys, url)
  if (key !== undefined) return { ok: true, secret: new Secret(key) }
  const hosts = typeof keys === 'string' ? [] : [...keys.keys()]
  const listed = new Intl.ListFormat('en').format(hosts)
  return {
    ok: false,
    mistake: `SIGHTLINE_BUILD_DATA_ACCESS_KEY has no key for ${url.host}, the host of SIGHTLINE_BUILD_DATA_URL. It has keys for ${listed}.`,
  }
}
