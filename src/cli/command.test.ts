import { expect, test } from 'vitest'
import { createManualClock } from '../protocol/manual-clock.test-support.ts'
import { durationWords, readDuration } from './duration.ts'
import { readCommand } from './command.ts'
import { helpText } from './options.ts'

const sha256 = 'ab'.repeat(32)
const service = { SIGHTLINE_GOVERNOR_URL: 'https://scans.example.com/governor/' }

function command(words: readonly string[], environment: Record<string, string> = service) {
  return readCommand({
    words,
    environment,
    clock: createManualClock(0),
    readFile: (path) => {
      if (path === 'there') return 'robot:pass:word\n'
      if (path === 'marked') return '\uFEFFrobot:pass:word\r\n'
      if (path === 'empty') return '\n'
      throw Object.assign(new Error('no'), { code: 'ENOENT' })
    },
  })
}

function mistakesOf(
  words: readonly string[],
  environment?: Record<string, string>,
): readonly string[] {
  const read = command(words, environment)
  return read.is === 'invalid' ? read.mistakes : []
}

test.each([
  ['an image', [`registry.example.com/shop/checkout:2.4.0@sha256:${sha256}`, '--scan', 'release']],
  [
    'the address of a page',
    [
      `https://sightline.example.com/packages/oci/checkout/2.4.0/policy-scans/release?sha256=${sha256}&repository=registry.example.com/shop`,
    ],
  ],
  [
    'a package URL and options',
    [
      'pkg:oci/checkout@2.4.0',
      '--scan=release',
      `--sha256=sha256:${sha256.toUpperCase()}`,
      '--repository-url',
      'registry.example.com/shop',
    ],
  ],
])('%s is read', (_, words) => {
  expect(command(['scan', ...words])).toMatchObject({
    is: 'scan',
    scan: {
      what: {
        is: 'package',
        subject: {
          purl: 'pkg:oci/checkout@2.4.0',
          scan: 'release',
          sha256,
          repositoryUrl: 'registry.example.com/shop',
        },
      },
      format: 'text',
      waitMs: 0,
      timeoutMs: 300_000,
    },
  })
})

const package_ = [
  `pkg:oci/a@1?checksum=sha256:${sha256}&repository_url=r.example.com/x`,
  '--scan=x',
]

test.each([
  [['pkg:oci/a@1'], 'Missing command before the package. Use:'],
  [['publish'], 'Unknown command “publish”. Commands: scan, build, export, token create,'],
  [['token'], 'Unknown command “token”. Commands: scan, build, export, token create,'],
  [['roles', 'list'], 'Unknown command “roles list”. Commands:'],
  [['scan', ...package_, 'pkg:oci/b@1'], 'Only one package at a time: unexpected'],
  [
    ['scan', ...package_, '--sha256', 'cd'.repeat(32)],
    'differs from the digest in the package. Remove',
  ],
  [['scan', ...package_, '--scan', 'y'], '--scan may be given only once.'],
  [['scan', ...package_, '--accept-waivers'], '--accept-waivers needs a Sightline server'],
  [['scan', ...package_, '--accept-waivers=no'], '--accept-waivers takes no value.'],
  [['scan', ...package_, '--output'], '--output needs a value'],
  [['scan', ...package_, '--timeout=0s'], '--timeout must be greater than zero.'],
  [['scan', ...package_, '--timeout=30d'], '--timeout is “30d”, but must be at most 24 days.'],
  [['export', '--since=7d', '--timeout=30d'], '--timeout is “30d”, but must be at most 24 days.'],
  [['export', '--since=7d', '--wait=600h'], '--wait is “600h”, but must be at most 24 days.'],
  [['scan', ...package_, '--wait=600h'], '--wait is “600h”, but must be at most 24 days.'],
  [
    ['scan', '--board', 'b', '--server', 'https://s.example.com', '--sha256', sha256],
    "--sha256 can't be combined with --board",
  ],
  [
    ['scan', ...package_, '--server', 'https://u:hunter2@s.example.com'],
    '--server must be a URL without a user name and password',
  ],
  [['scan', ...package_, '--token=hunter2'], '--token would reveal a credential'],
  [['scan', ...package_, '-u', 'robot:hunter2'], '-u would reveal a credential'],
  [['scan', ...package_, '--governor-url', 'https://s.example.com'], 'Set SIGHTLINE_GOVERNOR_URL'],
  [['export', '--schema=json', '--output=f'], "--output can't be used with --schema"],
])('%j is wrong, and it is said how, without a secret', (words, part) => {
  const said = mistakesOf(words).join('\n')
  expect(said).toContain(part)
  expect(said).not.toContain('hunter2')
})

test.each([
  [['scan', 'pkg:oci/x', '--version', '2.4.0', '--scan', 'bad'], 'pkg:oci/checkout@2.4.0'],
  [['scan', ...package_, '-V'], "A package's version belongs in its package URL"],
  [['--version', '2.4.0'], 'takes no command'],
  [['-h', 'host'], 'Unknown command “host”'],
  [['--foo', '--help'], "--foo isn't an option"],
  [['help', '--foo'], "--foo isn't an option"],
  [['scan', ...package_, '--require-applicable', ' , '], '--require-applicable names no policy'],
])('%j is a mistake, never a success', (words, part) => {
  expect(mistakesOf(words).join('\n')).toContain(part)
})

