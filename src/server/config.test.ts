import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Config, readConfig } from './config.ts'

const key = 'canary-key-5f2d'

function read(
  environment: Record<string, string>,
  flags: string[] = [],
  files: Record<string, string> = {},
): Config | readonly string[] {
  const result = readConfig({
    environment,
    flags,
    readFile: (path) => {
      const text = files[path]
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
      return text
    },
  })
  return result.ok ? result.config : result.mistakes
}

describe('the configuration', () => {
  test('needs nothing: the embedded services answer on a loopback address', () => {
    expect(read({ PATH: '/bin' })).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      buildData: undefined,
      governor: undefined,
      exportVersion: 'auto',
      embedded: { models: true },
    })
  })

  test('takes a flag before a variable, and a variable before the default', () => {
    expect(read({ SIGHTLINE_PORT: '9000' })).toMatchObject({ port: 9000 })
    expect(read({ SIGHTLINE_PORT: '9000' }, ['--port', '9001'])).toMatchObject({ port: 9001 })
    expect(read({}, ['--embedded-models=off', '--port=0'])).toMatchObject({
      port: 0,
      embedded: { models: false },
    })
  })

  test('takes the stores of attestations, and refuses what names none', () => {
    const stores = (value: string) => read({ SIGHTLINE_EMBEDDED_STORES: value })
    expect(read({})).toMatchObject({ embedded: { stores: ['af:evidence', 's3:archive'] } })
    expect(stores('s3:a, af:b.c')).toMatchObject({ embedded: { stores: ['s3:a', 'af:b.c'] } })
    for (const wrong of ['gs:a', 's3:', 's3:a,', 's3:a/b']) {
      expect(JSON.stringify(stores(wrong))).toContain('must be comma-separated names')
    }
  })

  test.each([
    ['the line break at its end', `${key}\n`],
    ['the byte order mark of an editor', `\uFEFF${key}\r\n`],
  ])('reads a value from a file, without %s', (_, text) => {
    const config = read(
      {
        SIGHTLINE_BUILD_DATA_URL: 'https://builds.example.com',
        SIGHTLINE_BUILD_DATA_ACCESS_KEY_FILE: 'k',
      },
      [],
      { k: text },
    )
    expect(config).toMatchObject({ buildData: { credential: { kind: 'bearer' } } })
    const credential = 'buildData' in config ? config.buildData?.credential : undefined
    expect(credential?.kind === 'bearer' && credential.token.reveal()).toBe(key)
  })

  test.each([
    [`${key}\n`, key],
    [`${key}\r\n`, key],
    [`${key}\n\n`, undefined],
    [`${key}\tx`, undefined],
    [`${key} x`, undefined],
    [`${key}é`, undefined],
    [`${key}\u200b`, undefined],
  ])('takes an access key that can be sent, and refuses %j in a sentence', (given, taken) => {
    for (const [url, name] of [
      ['SIGHTLINE_BUILD_DATA_URL', 'SIGHTLINE_BUILD_DATA_ACCESS_KEY'],
      ['SIGHTLINE_GOVERNOR_URL', 'SIGHTLINE_GOVERNOR_BEARER'],
    ] as const) {
      const config = read({ [url]: 'https://x.example', [name]: given })
      const said = JSON.stringify(config)
      expect(said).not.toContain(key)
      if (taken === undefined) expect(said).toContain(`${name} must be a key of ASCII letters`)
      else expect(said).toContain('[secret]')
    }
  })

  test('takes the access key of the host of the build server from a list', () => {
    const list = `a.example=other-key;builds.example.com=${key}`
    for (const given of [
      { SIGHTLINE_BUILD_DATA_ACCESS_KEY: list },
      { SIGHTLINE_BUILD_DATA_ACCESS_KEY_FILE: 'keys.properties' },
    ]) {
      const config = read(
        { SIGHTLINE_BUILD_DATA_URL: 'https://builds.example.com', ...given },
        [],
        {
          'keys.properties': `# keys\na.example=other-key\nbuilds.example.com=${key}\n`,
        },
      )
      const credential = 'buildData' in config ? config.buildData?.credential : undefined
      expect(credential?.kind === 'bearer' && credential.token.reveal()).toBe(key)
    }
  })

  test('names the hosts that have a key, and no key, where the build server has none', () => {
    const list = `a.example=${key};b.example:8443=${key}`
    expect(
      read({
        SIGHTLINE_BUILD_DATA_URL: 'https://x.example',
        SIGHTLINE_BUILD_DATA_ACCESS_KEY: list,
      }),
    ).toEqual([
      'SIGHTLINE_BUILD_DATA_ACCESS_KEY has no key for x.example, the host of SIGHTLINE_BUILD_DATA_URL. It has keys for a.example and b.example:8443.',
    ])
    expect(read({ SIGHTLINE_BUILD_DATA_ACCESS_KEY: list })).toEqual([
      "SIGHTLINE_BUILD_DATA_ACCESS_KEY lists keys by host, but SIGHTLINE_BUILD_DATA_URL isn't set. Set the URL of the server whose key is used.",
    ])
  })

  test('takes a date at which the access key expires, and says what one is', () => {
    const dated = (date: string) =>
      read({
        SIGHTLINE_BUILD_DATA_URL: 'https://x.example',
        SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
        SIGHTLINE_BUILD_DATA_ACCESS_KEY_EXPIRES: date,
      })
    const at = (date: string) => ({ buildData: { credential: { expiresAt: Date.parse(date) } } })
    expect(dated('2027-01-31')).toMatchObject(at('2027-01-31T00:00Z'))
    expect(dated('2027-01-31T10:00:00+02:00')).toMatchObject(at('2027-01-31T08:00Z'))
    for (const wrong of ['tomorrow', '2027-02-31T99:00Z', '1800000000', '2027-02-30']) {
      expect(dated(wrong)).toEqual([expect.stringContaining('must be a date such as 2027-01-31')])
    }
  })

  test('reads the file of a secret again, and says what is wrong with it without showing it', () => {
    const files = new Map([
      ['k', 'first-key\n'],
      ['g', 'ada:first-word\n'],
    ])
    const result = readConfig({
      environment: {
        SIGHTLINE_BUILD_DATA_URL: 'https://x.example',
        SIGHTLINE_BUILD_DATA_ACCESS_KEY_FILE: 'k',
        SIGHTLINE_GOVERNOR_URL: 'https://y.example',
        SIGHTLINE_GOVERNOR_BASIC_FILE: 'g',
      },
      flags: [],
      readFile: (path) => {
        const text = files.get(path)
        if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
        return text
      },
    })
    const credentials = result.ok
      ? [result.config.buildData?.credential, result.config.governor?.credential]
      : []
    const reread = (): unknown[] =>
      credentials.map((credential) => {
        const read = credential?.kind === 'none' ? undefined : credential?.reread?.()
        return read?.ok === true ? read.secret.reveal() : read?.mistake
      })
    expect(reread()).toEqual(['first-key', 'ada:first-word'])
    files.set('k', `x.example=${key}`).set('g', `ada:${key}`)
    expect(reread()).toEqual([key, `ada:${key}`])
    files.set('k', `${key} ${key}`).set('g', key)
    expect(reread().join()).not.toContain(key)
    expect(reread()).toEqual([
      expect.stringContaining('SIGHTLINE_BUILD_DATA_ACCESS_KEY must be a key'),
      'SIGHTLINE_GOVERNOR_BASIC must be user:password, without tabs or line breaks.',
    ])
    files.clear()
    expect(reread()[0]).toBe("SIGHTLINE_BUILD_DATA_ACCESS_KEY_FILE: can't read k (ENOENT).")
  })

  test('allows any number of connections on loopback, and 512 from each address elsewhere', () => {
    expect(read({})).toMatchObject({ maxConnections: undefined, keepAliveMs: 65_000 })
    expect(read({ SIGHTLINE_MAX_CONNECTIONS: '7' })).toMatchObject({ maxConnections: 7 })
    expect(read({ SIGHTLINE_KEEP_ALIVE: '5' })).toMatchObject({ keepAliveMs: 5000 })
  })

  test('leaves balancers 5 s to look elsewhere, where there is something to look for', () => {
    const delays = [
      {},
      { SIGHTLINE_OPS_PORT: '9090' },
      { SIGHTLINE_DATABASE_URL: 'postgres://a:b@c/d' },
      { SIGHTLINE_LIVE_LOG_URL: 'redis://c' },
      { SIGHTLINE_OPS_PORT: '9090', SIGHTLINE_SHUTDOWN_DELAY: '0' },
      { SIGHTLINE_SHUTDOWN_DELAY: '20' },
    ].map((settings) => {
      const config = read(settings)
      return 'shutdownDelayMs' in config ? config.shutdownDelayMs : config
    })
    expect(delays).toEqual([0, 5000, 5000, 5000, 0, 20_000])
  })

  test('has a port for operators only where it is set, on the same host unless told', () => {
    expect(read({})).toMatchObject({ ops: undefined })
    expect(read({ SIGHTLINE_OPS_PORT: '9090' })).toMatchObject({
      ops: { host: '127.0.0.1', port: 9090 },
    })
    const elsewhere = { SIGHTLINE_OPS_PORT: '9090', SIGHTLINE_OPS_HOST: '0.0.0.0' }
    expect(read(elsewhere)).toMatchObject({ ops: { host: '0.0.0.0', port: 9090 } })
    expect(read({ SIGHTLINE_OPS_HOST: '::1' })).toEqual([
      "SIGHTLINE_OPS_HOST is set, but SIGHTLINE_OPS_PORT isn't. Set the port.",
    ])
    expect(read({ SIGHTLINE_OPS_PORT: '8080' })).toEqual([
      'SIGHTLINE_OPS_PORT and SIGHTLINE_PORT are the same. Set another port for one.',
    ])
  })

  test('cannot be printed with a secret in it', () => {
    const config = read({
      SIGHTLINE_BUILD_DATA_URL: 'https://builds.example.com',
      SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
      SIGHTLINE_GOVERNOR_URL: 'https://governor.example.com',
      SIGHTLINE_GOVERNOR_BASIC: `ci:${key}`,
      SIGHTLINE_SESSION_SECRET: key.repeat(4),
      SIGHTLINE_DATABASE_URL: `postgres://u:${key}@localhost/x`,
    })
    expect(config).toHaveProperty('buildData')
    expect(JSON.stringify(config)).not.toContain(key)
    expect(inspect(config, { depth: 9, showHidden: true })).not.toContain(key)
    expect(Object.values(config).join()).not.toContain(key)
  })

  test('shares the live log where several instances share a database, unless told otherwise', () => {
    const liveLogOf = (environment: Record<string, string>) => {
      const config = read(environment)
      return 'liveLog' in config
        ? [config.liveLog.url.reveal(), config.liveLog.fallback]
        : undefined
    }
    const database = 'postgres://u:p@localhost/x'
    expect(liveLogOf({})).toEqual(['memory', false])
    expect(liveLogOf({ SIGHTLINE_DATABASE_URL: database })).toEqual([database, false])
    for (const url of [
      'memory',
      'postgres:///x?host=/run/postgresql',
      'postgres://u:p@/x?host=/run/postgresql',
      'redis://h',
      'rediss://u:p%20q@h:6380/3',
    ]) {
      const given = { SIGHTLINE_LIVE_LOG_URL: url, SIGHTLINE_LIVE_LOG_FALLBACK: 'memory' }
      expect(liveLogOf({ SIGHTLINE_DATABASE_URL: database, ...given })).toEqual([url, true])
    }
    const secret = read({ SIGHTLINE_LIVE_LOG_URL: `redis://u:${key}@localhost` })
    expect(inspect(secret, { depth: 9, showHidden: true })).not.toContain(key)
  })

  test.each([
    'postgres://u:p@/sightline?host=/var/run/postgresql',
    'postgres://%2Fvar%2Frun%2Fpostgresql/sightline',
    'postgresql://u%40acme:p%2F%23%3F%25@x.example/sightline?options=-c%20search_path%3Da@b',
  ])('takes the database at %s', (url) => {
    const config = read({ SIGHTLINE_DATABASE_URL: url })
    expect('databaseUrl' in config ? config.databaseUrl.reveal() : config).toBe(url)
  })

  test('leaves the variables of the command line alone', () => {
    for (const name of ['URL', 'URL_FILE', 'TOKEN', 'TOKEN_FILE', 'RELEASE_KEY_FILE']) {
      expect(read({ [`SIGHTLINE_${name}`]: 'x' })).toMatchObject({ port: 8080 })
    }
  })

  test('takes an IPv6 address in the brackets of a URL', () => {
    expect(
      read({ SIGHTLINE_HOST: '[::1]', SIGHTLINE_OPS_HOST: '[::1]', SIGHTLINE_OPS_PORT: '0' }),
    ).toMatchObject({ host: '::1', ops: { host: '::1' } })
  })

  test('treats an empty variable as not set', () => {
    expect(read({ SIGHTLINE_PORT: '' })).toMatchObject({ port: 8080 })
  })
})

