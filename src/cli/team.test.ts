import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../protocol/manual-clock.test-support.ts'
import { startApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { exportDisk } from './export/export-output.ts'
import { run } from './run.ts'
import { fetchWhole } from './server-request.ts'

// What an administrator does on the command line, and a pipeline with what comes of it.

const now = Date.UTC(2026, 10, 20, 9, 30)
const sha256 = 'ab'.repeat(32)

async function shell(
  words: readonly string[],
  {
    environment = {},
    files = {},
  }: {
    environment?: Record<string, string>
    files?: Record<string, string>
  } = {},
): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const code = await run({
    words,
    environment,
    readFile: (path) => {
      const text = files[path]
      if (text === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' })
      return text
    },
    appendFile: () => undefined,
    openReport: () => {
      throw new Error('no report is written')
    },
    fetch: fetchWhole,
    clock: createManualClock(now),
    random: Math.random,
    print: (text) => (out += text),
    printAll: () => Promise.resolve(true),
    disk: exportDisk,
    log: (line) => (err += `${line}\n`),
    isColourTerminal: false,
    signal: new AbortController().signal,
    version: '1.2.3',
  })
  return { code, out, err }
}

test('a token that was made works with the lines that were printed, for scripts with its role', async () => {
  const made = await shell(['token', 'create', '--name', 'ci', '--role=viewer', '--expires', '90d'])
  expect(made.code).toBe(0)
  const token = made.out.trim()
  expect(token).toMatch(/^slt_[\w-]{43}$/)
  expect(made.err).not.toContain(token)
  expect(made.err).toContain('expires: 2027-02-18T09:30:00Z')
  expect(
    (await shell(['token', 'create', '--name=ci', '--role=viewer', '--expires=1d'])).out,
  ).not.toBe(made.out)

  const yaml = made.err.slice(made.err.indexOf('users:'))
  const read = readConfig({
    environment: {
      SIGHTLINE_PORT: '0',
      SIGHTLINE_DATABASE_URL: 'memory:',
      SIGHTLINE_SIGN_IN: 'tokens',
      SIGHTLINE_SESSION_SECRET: 's'.repeat(32),
      SIGHTLINE_CONFIG: 'sightline.yaml',
      SIGHTLINE_BUILD_DATA_URL: 'http://127.0.0.1:9',
    },
    flags: [],
    readFile: () => yaml,
  })
  if (!read.ok) throw new Error(read.mistakes.join('\n'))
  const staticRoot = mkdtempSync(join(tmpdir(), 'sightline-team-'))
  writeFileSync(join(staticRoot, 'index.html'), '')
  const app = await startApp({
    config: read.config,
    clock: createManualClock(now),
    random: Math.random,
    logger: pino({ level: 'silent' }),
    version: '0.0.0',
    staticRoot,
  })
  onTestFinished(async () => {
    await app.close()
    rmSync(staticRoot, { recursive: true })
  })
  const scan = ['scan', `pkg:npm/ui@1?checksum=sha256:${sha256}&repository_url=r.example/x`]
  const gate = [...scan, '--scan', 'release', '--server', app.url]
  const without = await shell(gate)
  expect([without.code, without.err]).toEqual([3, expect.stringContaining('Set SIGHTLINE_TOKEN')])
  const viewer = await shell(gate, { environment: { SIGHTLINE_TOKEN: token } })
  expect([viewer.code, viewer.err]).toEqual([
    3,
    expect.stringContaining('Requires the role releaser or admin. Your role is viewer.'),
  ])
  const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
  const unknown = await shell(gate, { environment: { SIGHTLINE_TOKEN: other } })
  expect(unknown.err).toContain('rejects the access token in SIGHTLINE_TOKEN')
  expect(unknown.err).not.toContain(other)
})

describe('a token that would be', () => {
  test.each([
    ['of nobody', ['--role=viewer', '--expires=1d'], 'Missing --name'],
    ['for no role', ['--name=a', '--expires=1d'], 'Set --role to one of: viewer, releaser, admin.'],
    ['for a screen', ['--name=a', '--role=screen', '--expires=1d'], 'Set --role to one of'],
    ['valid for ever', ['--name=a', '--role=viewer'], 'Set --expires to how long'],
    ['valid for two years', ['--name=a', '--role=viewer', '--expires=731d'], 'at most a year'],
    ['valid for no time', ['--name=a', '--role=viewer', '--expires=0d'], 'Set --expires'],
    [
      'evaluated',
      ['--name=a', '--role=viewer', '--expires=1d', '--scan=x'],
      "--scan can't be used",
    ],
  ])('%s is not made', async (_, words, mistake) => {
    const { code, out, err } = await shell(['token', 'create', ...words])
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(mistake)])
  })
})