test.each([
  [['--help'], undefined],
  [['-h'], undefined],
  [['help'], undefined],
  [['help', 'scan'], 'scan'],
  [['scan', ...package_, '-h'], 'scan'],
  [['token', '--help'], 'token create'],
  [['help', 'token', 'create'], 'token create'],
])('%j shows the help, of the command that it names', (words, of) => {
  expect(command(words)).toEqual({ is: 'help', of })
})

test('the help of a command has what is said of it, and nothing of another one', () => {
  const text = helpText('token create')
  expect(text).toMatch(/^Makes an access token, and the lines for the configuration file\.\n/)
  expect(text).toContain('  sightline token create --name <name>')
  expect(text).toMatch(/--expires <duration> {2}how long it is valid/)
  expect(text).not.toMatch(/scan|export|SIGHTLINE_GOVERNOR/)
  expect(helpText('roles explain')).toMatch(/\n\nExit codes:\n {2}0 {2}the claims give a role\n/)
})

test.each([[['publish', '--scan=x']], [['pkg:oci/a@1']], [[]]])(
  '%j has no command, and its error names nothing that only some commands need',
  (words) => {
    expect(mistakesOf(words)).toHaveLength(1)
  },
)

test.each([[['--version']], [['-V']]])('%j shows the version', (words) => {
  expect(command(words)).toEqual({ is: 'version' })
})

test.each([[['export', '--since']], [['scan', '--scan']], [['build', '--format']]])(
  '%j lacks a value, and nothing else is said of it',
  (words) => {
    const [mistake, ...more] = mistakesOf(words)
    expect(mistake).toContain(`${words[1]} needs a value: `)
    expect(mistake).not.toContain('export:')
    expect(more).toEqual([])
  },
)

test.each<[Record<string, string>, string]>([
  [{}, 'No server is configured. Set'],
  [{ SIGHTLINE_GOVERNOR_URL: 'ftp://x' }, 'must be a URL that starts with https://'],
  [{ SIGHTLINE_URL: 'https://x:99999' }, 'must be a URL with a host, and a port of at most 65535'],
  [{ ...service, SIGHTLINE_GOVERNOR_BASIC: 'hunter2' }, 'user:password'],
  [{ ...service, SIGHTLINE_GOVERNOR_BEARER: 'hunter2\nx' }, 'without spaces or line breaks.'],
  [
    { ...service, SIGHTLINE_GOVERNOR_BEARER: 'hunter2', SIGHTLINE_GOVERNOR_BASIC: 'a:hunter2' },
    'not both',
  ],
  [
    { ...service, SIGHTLINE_GOVERNOR_BEARER: 'hunter2', SIGHTLINE_GOVERNOR_BEARER_FILE: 'there' },
    'not both',
  ],
  [{ ...service, SIGHTLINE_GOVERNOR_BEARER_FILE: 'gone' }, "can't read the file (ENOENT)"],
  [
    { ...service, SIGHTLINE_GOVERNOR_BEARER_FILE: 'empty' },
    'SIGHTLINE_GOVERNOR_BEARER_FILE: the file is empty.',
  ],
  [
    { SIGHTLINE_GOVERNOR_URL: 'http://10.0.0.1', SIGHTLINE_GOVERNOR_BEARER: 'hunter2' },
    'credential. Use https://',
  ],
])('the environment %j is wrong, and it is said how, without a secret', (environment, part) => {
  const said = mistakesOf(['scan', ...package_], environment).join('\n')
  expect(said).toContain(part)
  expect(said).not.toContain('hunter2')
})

test.each([
  ['a credential from a file is shown to this machine over http as well', 'there'],
  ['a credential is what an editor of Windows wrote, without its mark', 'marked'],
])('%s', (_, file) => {
  const environment = {
    SIGHTLINE_GOVERNOR_URL: 'http://[::1]:8090',
    SIGHTLINE_GOVERNOR_BASIC_FILE: file,
  }
  expect(command(['scan', ...package_], environment)).toMatchObject({
    scan: { connection: { credential: { authorization: `Basic ${btoa('robot:pass:word')}` } } },
  })
})

test.each([
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['250ms', 250],
  ['1.0004s', 1000],
  ['0s', 0],
  ['10', undefined],
  ['-5s', undefined],
  ['5 m', undefined],
  ['', undefined],
])('%j is %s ms', (text, ms) => {
  expect(readDuration(text)).toBe(ms)
})

test.each([
  [400, '1 s'],
  [59_000, '59 s'],
  [60_000, '1 min'],
  [90_000, '1 min 30 s'],
  [5_400_000, '1 h 30 min'],
])('%d ms are "%s"', (ms, words) => {
  expect(durationWords(ms)).toBe(words)
})

test.each([
  ['words', Array.from({ length: 400_000 }, () => '--')],
  ['switches in a word', [`-${'h'.repeat(400_000)}`]],
])('more %s than anyone writes are refused, not a crash', (_, words) => {
  expect(mistakesOf(['scan', ...words])).toContain(
    'The arguments have more than 50,000 characters.',
  )
})
