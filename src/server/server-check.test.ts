import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { onLoopback } from '../free-port.test-support.ts'
import type { Clock } from '../protocol/clock.ts'
import { createManualClock } from '../protocol/manual-clock.test-support.ts'
import { type Config, readConfig } from './config.ts'
import { statusHeadline, StatusReport } from '../protocol/status-report.ts'
import { statusLines } from './proxy/status/status-lines.ts'
import { findRedis, startRedis } from './live-log/throwaway-redis.test-support.ts'
import { realClock } from './real-clock.test-support.ts'
import type { SigstoreTrust } from '../protocol/proxy-config.ts'
import { createTestSigstore } from '../web/data/attestation/keyless.test-support.ts'
import { checkAll, configWarnings } from './server-check.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const key = 'canary-key-71c0'
const withKey = { SIGHTLINE_BUILD_DATA_ACCESS_KEY: key }

function configOf(environment: Record<string, string>): Config {
  const read = readConfig({ environment, flags: [], readFile: () => '' })
  if (!read.ok) throw new Error(read.mistakes.join(' '))
  return read.config
}

/** What is said of each configured server, and whether it can be used. */
interface ServerCheck {
  readonly usable: boolean
  readonly line: string
}

async function check(
  environment: Record<string, string>,
  clock: Clock = realClock,
): Promise<ServerCheck[]> {
  const given = { SIGHTLINE_DATABASE_URL: 'memory:', ...environment }
  const report = await checkAll(configOf(given), { clock, random: () => 0, version: '1' })
  const lines = statusLines(StatusReport.parse(report))
  expect(JSON.stringify([report, lines])).not.toContain('canary')
  const servers = [
    ['Build server', report.buildServer],
    ['Policy service', report.policyService],
  ] as const
  return servers
    .filter(([, { kind }]) => kind === 'server')
    .map(([name, { health }]) => ({
      usable: health === 'ok' || health === 'warning',
      line: lines.find((line) => line.startsWith(name)) ?? '',
    }))
}

async function started(server: Server, scheme = 'http'): Promise<string> {
  const { port, close } = await onLoopback(server)
  ends.push(close)
  return `${scheme}://127.0.0.1:${port}`
}

const http = (answer: RequestListener): Promise<string> => started(createServer(answer))

type Answer = [status: number, headers: Record<string, string>, body?: string]

/** A build server whose paths beginning with a key are answered with its status, headers and body. */
function buildServer(answers: Record<string, Answer>): Promise<string> {
  return http((request, response) => {
    const found = Object.entries(answers).find(([path]) => request.url?.startsWith(path))
    const [status, headers, body]: Answer = found?.[1] ?? [404, {}]
    response.writeHead(status, headers)
    if (body === undefined) response.end()
    else if (headers['content-type'] === 'text/event-stream') response.write(body)
    else response.end(body)
  })
}

const stream: Answer = [200, { 'content-type': 'text/event-stream' }, ': heartbeat\n\n']
const containing = (text: string): unknown => expect.stringContaining(text)
const json = { 'content-type': 'application/json' }

function selfSigned(): { key: Buffer; cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'sightline-tls-'))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=x'
  const files = ['-keyout', keyFile, '-out', certFile]
  execFileSync('openssl', ['req', ...made.split(' '), ...files], { stdio: 'ignore' })
  const pair = { key: readFileSync(keyFile), cert: readFileSync(certFile) }
  rmSync(folder, { recursive: true })
  return pair
}