describe('sign-in with an identity provider', () => {
  const environment = {
    SIGHTLINE_HOST: '0.0.0.0',
    SIGHTLINE_SIGN_IN: 'oidc',
    SIGHTLINE_PUBLIC_URL: 'https://sightline.example.com',
    SIGHTLINE_OIDC_CLIENT_SECRET: key,
    SIGHTLINE_SESSION_SECRET: key.repeat(4),
    SIGHTLINE_CONFIG: 'sightline.yaml',
  }
  const file = {
    'sightline.yaml': [
      'signIn:',
      '  oidc: {issuer: "https://login.example.com/realms/acme", clientId: sightline}',
      '  roles: [{claim: groups, value: engineers, role: viewer}]',
    ].join('\n'),
  }

  test('opens the address to others, and allows the public host', () => {
    expect(read(environment, [], file)).toMatchObject({
      host: '0.0.0.0',
      allowedHosts: ['sightline.example.com'],
      signIn: {
        mode: 'oidc',
        sessionMs: 12 * 60 * 60 * 1000,
        oidc: { clientId: 'sightline', scopes: 'openid profile email' },
        roles: { otherwise: undefined },
      },
    })
  })

  test('names all that is missing', () => {
    expect(read({ SIGHTLINE_SIGN_IN: 'oidc' })).toEqual([
      expect.stringContaining("SIGHTLINE_SESSION_SECRET isn't set"),
      expect.stringContaining("SIGHTLINE_PUBLIC_URL isn't set"),
      expect.stringContaining('has no signIn.oidc'),
      expect.stringContaining('Nobody who signs in would have a role'),
    ])
  })

  test.each([
    [
      'issuer: "http://login.example.com", clientId: x',
      'signIn.oidc.issuer must start with https://.',
    ],
    ['issuer: acme, clientId: x', 'signIn.oidc.issuer must be a URL.'],
    [
      'issuer: "https://login.example.com:99999", clientId: x',
      'signIn.oidc.issuer must be a URL with a host, and a port of at most 65535 if any.',
    ],
    ['issuer: "https://a.example"', 'signIn.oidc.clientId is missing.'],
    [
      'issuer: "https://a.example", clientId: x, scopes: profile',
      'signIn.oidc.scopes must include openid.',
    ],
    ['issuer: "https://a.example", clientId: x, secret: y', 'signIn.oidc.secret is unknown.'],
  ])('with oidc: {%s}: %s', (entries, sentence) => {
    const text = `signIn: {oidc: {${entries}}, roles: [{claim: a, value: b, role: viewer}]}`
    expect(JSON.stringify(read(environment, [], { 'sightline.yaml': text }))).toContain(sentence)
  })
})