const config = `signIn:
  roles:
    - {claim: groups, value: engineers, role: viewer}
    - {claim: realm.roles, value: release, role: releaser, limits: {packages: ["maven/com.acme/*"]}}
    - {claim: groups, value: payments, role: releaser, limits: {packages: ["maven/pay/*"]}}
`

describe('the role that claims would give', () => {
  test.each([
    [
      { groups: ['engineers'], realm: { roles: ['release'] } },
      0,
      'Role: releaser (realm.roles contains “release”: releaser)\nLimited to packages: maven/com.acme/*',
    ],
    [
      { groups: ['payments'], realm: { roles: ['release'] } },
      0,
      'releaser; groups contains “payments”: releaser)\nLimited to packages: maven/com.acme/*, maven/pay/*',
    ],
    [{ groups: 'engineers' }, 0, 'Role: viewer (groups contains “engineers”: viewer)'],
    [{ groups: ['Engineers'] }, 1, "viewer – doesn't match (received Engineers)"],
    [{}, 1, 'No rule matches, and signIn.everyoneElse is not set: sign-in is refused.'],
  ])('%j', async (claims, code, text) => {
    // An editor of Windows begins a file with a mark.
    const files = { 'c.json': `\uFEFF${JSON.stringify(claims)}`, 's.yaml': `\uFEFF${config}` }
    const explained = await shell(
      ['roles', 'explain', '--claims', 'c.json', '--config', 's.yaml'],
      {
        files,
      },
    )
    expect([explained.code, explained.out]).toEqual([code, expect.stringContaining(text)])
  })

  test.each([
    [['--claims', 'c.json'], {}, 'Missing --config'],
    [['--config', 's.yaml'], {}, 'Missing --claims'],
    [['--claims=c.json', '--config=s.yaml'], { 's.yaml': config }, "Can't read c.json (ENOENT)."],
    [
      ['--claims=c.json', '--config=s.yaml'],
      { 'c.json': '[]', 's.yaml': 'signIn: {roles: [{claim: 1}]}' },
      "s.yaml isn't what is expected at signIn.roles.0.claim.",
    ],
    ...['relaser', 'screen'].map((role): [string[], Record<string, string>, string] => [
      ['--claims=c.json', '--config=s.yaml'],
      { 'c.json': '{}', 's.yaml': config.replace('releaser', role) },
      `s.yaml must say viewer, releaser or admin, not “${role}”, at signIn.roles.1.role.`,
    ]),
    [
      ['--claims=c.json', '--config=s.yaml'],
      { 'c.json': 'groups: [a]', 's.yaml': config },
      "c.json isn't valid JSON.",
    ],
    [['--claims=c.json', '--role=x'], {}, "--role can't be used with roles explain."],
  ])('is not explained for %j', async (words, files, mistake) => {
    const { code, err } = await shell(['roles', 'explain', ...words], { files })
    expect([code, err]).toEqual([2, expect.stringContaining(mistake)])
  })

  test('follows the file of the environment', async () => {
    const files = { 'c.json': '{"groups":["engineers"]}', 's.yaml': config }
    const environment = { SIGHTLINE_CONFIG: 's.yaml' }
    const { code } = await shell(['roles', 'explain', '--claims', 'c.json'], { files, environment })
    expect(code).toBe(0)
  })
})
