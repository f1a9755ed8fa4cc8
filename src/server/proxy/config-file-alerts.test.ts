import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { webhookMistake } from './alerts/alert-tile.ts'
import { readConfigFile } from './config-file.ts'

const walls = `walls:
  - name: main
    tiles: [{ title: checkout, query: "project:checkout" }]
`
const alerts = `alerts:
  walls: [main]
  redFor: [0, 60]
  webhookHosts: [hooks.example.com]
`

test('alerts are read, and stay out of what everybody is offered', () => {
  const read = readConfigFile('f', walls + alerts)
  expect(read).toMatchObject({
    ok: true,
    alerts: {
      walls: ['main'],
      redFor: [0, 60],
      recovered: true,
      webhookHosts: ['hooks.example.com'],
    },
  })
  expect(JSON.stringify(read.ok && read.shared)).not.toContain('hooks.example.com')
})

test.each([
  ['walls: [empty]', { walls: ['empty'], everyProject: false }],
  ['everyProject: true', { walls: [], everyProject: true }],
])('every project is watched by “%s”', (line, rules) => {
  const text = `${walls}  - name: empty\n${alerts.replace('walls: [main]', line)}`
  expect(readConfigFile('f', text)).toMatchObject({ ok: true, alerts: rules })
})

test('a wall that is saved in the browser is named by “saved:”, whether or not it is there', () => {
  const text = alerts.replace('[main]', '[main, saved:release]')
  const route = '  routes: [{ name: a, walls: [saved:night], webhook: { env: HOOK } }]\n'
  expect(
    readConfigFile('f', walls + text + route, undefined, {
      HOOK: 'https://hooks.example.com/x',
    }),
  ).toMatchObject({
    ok: true,
    alerts: { walls: ['main', 'release'], routes: [{ name: 'a', walls: ['night'] }] },
  })
  const wrong = readConfigFile('f', walls + alerts.replace('[main]', '["saved:a b"]'))
  expect(wrong.ok ? [] : wrong.mistakes).toEqual([
    'f line 5: alerts.walls[0]: walls has no entry named “saved:a b”.',
  ])
})

test.each(['redFor: [0]', 'everyProject: false'])('“%s” alone watches nothing', (line) => {
  const read = readConfigFile('f', `${walls}alerts:\n  ${line}\n  webhookHosts: [a.example]\n`)
  expect(read.ok ? [] : read.mistakes).toEqual([
    'f line 4: alerts watches nothing. Add walls, or set everyProject: true.',
  ])
})

test.each([
  ['walls: [mian]', 'f line 5: alerts.walls[0]: walls has no entry named “mian”.'],
  ['walls: []', 'f line 5: alerts.walls has no walls.'],
  ['everyProject: yes please', 'f line 5: alerts.everyProject must be true or false.'],
  ['redFor: [soon]', 'f line 5: alerts.redFor[0] must be a whole number from 0 to 10080.'],
  ['webhookHost: [a]', 'f line 5: alerts.webhookHost is unknown. Did you mean webhookHosts?'],
  ['dashboard: ftp://x', 'f line 5: alerts.dashboard must be a URL that starts with https://.'],
  [
    'dashboard: https://x:99999',
    'f line 5: alerts.dashboard must be a URL with a host, and a port of at most 65535 if any.',
  ],
])('the error in “%s” is reported', (line, sentence) => {
  const rest = ['walls: [main]', 'webhookHosts: [hooks.example.com]'].filter(
    (other) => other.split(':')[0] !== line.split(':')[0],
  )
  const read = readConfigFile('f', `${walls}alerts:\n  ${[line, ...rest].join('\n  ')}\n`)
  expect(read.ok ? [] : read.mistakes).toContain(sentence)
})

test.each([
  ['https://hooks.example.com/x', undefined],
  ['https://hooks.example.com:8443/x', 'Add it there, with its port: host:8443.'],
  ['https://evil.example/x', "isn't in alerts.webhookHosts"],
  ['https://hooks.example.com.evil.example/x', "isn't in alerts.webhookHosts"],
  ['https://hooks.example.com@evil.example/x', 'user'],
  ['http://hooks.example.com/x', 'https://'],
  ['http://127.0.0.1:9000/x', undefined],
  ['http://127.0.0.1.evil.example:9000/x', 'https://'],
])('the webhook %s is %s', (address, word) => {
  const mistake = webhookMistake(new URL(address), ['hooks.example.com', '127.0.0.1:9000'])
  if (word === undefined) expect(mistake).toBeUndefined()
  else expect(mistake).toContain(word)
  expect(mistake ?? '').not.toContain('/x')
})