describe('checking a build server', () => {
  const asked = async (url: string, settings: Record<string, string> = withKey) => {
    const [one] = await check({ SIGHTLINE_BUILD_DATA_URL: url, ...settings })
    expect(one?.line).toContain(`Build server ${url}: `)
    return one
  }

  test('is usable with its release and the version of its export stream', async () => {
    const url = await buildServer({
      '/build-export/v2/builds/since/now': stream,
      '/api/version': [200, json, '{"string":"2025.1.2"}'],
      '/api/builds': [200, json, '[]'],
    })
    const line = `Build server ${url}: reachable, export stream v2, release 2025.1.2.`
    expect(await asked(url)).toEqual({ usable: true, line })
  })

  test('is usable where only version 1 of the stream is there, and nothing else', async () => {
    const url = await buildServer({ '/build-export/v1/': stream })
    expect(await asked(url)).toMatchObject({
      usable: true,
      line: containing(': reachable, export stream v1 (Gradle builds only).'),
    })
  })

  test('is usable without the second permission, which is named', async () => {
    const url = await buildServer({
      '/build-export/v2/': stream,
      '/api/version': [200, json, '{"string":"2025.1"}'],
      '/api/builds': [403, json, '{}'],
    })
    expect(await asked(url)).toMatchObject({
      usable: true,
      line: containing('permission "Access build data via the API"'),
    })
  })

  test('is usable where only its build list is, also one that holds requests', async () => {
    const url = await http((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
      if (pathname !== '/api/builds') response.writeHead(403).end()
      else {
        const waitMs = Number(searchParams.get('maxWaitSecs')) * 1000
        setTimeout(() => response.writeHead(200, json).end('[]'), waitMs)
      }
    })
    expect(await asked(url)).toMatchObject({
      usable: true,
      line: containing('Give the access key\'s user the permission "Export API".'),
    })
  })

  test.each<[string, Answer, Record<string, string>, string]>([
    ['a wrong credential', [401, {}], withKey, "rejects Sightline's credentials (401)"],
    ['a missing credential', [401, {}], {}, 'requires a credential, and none is configured. Set'],
    ['missing permissions', [403, {}], withKey, 'permissions "Export API" and "Access build data'],
    [
      'a sign-in page elsewhere',
      [302, { location: 'https://login.example.com/?next=canary' }],
      withKey,
      'redirects to https://login.example.com (302)',
    ],
    [
      'a page',
      [200, { 'content-type': 'text/html' }, '<p>Sign in</p>'],
      withKey,
      'responded with a web page instead of data. Check that SIGHTLINE_BUILD_DATA_URL',
    ],
  ])('is not usable: %s', async (_what, answer, settings, words) => {
    const one = await asked(await buildServer({ '/': answer }), settings)
    expect(one).toMatchObject({ usable: false, line: containing(words) })
    expect(one?.line).not.toMatch(/Reconnecting|\.\./)
  })

  test('is not usable: a refused connection, a bad certificate, plain HTTP to a TLS port', async () => {
    const closed = createServer()
    const gone = await started(closed)
    for (const end of ends.splice(0)) await end()
    const tls = await started(
      createTlsServer(selfSigned(), (_, response) => response.end()),
      'https',
    )
    const lines = [gone, tls, tls.replace('https', 'http')].map(async (url) => {
      const one = await asked(url)
      expect(one?.usable).toBe(false)
      return one?.line
    })
    expect(await Promise.all(lines)).toEqual([
      containing("refused the connection. Check that it's running"),
      containing("isn't trusted: its issuer is unknown"),
      containing('If this port expects TLS, use https://'),
    ])
  })

  test('is given ten seconds, and its connections are closed then', async () => {
    const clock = createManualClock()
    const requested: string[] = []
    const url = await http((request) => {
      requested.push(request.url ?? '')
    })
    let done: ServerCheck[] | undefined
    void check({ SIGHTLINE_BUILD_DATA_URL: url }, clock).then((checks) => {
      done = checks
    })
    await expect.poll(() => requested.length).toBe(1)
    clock.advance(9999)
    expect(done).toBeUndefined()
    clock.advance(1)
    await expect.poll(() => done).toBeDefined()
    expect(done?.[0]).toMatchObject({
      usable: false,
      line: containing('sent nothing for 10 s. Check SIGHTLINE_BUILD_DATA_URL'),
    })
  })
})

