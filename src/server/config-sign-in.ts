import { isLoopback } from '../protocol/loopback.ts'
import type { RoleRules } from '../protocol/role-rules.ts'
import { accessKeyFor, readAccessKeys } from './access-key.ts'
import type { SettingName, Settings } from './config-settings.ts'
import type {
  ConfiguredUser,
  HeaderSettings,
  OidcEntry,
  SignInRules,
} from './proxy/sign-in/sign-in-schema.ts'
import type { Reread, UpstreamCredential } from './proxy/upstream/credentials.ts'
import { type ReadSettings, rereadSetting, Secret, type SettingSources } from './read-settings.ts'

/** How people sign in, checked. */
export interface SignInConfig {
  readonly mode: Settings['SIGN_IN']
  /** Who may use access tokens; in every mode but `none`. */
  readonly users: readonly ConfiguredUser[]
  /** Which groups and claims give which role. */
  readonly roles: RoleRules
  /** For the mode `header`. */
  readonly header: { readonly settings: HeaderSettings; readonly secret: Secret } | undefined
  /** For the mode `oidc`. */
  readonly oidc: (OidcEntry & { readonly clientSecret: Secret | undefined }) | undefined
  /** Where browsers reach Sightline: always there in the mode `oidc`. */
  readonly publicUrl: URL | undefined
  /** How long somebody stays signed in, ms. */
  readonly sessionMs: number
}

/** What the configuration file says of it. */
interface SignInFile {
  readonly users: readonly ConfiguredUser[]
  readonly signIn: SignInRules
}

/** How people sign in, by settings and a file without mistakes. */
export function signInConfig(settings: Settings, { users, signIn }: SignInFile): SignInConfig {
  const { header, oidc, roles, everyoneElse } = signIn
  const secret = settings.HEADER_SECRET
  const clientSecret =
    settings.OIDC_CLIENT_SECRET === undefined ? undefined : new Secret(settings.OIDC_CLIENT_SECRET)
  return {
    mode: settings.SIGN_IN,
    users,
    roles: { rules: roles, otherwise: everyoneElse },
    header:
      header === undefined || secret === undefined
        ? undefined
        : { settings: header, secret: new Secret(secret) },
    oidc: oidc === undefined ? undefined : { ...oidc, clientSecret },
    publicUrl: settings.PUBLIC_URL,
    sessionMs: settings.SESSION_HOURS * 60 * 60 * 1000,
  }
}

/** What is wrong with how people sign in: a plain sentence each. `file` is undefined where it has mistakes. */
export function signInMistakes(settings: Settings, file: SignInFile | undefined): string[] {
  const { SIGN_IN: mode, HOST, HEADER_SECRET } = settings
  const mistakes: string[] = []
  if (mode === 'none' && !isLoopback(HOST)) {
    mistakes.push(
      `SIGHTLINE_HOST is "${HOST}", where anyone on the network could use the dashboard without signing in. Set SIGHTLINE_SIGN_IN, or use 127.0.0.1.`,
    )
  }
  if (mode !== 'none' && settings.SESSION_SECRET === undefined) {
    mistakes.push(
      `SIGHTLINE_SIGN_IN is "${mode}", but SIGHTLINE_SESSION_SECRET isn't set. Set it to at least 32 random characters, the same for all proxies, so that people stay signed in across restarts.`,
    )
  }
  if (mode === 'oidc' && settings.PUBLIC_URL === undefined) {
    mistakes.push(
      'SIGHTLINE_SIGN_IN is "oidc", but SIGHTLINE_PUBLIC_URL isn\'t set. Set the URL at which people open Sightline, such as https://sightline.example.com.',
    )
  }
  if (settings.OIDC_CLIENT_SECRET !== undefined && mode !== 'oidc') {
    mistakes.push(
      `SIGHTLINE_OIDC_CLIENT_SECRET is set, but SIGHTLINE_SIGN_IN is "${mode}". Set SIGHTLINE_SIGN_IN=oidc to use it.`,
    )
  }
  if (HEADER_SECRET !== undefined && mode !== 'header') {
    mistakes.push(
      `SIGHTLINE_HEADER_SECRET is set, but SIGHTLINE_SIGN_IN is "${mode}". Set SIGHTLINE_SIGN_IN=header to use it.`,
    )
  }
  if (mode === 'header' && HEADER_SECRET === undefined) {
    mistakes.push(
      'SIGHTLINE_SIGN_IN is "header", but SIGHTLINE_HEADER_SECRET isn\'t set. Set a secret that only the reverse proxy knows and sends.',
    )
  }
  if (file === undefined) return mistakes
  const { users, signIn } = file
  if (mode === 'tokens' && users.every(({ tokens }) => tokens.length === 0)) {
    mistakes.push(
      'SIGHTLINE_SIGN_IN is "tokens", but the configuration file has no users with tokens. To make the first one, run: sightline token create --name ann --role admin --expires 90d',
    )
  }
  if (mode === 'header' && signIn.header === undefined) {
    mistakes.push(
      'SIGHTLINE_SIGN_IN is "header", but the configuration file has no signIn.header. Add user, from and secretHeader.',
    )
  }
  if (mode === 'oidc' && signIn.oidc === undefined) {
    mistakes.push(
      'SIGHTLINE_SIGN_IN is "oidc", but the configuration file has no signIn.oidc. Add issuer and clientId.',
    )
  }
  const needsRules = mode === 'header' || mode === 'oidc'
  if (needsRules && signIn.roles.length === 0 && signIn.everyoneElse === undefined) {
    mistakes.push(
      'Nobody who signs in would have a role. Add rules to signIn.roles in the configuration file, or set signIn.everyoneElse.',
    )
  }
  return mistakes
}

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
