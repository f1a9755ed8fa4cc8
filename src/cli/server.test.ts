import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { bundlePath } from '../protocol/evidence-bundle.ts'
import { createManualClock } from '../protocol/manual-clock.test-support.ts'
import { Session } from '../protocol/session.ts'
import { waiversPath } from '../protocol/waiver.ts'
import { type App, startApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { seededPackages, type SeededPackage } from '../server/embedded/governor/seed-packages.ts'
import { realClock } from '../server/real-clock.test-support.ts'
import { exportDisk } from './export/export-output.ts'
import type { Host } from './report-file.ts'
import { run } from './run.ts'
import { fetchWhole } from './server-request.ts'

// The tool in this process, against the product as a whole with its embedded services.

const folder = mkdtempSync(join(tmpdir(), 'sightline-cli-server-'))
const now = Date.UTC(2026, 10, 20, 9, 30)
const serverClock = createManualClock(now)
let product: App

beforeAll(async () => {
  const config = readConfig({
    environment: {
      SIGHTLINE_PORT: '0',
      SIGHTLINE_DATABASE_URL: 'memory:',
      SIGHTLINE_EMBEDDED_BUILDS: '600',
      SIGHTLINE_EMBEDDED_RATE: '0',
      SIGHTLINE_LOG_LEVEL: 'silent',
    },
    flags: [],
    readFile: () => '',
  })
  if (!config.ok) throw new Error(config.mistakes.join('\n'))
  product = await startApp({
    config: config.config,
    clock: serverClock,
    random: Math.random,
    logger: pino({ level: 'silent' }),
    version: '0.0.0',
    staticRoot: folder,
  })
})
afterAll(async () => {
  await product.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

function shell(...words: string[]): Promise<Ended> {
  return shellBy({}, ...words)
}

/** The same with another network, or with time that passes. */
async function shellBy(host: Partial<Host>, ...words: string[]): Promise<Ended> {
  let out = ''
  let err = ''
  const code = await run({
    words: [...words, '--server', product.url],
    // What is for the service itself is not sent to a Sightline server.
    environment: { SIGHTLINE_GOVERNOR_BASIC: 'robot:c4n4ry' },
    readFile: () => '',
    appendFile: () => undefined,
    openReport: () => {
      throw new Error('no report goes into a file here')
    },
    fetch: fetchWhole,
    clock: createManualClock(now),
    random: () => 0,
    print: (text) => (out += text),
    printAll: () => Promise.resolve(true),
    disk: exportDisk,
    log: (line) => (err += `${line}\n`),
    isColourTerminal: false,
    signal: new AbortController().signal,
    version: '0.0.0',
    ...host,
  })
  return { code, out, err }
}

function seeded(name: string, version: string): { words: string[]; package: SeededPackage } {
  const found = seededPackages.find(
    ({ address }) => address.name === name && address.version === version,
  )
  if (found === undefined) throw new Error(`there is no package ${name}`)
  const { address, sha256, repositoryUrl } = found
  const { type, namespace = '' } = address
  const purl = `pkg:${type}/${namespace && `${namespace}/`}${name}@${version}`
  const words = ['scan', purl, '--sha256', sha256, '--repository-url', repositoryUrl]
  return { words, package: found }
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const session = await fetch(`${product.url}/session`, { method: 'POST' })
  const { token } = Session.parse(await session.json())
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${token}`)
  return fetch(`${product.url}${path}`, { ...init, headers })
}

describe('through a Sightline server', () => {
  test('a good package is satisfied, and the evaluation is recorded', async () => {
    const { code, out, err } = await shell(...seeded('checkout', '2.4.0').words, '--scan=release')
    expect([code, out.split('\n')[0]]).toEqual([0, 'Releasable: 6 of 6 policies satisfied.'])
    const path =
      /^Recorded at http:\/\/[^/]+(\/packages\/oci\/checkout\/2\.4\.0\/policy-scans\/release\/runs\/)(\S+)$/m.exec(
        err,
      )
    const recorded = await ask('/history/evaluations?limit=10')
    const { evaluations } = z
      .object({ evaluations: z.array(z.looseObject({ id: z.string() })) })
      .parse(await recorded.json())
    expect(evaluations.map(({ id }) => id)).toContain(path?.[2])
  })

  test('a waived failure fails, unless waivers are accepted, and is reported either way', async () => {
    const { words, package: package_ } = seeded('payments', '3.1.0')
    const policyUri = '/policies/PackageUrl/no-known-vulnerable'
    const given = await ask('/history/waivers', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        packagePath: '/packages/maven/com.acme.payments/payments/3.1.0',
        sha256: package_.sha256,
        scan: 'release',
        policyUri,
        reason: 'Not reachable from outside',
        person: 'alice',
        expiresAt: now + 7 * 86_400_000,
      }),
    })
    expect(given.status).toBeLessThan(300)

    const strict = await shell(...words, '--scan', 'release')
    expect(strict.code).toBe(1)
    expect(strict.out).toMatch(
      /^Not releasable without --accept-waivers\. Otherwise releasable with 1 waiver until Nov 27, 2026, 09:30 UTC/,
    )
    expect(strict.err).not.toMatch(/^Releasable/m)
    for (const format of ['text', 'markdown', 'sarif', 'junit']) {
      const lenient = await shell(
        ...words,
        '--scan=release',
        '--accept-waivers',
        '--format',
        format,
      )
      expect(lenient.code, format).toBe(0)
      expect(lenient.out, format).toContain('waived until Nov 27, 2026, 09:30 UTC by alice')
      expect(lenient.out, format).toContain('Not reachable from outside')
      if (format === 'junit') expect(lenient.out).toContain('failures="0"')
    }
    const json = await shell(...words, '--scan=release', '--accept-waivers', '--format=json')
    expect(JSON.parse(json.out)).toMatchObject({
      verdict: 'not-releasable',
      verdictWithWaivers: 'releasable-with-waivers',
      waivers: [{ policyUri, person: 'alice' }],
    })
    // Another scan of the same package is not waived.
    expect((await shell(...words, '--scan', 'build', '--accept-waivers')).code).toBe(1)
  })

  test('a board is evaluated as a whole: one report, and the worst of all answers', async () => {
    const { code, out, err } = await shell(
      'scan',
      '--board=release',
      '--scan=release',
      '--format=json',
    )
    expect(code).toBe(1)
    const reports = z
      .array(z.looseObject({ purl: z.string(), scan: z.string() }))
      .parse(JSON.parse(out))
    expect(new Set(reports.map(({ purl }) => purl)).size).toBe(12)
    expect(err).toContain('pkg:oci/checkout@2.4.0 release: Releasable: 6 of 6 policies satisfied.')
    const text = await shell('scan', '--board=release', '--scan=release')
    expect(text.out).toMatch(/^Not releasable: 5 of 12 packages fail\.\n\nNot releasable: /)
    // What passes is one line, after what fails in full.
    expect(text.out).toMatch(/\n\n(?:✓ pkg:\S+ release: Releasable: .*\n){7}$/)
    const suites = await shell('scan', '--board=release', '--scan=release', '--format=junit')
    expect(suites.out.match(/<testsuite /g)).toHaveLength(12)
    const sarif = await shell('scan', '--board=release', '--scan=release', '--format=sarif')
    // One run for all packages: code scanning refuses two of one category, and more than 20.
    const evaluations = z.object({ evaluations: z.array(z.unknown()).length(12) })
    z.looseObject({ runs: z.tuple([z.looseObject({ properties: evaluations })]) }).parse(
      JSON.parse(sarif.out),
    )
  })

  test('what a board needs is requested again where the server fails for a moment', async () => {
    const failed: string[] = []
    const kept: unknown[] = []
    const { code, err } = await shellBy(
      {
        fetch: (input, init) => {
          const { pathname } = new URL(input instanceof Request ? input.url : input)
          if (failed.includes(pathname) || !/^\/(?:config|history\/[wb]\w+)$/.test(pathname))
            return fetchWhole(input, init)
          failed.push(pathname)
          return Promise.resolve(new Response('', { status: 503 }))
        },
        clock: { now: () => now, after: realClock.after },
        openReport: () => ({ save: (content) => kept.push(content), discard: () => undefined }),
      },
      ...['scan', '--board=release', '--scan=release', '--bundle=evidence.tar.gz'],
    )
    expect([code, failed.toSorted()]).toEqual([1, ['/config', bundlePath, waiversPath]])
    expect(err.match(/ Retrying in 1 s\.$/gm)).toHaveLength(3)
    expect([kept.length, err.includes('none are applied')]).toEqual([1, false])
  })

  test.each([
    [['--board', 'spring'], 'no release board “spring”; available boards: release.'],
    [
      ['--board', 'release', '--scan', 'nope'],
      'no policy scan “nope”. Available scans: build, release, production.',
    ],
  ])('%j is wrong use', async (words, part) => {
    const { code, err } = await shell('scan', ...words)
    expect(code).toBe(2)
    expect(err).toContain(part)
  })

  test('a scan that is not there is said to be missing', async () => {
    const { code, err } = await shell(...seeded('checkout', '2.4.0').words, '--scan=nope')
    expect(code).toBe(3)
    expect(err).toContain(
      "policy scan “nope” doesn't exist, or this user can't see it (404: Policy scan 'nope' not found)",
    )
  })
})

describe('a build', () => {
  async function newest(query: string): Promise<string> {
    const path = `/upstream/build-data/api/builds?reverse=true&maxBuilds=1&query=${encodeURIComponent(query)}`
    const list: unknown = await (await ask(path)).json()
    return z.array(z.looseObject({ id: z.string() })).parse(list)[0]?.id ?? ''
  }

  test('that failed is reported with why, and whether that is new', async () => {
    // The proxy reads events of other builds at its own pace.
    const ticking = setInterval(() => {
      serverClock.advance(1000)
    }, 5)
    onTestFinished(() => {
      clearInterval(ticking)
    })
    const id = await newest('buildTool:gradle buildOutcome:failed')
    const markdown = await shell('build', id, '--format=markdown')
    expect([markdown.code, markdown.err]).toEqual([0, ''])
    expect(markdown.out).toMatch(/^## ❌ Gradle build failed after /)
    expect(markdown.out).toMatch(/\*\*Is this failure mine\?\*\* (?:Probably|Unclear)/)
    expect(markdown.out).toMatch(/```text\n[^]+\n```/)
    const json = await shell('build', `${product.url}/builds/${id}?tab=tests`, '--format', 'json')
    expect(JSON.parse(json.out)).toMatchObject({
      build: { id, tool: 'gradle', outcome: 'failed', url: `${product.url}/builds/${id}` },
      origin: { verdict: expect.stringMatching(/^(?:before|elsewhere|new|unknown)$/) as string },
    })
    const text = await shell('build', id)
    expect(text.out).toContain('Is this failure mine? ')
  })

  test('of a tool without events is reported by its attributes', async () => {
    const id = await newest('buildTool:bazel buildOutcome:succeeded')
    const { code, out } = await shell('build', id)
    expect(code).toBe(0)
    expect(out).toMatch(/^Bazel build succeeded after .+\.\nProject: /)
  })

  test('that is not there ends with 3, and words that are no id with 2', async () => {
    const missing = await shell('build', 'aaaaaaaaaaaaa')
    expect([missing.code, missing.out]).toEqual([3, ''])
    expect(missing.err).toMatch(
      /not found\. Check its id, and that the Sightline server at http\S+ reads the/,
    )
    const wrong = await shell('build', 'K3J7', '--scan=release', '--format=junit')
    expect(wrong.code).toBe(2)
    expect(wrong.err.split('\n').slice(0, 3)).toEqual([
      "--scan can't be used with build.",
      "“K3J7” isn't a build id: 13 letters and digits.",
      'Unknown --format “junit”. Use one of: text, markdown, json.',
    ])
  })
})