describe('the configuration file', () => {
  const file = { 'sightline.yaml': 'savedQueries: [{name: Failed, query: "buildOutcome:failed"}]' }
  const savedQueries = [{ name: 'Failed', query: 'buildOutcome:failed' }]

  test('gives saved queries, by variable or flag', () => {
    expect(read({}, [], {})).toMatchObject({ shared: { savedQueries: [] } })
    expect(read({ SIGHTLINE_CONFIG: 'sightline.yaml' }, [], file)).toMatchObject({
      shared: { savedQueries },
    })
    expect(read({}, ['--config', 'sightline.yaml'], file)).toMatchObject({
      shared: { savedQueries },
    })
  })

  test('that does not exist is an error', () => {
    expect(read({ SIGHTLINE_CONFIG: 'gone.yaml' })).toEqual([
      "SIGHTLINE_CONFIG: can't read gone.yaml (ENOENT).",
    ])
  })

  test('has its errors reported with all others', () => {
    const wrong = { 'a.yaml': 'savedQueries: [{name: A, query: "projct:a"}]\nx: 1' }
    const environment = { SIGHTLINE_CONFIG: 'a.yaml', SIGHTLINE_HOST: '0.0.0.0' }
    expect(read(environment, [], wrong)).toHaveLength(3)
    expect(read({ ...environment, SIGHTLINE_PORT: 'x' }, [], wrong)).toEqual([
      expect.stringContaining('SIGHTLINE_PORT'),
      expect.stringContaining('a.yaml line 1: savedQueries[0].query: Unknown field projct.'),
      expect.stringContaining('a.yaml line 2: x is unknown.'),
    ])
  })
})

