import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { realClock } from '../server/real-clock.test-support.ts'
import { exportDisk } from './export/export-output.ts'
import { openReportFile } from './report-file.ts'
import { run } from './run.ts'
import {
  type Answering,
  sendArray,
  sendProblem,
  type SpecServer,
  specResult,
  startSpecServer,
} from './spec-server.test-support.ts'
import { fetchWhole } from './server-request.ts'

// The built tool in a process of its own, against a server of docs/services.md#policy-service and
// nothing else. Where a table goes through what may be answered or wanted, the same command runs here:
// each way in which a process ends has a case of its own.

let folder = ''
let server: SpecServer | undefined

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sightline-cli-'))
  const outDir = join(folder, 'built')
  await build({ mode: 'cli', logLevel: 'error', build: { outDir } })
  // As it stands in a package: Node reads it as a module.
  writeFileSync(join(outDir, 'package.json'), '{"type": "module"}')
})
afterEach(async () => {
  await server?.stop()
  server = undefined
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const sha256 = 'ab'.repeat(32)
const purl = `pkg:oci/checkout@2.4.0?checksum=sha256:${sha256}&repository_url=registry.example.com/shop`
const canary = 'c4n4ry-p4ssw0rd'
const scan = ['scan', purl, '--scan', 'release']

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function start(words: readonly string[], environment: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [join(folder, 'built', 'main.js'), ...words], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      ...(server === undefined ? {} : { SIGHTLINE_GOVERNOR_URL: server.url }),
      SIGHTLINE_GOVERNOR_BASIC: `robot:${canary}`,
      ...environment,
    },
  })
}

async function endOf(child: ChildProcess): Promise<Ended> {
  let out = ''
  let err = ''
  child.stdout?.on('data', (data) => (out += String(data)))
  child.stderr?.on('data', (data) => (err += String(data)))
  await once(child, 'close')
  return { code: child.exitCode, out, err }
}

/** Runs it to its end; whatever happens, the credential is nowhere to be seen. */
async function shell(
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  return withoutCredential(await endOf(start(words, environment)))
}

/** The same without a process of its own. */
async function command(words: readonly string[]): Promise<Ended> {
  let out = ''
  let err = ''
  const code = await run({
    words,
    environment: {
      SIGHTLINE_GOVERNOR_URL: server?.url,
      SIGHTLINE_GOVERNOR_BASIC: `robot:${canary}`,
    },
    readFile: (path) => readFileSync(path, 'utf8'),
    openReport: openReportFile,
    appendFile: appendFileSync,
    fetch: fetchWhole,
    clock: realClock,
    random: Math.random,
    print: (text) => (out += text),
    printAll: (text) => {
      out += text
      return Promise.resolve(true)
    },
    disk: exportDisk,
    log: (line) => (err += `${line}\n`),
    isColourTerminal: false,
    signal: new AbortController().signal,
    version: '0.0.0',
  })
  return withoutCredential({ code, out, err })
}

function withoutCredential(ended: Ended): Ended {
  const basic = Buffer.from(`robot:${canary}`).toString('base64')
  for (const secret of [canary, basic, encodeURIComponent(canary)]) {
    expect(ended.out + ended.err).not.toContain(secret)
  }
  return ended
}

async function serve(answering: Answering): Promise<SpecServer> {
  server = await startSpecServer(answering)
  return server
}