describe('the address of the webhook', () => {
  const read = (environment: Record<string, string>, file = '') =>
    readConfig({
      environment: { ...environment, SIGHTLINE_CONFIG: 'f' },
      flags: [],
      readFile: () => file,
    })
  const address = 'https://hooks.example.com/canary'

  test('is a secret, and goes with alerts of the file', () => {
    const config = read({ SIGHTLINE_WEBHOOK_URL: address }, walls + alerts)
    expect(config).toMatchObject({ ok: true, config: { alerts: { rules: { walls: ['main'] } } } })
    expect(JSON.stringify(config)).not.toContain('canary')
  })

  test.each([
    [{}, walls + alerts, "SIGHTLINE_WEBHOOK_URL isn't set. Set the URL"],
    [{ SIGHTLINE_WEBHOOK_URL: address }, walls, 'has no alerts'],
    [{ SIGHTLINE_WEBHOOK_URL: 'https://evil.example/canary' }, walls + alerts, 'webhookHosts'],
    [{ SIGHTLINE_WEBHOOK_URL: 'canary' }, walls + alerts, 'must be a URL'],
  ])(
    'with the environment %j has a mistake that is told without it',
    (environment, file, words) => {
      const config = read(environment, file)
      const told = config.ok ? '' : config.mistakes.join(' ')
      expect(told).toContain(words)
      expect(told).not.toContain('canary')
    },
  )
})

describe('the webhook of a board', () => {
  const boards = (webhook: string): string => `boards:
  - name: shop
    webhook: ${webhook}
    packages: [{ purl: "pkg:oci/app@1", sha256: ${'ab'.repeat(32)}, repositoryUrl: registry.example/shop }]
    scans: [release]
`
  const hosts = 'alerts: { webhookHosts: [hooks.example.com] }\n'
  const address = 'https://hooks.example.com/canary'
  const read = (file: string) =>
    readConfig({
      environment: { SIGHTLINE_CONFIG: 'conf/f', SHOP_HOOK: address },
      flags: [],
      readFile: (path) => (path.endsWith('conf/hook.txt') ? `${address}\n` : file),
    })

  test.each([address, '{ env: SHOP_HOOK }', '{ file: hook.txt }'])(
    'is read from %s, without alerts, and stays out of what everybody is offered',
    (webhook) => {
      const config = read(boards(webhook) + hosts)
      expect(config).toMatchObject({ ok: true, config: { alerts: undefined } })
      if (!config.ok) return
      const [{ board, url } = { board: '', url: undefined }] = config.config.boardWebhooks
      expect([board, url?.reveal()]).toEqual(['shop', address])
      expect(JSON.stringify(config)).not.toContain('canary')
      expect(config.config.shared.boards[0]).not.toHaveProperty('webhook')
    },
  )

  test.each([
    [address, '', "boards[0].webhook is on a host that isn't in alerts.webhookHosts."],
    ['https://evil.example/canary', hosts, "is on a host that isn't in alerts.webhookHosts."],
    ['http://hooks.example.com/canary', hosts, 'boards[0].webhook must start with https://.'],
    ['canary', hosts, 'boards[0].webhook must be a URL.'],
    [
      'https://hooks.example.com:99999/canary',
      hosts,
      'boards[0].webhook must be a URL with a host, and a port of at most 65535 if any.',
    ],
    ['{ env: NONE }', hosts, "boards[0].webhook: the environment variable NONE isn't set."],
    ['{ url: canary }', hosts, 'boards[0].webhook must be a URL, {env: …}'],
    [address, hosts.replace('{ ', '{ redFor: [0], walls: [mian], '), 'walls has no entry named'],
  ])('%s with “%s” has a mistake that is told without it', (webhook, more, words) => {
    const config = read(boards(webhook) + more)
    const mistakes = config.ok ? '' : config.mistakes.join(' ')
    expect(mistakes).toContain(words)
    expect(mistakes).not.toContain('canary')
  })
})