describe('the accounts and faults of the embedded services', () => {
  const accounts = (permissions: string) =>
    `accounts: [{user: a, password: ${key}, permissions: ${permissions}}]`
  const given = { SIGHTLINE_EMBEDDED_ACCOUNTS: 'a.yaml' }

  test('are read with all else, and not printed', () => {
    const config = read({ ...given, SIGHTLINE_EMBEDDED_FAULTS: 'status=503x3@/api' }, [], {
      'a.yaml': accounts('all'),
    })
    const faults = [{ kind: 'status', status: 503, times: 3, prefix: '/api' }]
    expect(config).toMatchObject({ embedded: { faults } })
    expect('embedded' in config && config.embedded.accounts().credentials).toMatchObject([
      { user: 'a' },
    ])
    expect(inspect(config, { depth: 9, showHidden: true })).not.toContain(key)
  })

  test('have their mistakes reported with all others, unknown permissions and faults by name', () => {
    expect(read({ ...given, SIGHTLINE_HOST: '0.0.0.0' })).toEqual([
      expect.stringContaining('without signing in'),
      "SIGHTLINE_EMBEDDED_ACCOUNTS: can't read a.yaml (ENOENT).",
    ])
    const mistakes = read(given, [], { 'a.yaml': accounts('[exportData, fly]') })
    expect(mistakes).toEqual([
      'SIGHTLINE_EMBEDDED_ACCOUNTS (a.yaml): accounts[0].permissions: must be all, or a list of exportData, accessBuildDataViaApi, publishScan, readCache, writeCache, accessDataWithoutAssociatedProject, administerGe, not fly.',
    ])
    expect(read({ SIGHTLINE_EMBEDDED_FAULTS: 'fly, status=200' })).toEqual([
      'SIGHTLINE_EMBEDDED_FAULTS: fly: unknown fault. Use cut-after, status, silence or slow. status=200: status needs an HTTP status from 400 to 599, such as status=503.',
    ])
  })
})