describe('a scan that is satisfied ends with 0', () => {
  test('from a JSON array, and the service is requested as documented', async () => {
    const { requests } = await serve((answer) => {
      sendArray(answer, [specResult('BuildTool/supported', 'satisfied')])
    })
    const { code, out, err } = await shell(scan)
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toContain('Releasable: 1 of 1 policy satisfied.')
    expect(out).toMatch(/✓ satisfied +BuildTool\/supported +1 of 1/)
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/packages/oci/checkout/2.4.0/policy-scans/release',
        authorization: `Basic ${Buffer.from(`robot:${canary}`).toString('base64')}`,
        prefer: 'wait=300',
        body: JSON.stringify({ sha256, repositoryUrl: 'registry.example.com/shop' }),
      },
    ])
  })

  test('of a reference with more than names a package, and what it ignores is said', async () => {
    await serve((answer) => {
      sendArray(answer, [specResult('BuildTool/supported', 'satisfied')])
    })
    const { code, err } = await command(['scan', `${purl}&arch=amd64#bin`, '--scan', 'release'])
    expect([code, err]).toEqual([
      0,
      'Ignored: arch=amd64, #bin. Only the SHA-256 digest says which file is meant.\n',
    ])
  })

  test('from lines of NDJSON, whatever they are announced as', async () => {
    await serve((answer) => {
      answer.writeHead(200, { 'content-type': 'application/octet-stream' })
      for (const policy of ['BuildTool/a', 'BuildTool/b']) {
        answer.write(`${JSON.stringify(specResult(policy, 'SATISFIED'))}\r\n`)
      }
      answer.end()
    })
    const { code, out } = await shell(scan)
    expect(code).toBe(0)
    expect(out).toContain('2 of 2 policies')
  })

  test('after a 429, no sooner than the service wants', async () => {
    const { requests } = await serve((answer, _, attempt) => {
      if (attempt === 1) sendProblem(answer, 429, 'Too many.', { 'retry-after': '2' })
      else sendArray(answer, [specResult('BuildTool/a', 'satisfied')])
    })
    const { code, err } = await shell(scan)
    expect(code).toBe(0)
    // What lies between 1 s and 2 s by itself is drawn up to what the service wants.
    expect([requests.length, err]).toEqual([2, 'Too many. Retrying in 2 s.\n'])
  })
})