describe('routes of alerts', () => {
  const routes = (...lines: string[]): string =>
    `${walls}alerts:\n  webhookHosts: [hooks.example.com]\n  emailFrom: sightline@example.com\n  routes:\n${lines.map((line) => `    - ${line}\n`).join('')}`
  const address = 'https://hooks.example.com/canary'
  const read = (file: string, environment: Record<string, string> = {}) =>
    readConfig({
      environment: { SIGHTLINE_CONFIG: 'f', TEAM_HOOK: address, ...environment },
      flags: [],
      readFile: () => file,
    })

  test('are read with their secrets apart', () => {
    const config = read(
      routes(
        '{ name: team, walls: [main], webhook: { env: TEAM_HOOK }, shape: teams, digestMinutes: 30 }',
        '{ name: night, projects: [pay*], email: [a@example.com], quietHours: { from: "22:00", to: "07:00", timeZone: Europe/Berlin } }',
      ),
      { SIGHTLINE_SMTP_URL: 'smtps://robot:canary@mail.example.com' },
    )
    expect(config).toMatchObject({
      ok: true,
      config: {
        alerts: {
          rules: {
            emailFrom: 'sightline@example.com',
            routes: [
              { name: 'team', walls: ['main'], shape: 'teams', email: [], digestMinutes: 30 },
              {
                ...{ name: 'night', projects: ['pay*'], shape: 'slack', email: ['a@example.com'] },
                quiet: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' },
              },
            ],
          },
        },
      },
    })
    expect(config.ok && config.config.alerts?.routeUrls.team?.reveal()).toBe(address)
    expect(JSON.stringify(config)).not.toContain('canary')
  })

  test.each([
    ['{ name: a, walls: [mian], webhook: { env: TEAM_HOOK } }', 'walls has no entry named “mian”'],
    ['{ name: a, walls: [main], webhook: { env: NONE } }', "NONE isn't set"],
    ['{ name: a, walls: [main], webhook: "https://evil.example/canary" }', 'webhookHosts'],
    ['{ name: a, walls: [main] }', 'must have either a webhook or email'],
    ['{ name: a, walls: [main], email: [nobody] }', 'must be an email address'],
    ['{ name: a, walls: [main], email: [a@example.com] }', "SIGHTLINE_SMTP_URL isn't set"],
    [
      '{ name: a, walls: [main], webhook: { env: TEAM_HOOK }, shape: discord }',
      'slack, teams, json',
    ],
    [
      '{ name: a, walls: [main], webhook: { env: TEAM_HOOK }, quietHours: { from: "25:00", to: "07:00" } }',
      'must be a time such as',
    ],
    [
      '{ name: a, walls: [main], webhook: { env: TEAM_HOOK }, quietHours: { from: "22:00" } }',
      'must have from and to, or days',
    ],
    [
      '{ name: a, walls: [main], webhook: { env: TEAM_HOOK }, quietHours: { from: "22:00", to: "22:00" } }',
      'alerts.routes[0].quietHours.to is the same time as from. For whole days, use days.',
    ],
    [
      '{ name: a, walls: [main], webhook: { env: TEAM_HOOK }, quietHours: { days: [mon, tue, wed, thu, fri, sat, sun] } }',
      'alerts.routes[0].quietHours.days is every day',
    ],
    [
      '{ name: a, walls: [main], webhook: { env: TEAM_HOOK }, quietHours: { days: [sat], timeZone: Berlin/Europe } }',
      'must be a time zone',
    ],
    [
      '{ name: a, walls: [main], webhook: { env: TEAM_HOOK }, quietHours: { dayz: [sat] } }',
      'Did you mean days?',
    ],
    ['{ name: a, walls: [main], webhok: { env: TEAM_HOOK } }', 'Did you mean webhook?'],
  ])('have the mistake of “%s” reported, without the address', (line, words) => {
    const config = read(routes(line))
    const mistakes = config.ok ? '' : config.mistakes.join(' ')
    expect(mistakes).toContain(words)
    expect(mistakes).not.toContain('canary')
  })

  test('have names of their own, and mail needs a sender', () => {
    const twice = '{ name: a, walls: [main], webhook: { env: TEAM_HOOK } }'
    const config = read(routes(twice, twice))
    expect(config.ok ? [] : config.mistakes).toEqual([
      'f line 9: alerts.routes[1].name: another route is named “a”.',
    ])
    const mail = routes('{ name: a, walls: [main], email: [a@example.com] }')
    const unsigned = read(mail.replace('  emailFrom: sightline@example.com\n', ''), {
      SIGHTLINE_SMTP_URL: 'smtp://127.0.0.1:25',
    })
    expect(unsigned.ok ? '' : unsigned.mistakes.join()).toContain('needs alerts.emailFrom')
  })
})