describe('checking a policy service', () => {
  test.each<[number, boolean, string]>([
    [404, true, 'reachable, and the credential is not rejected.'],
    [401, false, 'must renew SIGHTLINE_GOVERNOR_BASIC'],
    [403, false, "doesn't allow Sightline's user to do this"],
    [302, false, 'redirects to another page (302)'],
    [503, false, 'failed (503)'],
  ])('which answers %i', async (status, usable, words) => {
    const methods: (string | undefined)[] = []
    const url = await http((request, response) => {
      methods.push(request.method)
      response.writeHead(status).end()
    })
    const token = { SIGHTLINE_GOVERNOR_BEARER: key }
    const [one] = await check({ SIGHTLINE_GOVERNOR_URL: url, ...token })
    expect(one).toEqual({ usable, line: containing(words) })
    expect(one?.line).toContain(`Policy service ${url}: `)
    expect(methods).toEqual(['GET'])
  })

  test('cannot move the cursor of a terminal or add a line, and its echo of the key is hidden', async () => {
    const detail = `\u001b[2J no\nSightline is fine ${key}`
    const url = await http((_, response) => {
      response
        .writeHead(500, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ title: 'x', status: 500, detail }))
    })
    const [one] = await check({ SIGHTLINE_GOVERNOR_URL: url, SIGHTLINE_GOVERNOR_BEARER: key })
    expect(one?.line).toMatch(/^[^\p{Cc}]+\[secret\]/u)
  })
})

test.each([
  [{}, 'Status: Everything is working. Without a server, Sightline shows demo data.'],
  [{ SIGHTLINE_GOVERNOR_URL: 'https://a.invalid' }, expect.not.stringContaining('demo')],
])('a check with the servers %j says whether there is only demo data', async (servers, line) => {
  const config = configOf({ SIGHTLINE_DATABASE_URL: 'memory:', ...servers })
  const report = await checkAll(config, { clock: realClock, random: () => 0, version: '1' })
  expect(statusLines(StatusReport.parse(report)).at(-1)).toEqual(line)
})

describe('checking the identity provider', () => {
  const asked = async (issuer: string): Promise<readonly [isWhole: boolean, lines: string]> => {
    const environment = {
      SIGHTLINE_DATABASE_URL: 'memory:',
      SIGHTLINE_SIGN_IN: 'oidc',
      SIGHTLINE_PUBLIC_URL: 'https://sightline.example.com',
      SIGHTLINE_OIDC_CLIENT_SECRET: key,
      SIGHTLINE_SESSION_SECRET: 'a secret of the tests, long enough',
      SIGHTLINE_CONFIG: 'sightline.yaml',
    }
    const roles = 'roles: [{claim: groups, value: engineers, role: viewer}]'
    const file = `signIn: {oidc: {issuer: "${issuer}", clientId: sightline}, ${roles}}`
    const read = readConfig({ environment, flags: [], readFile: () => file })
    if (!read.ok) throw new Error(read.mistakes.join(' '))
    const report = await checkAll(read.config, { clock: realClock, random: () => 0, version: '1' })
    const lines = statusLines(StatusReport.parse(report)).join('\n')
    expect(lines).not.toContain('canary')
    return [statusHeadline(report).health !== 'failed', lines]
  }

  test('one that answers is reachable', async () => {
    const url = await http((request, response) => {
      const issuer = `http://${request.headers.host ?? ''}`
      const [authorization_endpoint, token_endpoint] = [`${issuer}/auth`, `${issuer}/token`]
      const metadata = {
        issuer,
        authorization_endpoint,
        token_endpoint,
        jwks_uri: `${issuer}/keys`,
      }
      response.writeHead(200, json).end(JSON.stringify(metadata))
    })
    const [isWhole, lines] = await asked(url)
    expect(isWhole).toBe(true)
    expect(lines).toContain(`Sign-in: The identity provider ${url}/ is reachable.`)
  })

  test.each([
    ['is away', (request: IncomingMessage) => request.destroy(), 'UND_ERR_SOCKET'],
    [
      'knows no such address',
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(404).end(),
      'unexpected HTTP response status code',
    ],
  ])(
    'one that %s fails the check, with the reason and where to look',
    async (_, answer, reason) => {
      const [isWhole, lines] = await asked(await http(answer))
      expect(isWhole).toBe(false)
      expect(lines).toMatch(
        /Sign-in: The identity provider \S+ can't be read, so nobody can sign in/,
      )
      expect(lines).toContain(reason)
      expect(lines).toContain('Check signIn.oidc.issuer in the configuration file')
    },
  )
})