describe('errors', () => {
  test.each<[string, Record<string, string>, string[], RegExp]>([
    [
      'a port that is no number',
      { SIGHTLINE_PORT: 'http' },
      [],
      /SIGHTLINE_PORT is "http" but must be a whole number/,
    ],
    ['a port out of range', { SIGHTLINE_PORT: '70000' }, [], /from 0 to 65535/],
    [
      'a misspelt variable',
      { SIGHTLINE_BUILD_URL: 'x' },
      [],
      /Did you mean SIGHTLINE_BUILD_DATA_URL\?/,
    ],
    ['two words as one', { SIGHTLINE_BUILDDATA_URL: 'x' }, [], /mean SIGHTLINE_BUILD_DATA_URL\?/],
    ['swapped letters', { SIGHTLINE_SINGIN: 'x' }, [], /mean SIGHTLINE_SIGN_IN\?/],
    ['swapped letters of a short name', { SIGHTLINE_PROT: '1' }, [], /mean SIGHTLINE_PORT\?/],
    ['a misspelt flag', {}, ['--prot', '1'], /--prot isn't a setting. Did you mean --port\?/],
    ['an unknown flag', {}, ['--colour', 'red'], /--colour isn't a setting/],
    [
      'an address in place of a host name',
      { SIGHTLINE_ALLOWED_HOSTS: 'a.example.com, https://b.example.com/' },
      [],
      /SIGHTLINE_ALLOWED_HOSTS is "a.example.com, https:\/\/b.example.com\/" but must be comma-separated host names/,
    ],
    ['a flag without a value', {}, ['--port'], /--port needs a value/],
    ['a flag given twice', {}, ['--port', '1', '--port=2'], /--port may be given only once/],
    [
      'a value and its file',
      { SIGHTLINE_PORT: '1', SIGHTLINE_PORT_FILE: 'port' },
      [],
      /^\["Set SIGHTLINE_PORT or SIGHTLINE_PORT_FILE, not both."\]$/,
    ],
    [
      'a flag and that of its file',
      {},
      ['--port', '1', '--port-file', 'port'],
      /"Set --port or --port-file, not both."/,
    ],
    [
      'what Kubernetes sets for a Service',
      {
        SIGHTLINE_SERVICE_HOST: '10.0.0.1',
        SIGHTLINE_SERVICE_PORT_HTTP: '80',
        SIGHTLINE_REDIS_PORT_80_TCP_ADDR: '10.0.0.1',
      },
      [],
      /SIGHTLINE_SERVICE_HOST and its like come from Kubernetes, for a Service. Set enableServiceLinks: false/,
    ],
    [
      'a URL to listen on',
      { SIGHTLINE_HOST: 'http://127.0.0.1' },
      [],
      /SIGHTLINE_HOST is "http:\/\/127.0.0.1" but must be an IP address or a host name, without http/,
    ],
    [
      'an address with a port to listen on',
      { SIGHTLINE_HOST: '127.0.0.1:8080' },
      [],
      /without http:\/\/ and port/,
    ],
    ['a secret as a flag', {}, ['--build-data-access-key', key], /--build-data-access-key-file/],
    [
      'a file that is not there',
      { SIGHTLINE_SESSION_SECRET_FILE: 'gone' },
      [],
      /can't read .*gone \(ENOENT\)/,
    ],
    [
      'an address with a password',
      { SIGHTLINE_BUILD_DATA_URL: `https://u:${key}@x.example.com` },
      [],
      /a URL without a user name and password, which/,
    ],
    [
      'an address of another kind',
      { SIGHTLINE_BUILD_DATA_URL: 'ftp://x.example.com' },
      [],
      /starts with https:\/\//,
    ],
    ...(
      [
        ['BUILD_DATA_URL', `https://x.example:99999`],
        ['GOVERNOR_URL', 'HTTPS://x.example:x'],
        ['PUBLIC_URL', 'https://:443'],
        ['WEBHOOK_URL', `https://hooks.example:65536/${key}`],
      ] as const
    ).map(([name, url]): [string, Record<string, string>, string[], RegExp] => [
      `a port that is none in SIGHTLINE_${name}`,
      { [`SIGHTLINE_${name}`]: url },
      [],
      new RegExp(
        `SIGHTLINE_${name} .*must be a URL with a host, and a port of at most 65535 if any\\.`,
      ),
    ]),
    [
      'plain http to another machine',
      { SIGHTLINE_BUILD_DATA_URL: 'http://x.example.com' },
      [],
      /SIGHTLINE_ALLOW_PLAIN_HTTP=on/,
    ],
    ['no sign-in on an open host', { SIGHTLINE_HOST: '0.0.0.0' }, [], /without signing in/],
    [
      'a public URL that others could read along',
      { SIGHTLINE_PUBLIC_URL: 'http://sightline.example.com' },
      [],
      /SIGHTLINE_PUBLIC_URL .* must be a URL that starts with https:\/\/ \(http:\/\/ only for localhost\)\./,
    ],
    [
      'a public URL below a path',
      { SIGHTLINE_PUBLIC_URL: 'https://example.com/sightline' },
      [],
      /without a path/,
    ],
    [
      'a client secret that nothing uses',
      { SIGHTLINE_OIDC_CLIENT_SECRET: key },
      [],
      /Set SIGHTLINE_SIGN_IN=oidc to use it/,
    ],
    [
      'two credentials for one server',
      {
        SIGHTLINE_BUILD_DATA_URL: 'https://x.example.com',
        SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
        SIGHTLINE_BUILD_DATA_BASIC: `a:${key}`,
      },
      [],
      /not both/,
    ],
    [
      'a credential without its server',
      { SIGHTLINE_GOVERNOR_BEARER: key },
      [],
      /SIGHTLINE_GOVERNOR_URL isn't/,
    ],
    ...[
      `mysql://u:${key}@x.example/live`,
      `postgres://u:${key}@x.example`,
      `redis://u:${key}@x.example/live`,
      `redis://`,
      'Memory',
    ].map((url): [string, Record<string, string>, string[], RegExp] => [
      `no place of a live log (${url.slice(0, 12)}…)`,
      { SIGHTLINE_LIVE_LOG_URL: url },
      [],
      /SIGHTLINE_LIVE_LOG_URL must be memory, or a URL such as/,
    ]),
    ...(
      [
        ['DATABASE_URL', 'postgres://u:12/key@x.example:5432/sightline'],
        ['DATABASE_URL', 'postgresql://u:key@12#34@x.example/sightline'],
        ['DATABASE_URL', 'postgres://u:12?key@x.example/sightline'],
        ['LIVE_LOG_URL', 'postgres://u:12/key@x.example/live'],
        ['LIVE_LOG_URL', 'redis://u:12?key@x.example'],
        ['LIVE_LOG_URL', 'redis://u:key#x@x.example'],
        ['LIVE_LOG_URL', 'redis://:key/x@x.example:6379/0'],
        ['LIVE_LOG_URL', 'rediss://u:key%@x.example'],
        ['LIVE_LOG_URL', 'redis://x.example:99999'],
        ['SMTP_URL', 'smtp://u:12/key@mail.example'],
        ['SMTP_URL', 'smtp://u:key@mail.example:x'],
        ['SMTP_URL', 'smtps://u:12#key@mail.example:465'],
        ['SMTP_URL', 'smtps://u:key%@mail.example:465'],
      ] as const
    ).map(([name, url]): [string, Record<string, string>, string[], RegExp] => [
      `a password with a character that ends it (SIGHTLINE_${name}=${url})`,
      { [`SIGHTLINE_${name}`]: url.replace('key', key) },
      [],
      /must be a URL with a host, a port of at most 65535 if any, and #, %, \/ and \? in its password written as %23, %25, %2F and %3F/,
    ]),
    ['a short session secret', { SIGHTLINE_SESSION_SECRET: key }, [], /at least 32 characters/],
    [
      'a secret of the reverse proxy with spaces',
      { SIGHTLINE_SIGN_IN: 'header', SIGHTLINE_HEADER_SECRET: `${key} ${key.repeat(4)}` },
      [],
      /without spaces/,
    ],
  ])('%s', (_what, environment, flags, sentence) => {
    const mistakes = read(environment, flags)
    expect(mistakes).toHaveLength(1)
    expect(JSON.stringify(mistakes).replaceAll('\\"', '"')).toMatch(sentence)
    expect(JSON.stringify(mistakes)).not.toContain(key)
  })

  test('are all reported at once', () => {
    const mistakes = read({ SIGHTLINE_PORT: 'x', SIGHTLINE_LOG_LEVEL: 'loud', SIGHTLINE_NOPE: '1' })
    expect(mistakes).toHaveLength(3)
  })
})