describe('a scan that is not satisfied ends with 1', () => {
  const failing: Answering = (answer) => {
    sendArray(answer, [
      specResult('BuildTool/supported', 'satisfied'),
      specResult('PackageUrl/no-known-vulnerable', 'unsatisfied', {
        details: { vulnerablePackage: 'pkg:maven/log4j@2.14.1', predicateType: 'x' },
      }),
    ])
  }

  test('and the text says what was found and what to do', async () => {
    await serve(failing)
    const { code, out } = await shell(scan)
    expect(code).toBe(1)
    expect(out).toContain('Not releasable: 1 of 2 policies unsatisfied.')
    expect(out).toContain('      | found: pkg:maven/log4j@2.14.1\n      | fix: Build it again.')
    // No terminal, no colours.
    expect(out).not.toContain('\u001b')
  })

  test.each([
    ['markdown', '**Not releasable: 1 of 2 policies unsatisfied.**'],
    ['json', '"verdict": "not-releasable"'],
    ['junit', 'failures="1"'],
    ['sarif', '"version": "2.1.0"'],
  ])(
    '%s is all that standard output holds, and the sentence is told beside it',
    async (format, part) => {
      await serve(failing)
      const { code, out, err } = await command([...scan, '--format', format])
      expect(code).toBe(1)
      expect(out).toContain(part)
      if (format === 'json' || format === 'sarif')
        expect(() => JSON.parse(out) as unknown).not.toThrow()
      expect(err).toBe('Not releasable: 1 of 2 policies unsatisfied.\n')
    },
  )

  test.each([
    ['text', /^ {2}. \S+ +(\S+)/gm],
    ['markdown', /^\| . \S+ \| (\S+) \|/gm],
  ])('%s lists failures first, whatever order the results came in', async (format, row) => {
    await serve((answer) => {
      sendArray(answer, [
        specResult('A/none', 'not-applicable', { attestationUri: null }),
        specResult('A/good', 'satisfied'),
        specResult('A/bad', 'unsatisfied'),
        specResult('A/other', 'satisfied'),
      ])
    })
    const { out } = await command([...scan, '--format', format])
    const names = [...out.matchAll(row)].map(([, name = '']) => name.replace('A/', ''))
    expect(names).toEqual(['bad', 'good', 'other', 'none'])
  })

  test.each([
    ['high', 'Required, but was not applicable: signed.'],
    ['all', 'Required, but was not applicable: signed.'],
    ['signed, a', 'Required, but was not applicable: signed.'],
    ['a,tpyo', 'Required, but not in the response: tpyo.'],
  ])('--require-applicable %s fails where that was not checked', async (required, sentence) => {
    await serve((answer) => {
      const none = { attestationUri: null }
      sendArray(answer, [
        specResult('BuildTool/a', 'satisfied'),
        specResult('Provenance/signed', 'not-applicable', none),
      ])
    })
    const lenient = await command(scan)
    expect(lenient.code).toBe(0)
    expect(lenient.out).toContain('Releasable, but 1 high-severity policy was not checked')
    const strict = await command([...scan, '--require-applicable', required, '--format=junit'])
    expect(strict.code).toBe(1)
    expect(strict.err).toContain(sentence)
    expect(strict.out).toContain(sentence)
    for (const format of ['text', 'markdown', 'json', 'sarif']) {
      const { code, out, err } = await command([
        ...scan,
        ...['--require-applicable', required, '--format', format],
      ])
      expect(code, format).toBe(1)
      expect(`${err}${out}`, format).toContain('Not releasable: 1 required policy was not checked.')
      expect(`${err}${out}`, format).not.toMatch(/^\W*Releasable/m)
    }
    expect((await command([...scan, '--require-applicable=a'])).code).toBe(0)
  })

  test('codequality has a finding for each failure, at a path of the package', async () => {
    await serve(failing)
    const { code, out } = await shell([...scan, '--format', 'codequality'])
    expect(code).toBe(1)
    expect(JSON.parse(out)).toEqual([
      {
        description: expect.stringContaining('unsatisfied') as string,
        check_name: expect.stringContaining('/policies/') as string,
        fingerprint: expect.stringMatching(/^\w{5,}$/) as string,
        severity: 'major',
        location: { path: 'oci/checkout/2.4.0', lines: { begin: 1 } },
      },
    ])
  })

  test('a summary is added to its file, with what failed', async () => {
    await serve(failing)
    const summary = join(folder, 'summary.md')
    writeFileSync(summary, 'what was there\n')
    expect((await shell([...scan, '--summary', summary])).code).toBe(1)
    const text = readFileSync(summary, 'utf8')
    expect(text).toMatch(/^what was there\n## ❌ Not releasable: 1 of 2 policies unsatisfied\.\n/)
    expect(text).toContain('### ✕ ')
    const nowhere = join(folder, 'nowhere', 'summary.md')
    const { code, err } = await shell([...scan, '--summary', nowhere])
    expect([code, err]).toEqual([2, expect.stringContaining('nowhere/summary.md (ENOENT)')])
  })

  test('a file is written whole, and nothing beside it is left', async () => {
    await serve(failing)
    const output = join(folder, 'report.json')
    const { code, out } = await shell([...scan, '--format=json', '--output', output])
    expect([code, out]).toEqual([1, ''])
    expect(JSON.parse(readFileSync(output, 'utf8'))).toMatchObject({ scan: 'release' })
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})

describe('wrong use ends with 2', () => {
  test('every error is a sentence, all at once, and no request is sent', async () => {
    const { requests } = await serve(() => undefined)
    const { code, out, err } = await shell([
      'scan',
      'pkg:oci/checkout',
      '--sha256=12',
      '--format=xml',
      '--wait=soon',
      '--outptu=x',
      '--password',
      canary,
    ])
    expect([code, out, requests.length]).toEqual([2, '', 0])
    expect(err.trimEnd().split('\n')).toEqual([
      "--outptu isn't an option. Did you mean --output? Run with --help to list all options.",
      '--password would reveal a credential to everyone on this machine. Set SIGHTLINE_GOVERNOR_BASIC or SIGHTLINE_GOVERNOR_BEARER, or the same name with _FILE and a file that contains it.',
      'The package URL has no version. Add @ and the version after the name.',
      'Missing policy scan. Use --scan with its name.',
      '--sha256: A SHA-256 digest has 64 hexadecimal digits, but this one has 2.',
      'Unknown --format “xml”. Use one of: text, markdown, sarif, junit, codequality, json.',
      '--wait is “soon”, but must be a duration such as 90s, 10m or 1h30m.',
      'See sightline --help.',
    ])
  })

  test('a credential is not sent where others could read it', async () => {
    const { code, err } = await shell(scan, { SIGHTLINE_GOVERNOR_URL: 'http://scans.example.com' })
    expect(code).toBe(2)
    expect(err).toContain('SIGHTLINE_GOVERNOR_URL starts with http://,')
  })

  test('a folder that does not exist is reported before any request is sent', async () => {
    const { requests } = await serve(() => undefined)
    const { code, err } = await shell([...scan, '--output', join(folder, 'nowhere', 'report')])
    expect([code, requests.length]).toEqual([2, 0])
    expect(err).toContain('nowhere/report (ENOENT)')
  })
})

describe('a fault of the service ends with 3', () => {
  test.each([
    [401, 'rejects the credentials in SIGHTLINE_GOVERNOR_BASIC'],
    [403, "doesn't let this user read the package or its repository"],
    [404, "policy scan “release” doesn't exist"],
    [400, 'rejected the request: This is what was sent: [secret]'],
  ])('%d, and the sentence says what to do', async (status, part) => {
    const { requests } = await serve((answer, { authorization = '' }) => {
      const sent = Buffer.from(authorization.slice(6), 'base64').toString('utf8')
      sendProblem(answer, status, `This is what was sent: ${sent}`)
    })
    const { code, out, err } = await command(scan)
    expect([code, out, requests.length]).toEqual([3, '', 1])
    expect(err).toContain(part)
  })

  test('a stream that is cut is requested again, and what arrived is reported as incomplete', async () => {
    const { requests } = await serve((answer) => {
      answer.writeHead(200, { 'content-type': 'application/x-ndjson' })
      const line = JSON.stringify(specResult('BuildTool/a', 'satisfied'))
      answer.write(`${line}\n{"status": "unsa`, () => answer.destroy())
    })
    const { code, out, err } = await shell([...scan, '--format', 'json'])
    expect([code, requests.length]).toEqual([3, 3])
    expect(err).toContain('Inconclusive: 1 of 1 policy satisfied, none unsatisfied.')
    expect(err).toContain('The response ended after 1 result')
    expect(JSON.parse(out)).toMatchObject({ verdict: 'undecided', caveats: [expect.any(String)] })
  })

  test.each([
    [
      'a status that is not known',
      [specResult('Quota/new', 'deferred')],
      'Unknown status “deferred”',
    ],
    ['something that is no result', [{ hello: 1 }], "1 part of the response couldn't be read"],
    [
      'nothing at all',
      [],
      "The scan has no policies. Have the policy service's administrator check",
    ],
    [
      'nothing that applies',
      [specResult('BuildTool/a', 'not-applicable', { attestationUri: null })],
      'Publish attestations first, use --wait',
    ],
  ])('%s is never a pass', async (_, results, part) => {
    await serve((answer) => {
      sendArray(answer, results)
    })
    const { code, err } = await command(scan)
    expect(code).toBe(3)
    expect(err).toContain(part)
  })

  test.each([
    ['sarif', '"level": "error"'],
    ['codequality', '"severity": "blocker"'],
    ['junit', 'errors="1"'],
  ])('nothing that applies has an entry in %s, unless it is accepted', async (format, entry) => {
    await serve((answer) => {
      sendArray(answer, [])
    })
    const strict = await command([...scan, '--format', format])
    expect([strict.code, strict.out]).toEqual([3, expect.stringContaining(entry)])
    const lenient = await command([...scan, '--format', format, '--allow-empty'])
    expect([lenient.code, lenient.out]).toEqual([0, expect.not.stringContaining(entry) as unknown])
  })

  test('nothing that applies passes where that is wanted', async () => {
    await serve((answer) => {
      sendArray(answer, [])
    })
    expect((await shell([...scan, '--allow-empty'])).code).toBe(0)
  })

  test('a service that stays silent is given up', async () => {
    await serve(() => undefined)
    const { code, err } = await shell([...scan, '--timeout', '500ms'])
    expect(code).toBe(3)
    expect(err).toContain('within 1 s (--timeout)')
  })

  test('an address where nobody listens is reported as such', async () => {
    const gone = await startSpecServer(() => undefined)
    await gone.stop()
    const environment = { SIGHTLINE_GOVERNOR_URL: gone.url }
    const { code, err } = await shell([...scan, '--timeout', '3s'], environment)
    expect(code).toBe(3)
    expect(err).toContain('Check that the policy service at http')
  })
})

test('attestations that are not there yet are waited for', async () => {
  const { requests } = await serve((answer, _, attempt) => {
    if (attempt === 1) sendProblem(answer, 404, "Policy scan 'release' not found")
    else sendArray(answer, [specResult('BuildTool/a', 'satisfied')])
  })
  const { code, err } = await shell([...scan, '--wait', '1m'])
  expect([code, requests.length]).toEqual([0, 2])
  expect(err).toContain("doesn't exist yet. Retrying in")
})

test.each([
  ['SIGINT', 130],
  ['SIGHUP', 130],
] as const)('%s ends it with %d, and leaves the file as it was', async (signal, expected) => {
  let reach = (): void => undefined
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  await serve(() => {
    reach()
  })
  const output = join(folder, 'kept.txt')
  writeFileSync(output, 'as it was')
  const child = start([...scan, '--output', output])
  const ended = endOf(child)
  await reached
  child.kill(signal)
  expect(await ended).toEqual({
    code: expected,
    out: '',
    err: 'Interrupted. Nothing was written.\n',
  })
  expect(readFileSync(output, 'utf8')).toBe('as it was')
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('a credential may lie in a file, and the version is printed without one', async () => {
  const path = join(folder, 'credential')
  writeFileSync(path, `robot:${canary}\n`)
  const { requests } = await serve((answer) => {
    sendArray(answer, [specResult('BuildTool/a', 'satisfied')])
  })
  const files = { SIGHTLINE_GOVERNOR_BASIC: '', SIGHTLINE_GOVERNOR_BASIC_FILE: path }
  expect((await shell(scan, files)).code).toBe(0)
  expect(requests[0]?.authorization).toMatch(/^Basic /)
  const { code, out } = await shell(['--version'])
  expect([code, /^sightline \d/.test(out)]).toEqual([0, true])
})

describe('what is no Sightline server', () => {
  const token = `slt_${'a'.repeat(43)}`
  const commands = [
    ['build', 'aaaaaaaaaaaaa'],
    ['scan', '--board', 'release'],
    ['export', '--since', '1d'],
  ]

  test.each(commands.map((words) => [words]))(
    'is said to be none where it sends a page for everything: %j',
    async (words) => {
      const { url } = await serve((answer) => {
        answer.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
      })
      // An export tries again until then: a gateway may send pages for a while.
      const limited = [...words, '--server', url, '--timeout', '3s']
      const { code, err } = await shell(limited, { SIGHTLINE_TOKEN: token })
      expect([code, err]).toEqual([3, expect.stringContaining("isn't a Sightline server")])
    },
  )

  test('has no configuration, and of a scan nothing is said where it only says 404', async () => {
    const { url } = await serve((answer) => {
      answer.writeHead(404).end('nope')
    })
    const said = async (words: readonly string[]): Promise<string> =>
      (await shell([...words, '--server', url], { SIGHTLINE_TOKEN: token })).err
    expect(await said(['scan', '--board', 'release'])).toContain("isn't a Sightline server")
    expect(await said(scan)).toMatch(/responds with status 404 and doesn't say why\. Check its URL/)
  })

  test.each(commands.map((words) => [words]))(
    'is given up within the time limit where it is silent: %j',
    async (words) => {
      const { url } = await serve(() => undefined)
      const limited = [...words, '--server', url, '--timeout', '500ms']
      const { code, err } = await shell(limited, { SIGHTLINE_TOKEN: token })
      expect([code, err]).toEqual([3, expect.stringContaining('(--timeout).')])
    },
  )
})