const redis = await findRedis()

test.skipIf(redis === undefined)(
  'a live log that refuses connections or builds fails the check, and one that takes them does not',
  async () => {
    const asked = async (url: string) => {
      const config = configOf({ SIGHTLINE_DATABASE_URL: 'memory:', SIGHTLINE_LIVE_LOG_URL: url })
      const report = await checkAll(config, { clock: realClock, random: () => 0, version: '1' })
      const { health } = statusHeadline(report)
      return [health, statusLines(report).find((line) => line.startsWith('Live log')) ?? '']
    }
    const server = await startRedis(redis ?? '')
    ends.push(server.stop)
    expect(await asked(server.url)).toEqual(['ok', 'Live log: The live log is reachable.'])
    const why = async (url: string): Promise<string> =>
      /\d: (.*)\. Check/.exec((await asked(url)).join(' '))?.[1] ?? ''
    expect(await why(`${server.url}/99`)).toBe('database not found')
    const tell = async (...orders: string[]): Promise<void> => {
      const { port, password } = new URL(server.url)
      const socket = connect(Number(port), '127.0.0.1').resume()
      socket.end([`AUTH ${password}`, ...orders, 'QUIT', ''].join('\r\n'))
      await once(socket, 'close')
    }
    expect(await why(server.url.replace('redis:', 'rediss:'))).toBe(
      'no answer. If that port has no TLS, use redis://',
    )
    expect(await why(await started(createTlsServer(selfSigned()), 'redis'))).toBe(
      'the connection was lost. If that port expects TLS, use rediss://',
    )
    const where = `Live log: Can't write to the live log in Redis at ${new URL(server.url).host}`
    await tell('CONFIG SET maxmemory 1')
    expect(await asked(server.url)).toEqual([
      'failed',
      `${where}: its memory is full. Check SIGHTLINE_LIVE_LOG_URL.`,
    ])
    await tell('CONFIG SET maxmemory 0', 'REPLICAOF 127.0.0.1 1')
    expect(await asked(server.url)).toEqual([
      'failed',
      `${where}: it is read-only. Check SIGHTLINE_LIVE_LOG_URL.`,
    ])
    await tell('REPLICAOF NO ONE')
    expect((await asked(server.url))[0]).toBe('ok')
    await tell("CONFIG SET requirepass ''")
    expect(await why(server.url.replace(/\/\/\w+:/, '//:'))).toBe('it expects no password')
    await tell(`CONFIG SET requirepass ${new URL(server.url).password}`)
    await server.kill()
    expect(await asked(server.url)).toEqual([
      'failed',
      `Live log: Can't reach the live log in Redis at ${new URL(server.url).host}: connection refused. Check SIGHTLINE_LIVE_LOG_URL.`,
    ])
  },
)

test('a key without a URL says that the demo uses it, and how to connect a server', async () => {
  const cure = 'To connect your build server, set SIGHTLINE_BUILD_DATA_URL.'
  expect(configWarnings(configOf(withKey), 0)).toEqual([containing(`demo uses the key. ${cure}`)])
  expect(configWarnings(configOf({}), 0)).toEqual([])
  expect(await check({})).toEqual([])
  const governor = { SIGHTLINE_GOVERNOR_URL: 'https://g.example.com' }
  expect(configWarnings(configOf({ ...withKey, ...governor }), 0)).toEqual([
    containing(`the key is not used. ${cure}`),
  ])
})

test('a mail server that no route uses is a warning', () => {
  const smtp = { SIGHTLINE_SMTP_URL: `smtps://robot:${key}@mail.example.com` }
  expect(configWarnings(configOf(smtp), 0)).toEqual([
    containing('SIGHTLINE_SMTP_URL is set, but no route in alerts.routes has email'),
  ])
  const file = `alerts: {emailFrom: s@example.com, routes: [{name: a, projects: [pay], email: [a@example.com]}]}`
  const read = readConfig({
    environment: { ...smtp, SIGHTLINE_CONFIG: 'f' },
    flags: [],
    readFile: () => file,
  })
  expect(read.ok ? configWarnings(read.config, 0) : read.mistakes).toEqual([])
})

describe('what keeps keyless signatures from counting is a warning:', () => {
  const { trustedRoot } = createTestSigstore()
  const identity = {
    name: 'release',
    issuer: 'https://token.actions.githubusercontent.com',
    identityRegexp: 'https://github\\.com/acme/.*',
  }
  const year = Date.UTC(2026, 5)
  const later = Date.UTC(2126, 5)
  const warnings = (
    root: SigstoreTrust['trustedRoot'],
    now = year,
    one: SigstoreTrust['identities'][number] = identity,
  ): string[] => {
    const config = configOf({})
    const sigstore = { trustedRoot: root, identities: [one] }
    return configWarnings({ ...config, shared: { ...config.shared, sigstore } }, now)
  }

  test('a trusted root that is one has none', () => {
    expect(warnings(trustedRoot)).toEqual([])
  })

  test.each<[string, SigstoreTrust['trustedRoot'], number, RegExp]>([
    [
      'a root without authorities',
      {},
      year,
      /^sigstore\.trustedRoot can't be used: certificateAuthorities is missing .*no keyless signature counts/,
    ],
    [
      'a certificate that is none',
      {
        ...trustedRoot,
        certificateAuthorities: [{ certChain: { certificates: [{ rawBytes: 'AAAA' }] } }],
      },
      year,
      /certificateAuthorities\[0\] has a certificate or key that isn't one/,
    ],
    [
      'a key of a log that is none',
      {
        ...trustedRoot,
        tlogs: [{ publicKey: { rawBytes: 'AAAA', keyDetails: 'PKIX_ECDSA_P256_SHA_256' } }],
      },
      year,
      /tlogs\[0\] has a certificate or key/,
    ],
    [
      'nobody who vouches for times',
      { ...trustedRoot, tlogs: [], timestampAuthorities: [] },
      year,
      /names neither a transparency log nor a timestamp authority/,
    ],
    [
      'authorities of another time',
      trustedRoot,
      later,
      /no certificate authority that is valid today/,
    ],
  ])('%s', (_, root, now, sentence) => {
    expect(warnings(root, now)[0]).toMatch(sentence)
  })

  test('logs of another time, too', () => {
    const ended = { start: '2020-01-01T00:00:00Z', end: '2021-01-01T00:00:00Z' }
    const tlogs = [{ publicKey: { ...keyOf(trustedRoot), validFor: ended } }]
    expect(warnings({ ...trustedRoot, tlogs, timestampAuthorities: [] })).toEqual([
      containing('no transparency log and no timestamp authority that is valid today'),
    ])
  })

  test.each<[Partial<SigstoreTrust['identities'][number]>, string]>([
    [{ issuer: 'token.actions.githubusercontent.com' }, 'its issuer must be a URL'],
    [
      { identityRegexp: '.*' },
      'trusts everyone whom https://token.actions.githubusercontent.com vouches for',
    ],
    [{ identityRegexp: undefined, identity: 'https://github.com/acme/*' }, 'Use identityRegexp'],
  ])('an identity with %j', (change, sentence) => {
    expect(warnings(trustedRoot, year, { ...identity, ...change })).toEqual([containing(sentence)])
  })
})

function keyOf({ tlogs }: SigstoreTrust['trustedRoot']): object {
  const [log] = Array.isArray(tlogs) ? tlogs : []
  const key = typeof log === 'object' && log !== null && 'publicKey' in log ? log.publicKey : null
  return typeof key === 'object' && key !== null ? key : {}
}
