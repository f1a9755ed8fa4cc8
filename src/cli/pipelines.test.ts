import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { realClock } from '../server/real-clock.test-support.ts'
import { type App, startApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { seededPackages } from '../server/embedded/governor/seed-packages.ts'
import { onLoopback } from '../free-port.test-support.ts'

// The snippets of docs/pipelines.md as they stand there, run by the shells of the systems that they are
// for, with the built gate, against the product as a whole.

const page = readFileSync(new URL('../../docs/pipelines.md', import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'sightline-pipelines-'))
let product: App
let gate: { readonly url: string; readonly sha256: string; readonly stop: () => Promise<void> }

beforeAll(async () => {
  const outDir = join(folder, 'built')
  await build({ mode: 'cli', logLevel: 'error', build: { outDir } })
  gate = await served(readFileSync(join(outDir, 'main.js')))
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
    clock: realClock,
    random: Math.random,
    logger: pino({ level: 'silent' }),
    version: '0.0.0',
    staticRoot: folder,
  })
})
afterAll(async () => {
  await gate.stop()
  await product.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A place to download the gate from, as an artifact repository is one. */
async function served(file: Buffer): Promise<typeof gate> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(file)
  })
  const { url, close } = await onLoopback(server)
  return {
    url: `${url}/sightline.mjs`,
    sha256: createHash('sha256').update(file).digest('hex'),
    stop: close,
  }
}

function snippet(heading: string, language: string): string {
  const section = page.split(`\n## ${heading}\n`)[1] ?? ''
  const [, code] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section) ?? []
  if (code === undefined) throw new Error(`no ${language} under ${heading}`)
  return code
}

interface Ended {
  readonly code: number | null
  /** What it printed, on both streams in the order in which it came. */
  readonly out: string
  /** What it printed on the standard error alone. */
  readonly errors: string
  readonly cwd: string
  readonly file: (name: string) => string
}

/** What its configuration sets, with what only an installation knows in place of the examples. */
async function run(
  shell: readonly [command: string, ...flags: string[]],
  script: string,
  variables: Record<string, unknown>,
  own: Record<string, string>,
): Promise<Ended> {
  const cwd = mkdtempSync(join(folder, 'job-'))
  const known: Record<string, string> = {
    SIGHTLINE_URL: product.url,
    // Nobody signs in here; an empty variable is none.
    SIGHTLINE_TOKEN: '',
    GATE_URL: gate.url,
    GATE_SHA256: gate.sha256,
    ...own,
  }
  // A variable that the snippet does not set would be missing in the pipeline, too.
  const names = Object.keys(variables)
  const env = Object.fromEntries(
    [...names, 'SIGHTLINE_TOKEN', ...Object.keys(own)].map((name) => [name, known[name] ?? '']),
  )
  const [command, ...flags] = shell
  const child: ChildProcess = spawn(command, [...flags, script], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
  })
  let out = ''
  let errors = ''
  child.stdout?.on('data', (data) => (out += String(data)))
  child.stderr?.on('data', (data) => {
    out += String(data)
    errors += String(data)
  })
  await once(child, 'close')
  return {
    code: child.exitCode,
    out,
    errors,
    cwd,
    file: (name) => readFileSync(join(cwd, name), 'utf8'),
  }
}

function packageNamed(name: string, version: string): string {
  const found = seededPackages.find(
    ({ address }) => address.name === name && address.version === version,
  )
  if (found === undefined) throw new Error(`no ${name} ${version}`)
  const { address, sha256, repositoryUrl } = found
  return `pkg:${address.type}/${name}@${version}?checksum=sha256:${sha256}&repository_url=${repositoryUrl}`
}

const Workflow = z.looseObject({
  jobs: z.object({
    gate: z.looseObject({
      env: z.record(z.string(), z.string()),
      steps: z.array(z.looseObject({ run: z.string().optional(), uses: z.string().optional() })),
    }),
  }),
})

/** The steps of the workflow one after another, as the runner does it: `bash -e`, a file for the summary. */
async function github(packageUrl: string): Promise<Ended> {
  const { env, steps } = Workflow.parse(parse(snippet('GitHub Actions', 'yaml'))).jobs.gate
  const script = steps.flatMap(({ run: text }) => text ?? []).join('\n')
  const own = { PACKAGE: packageUrl, GITHUB_STEP_SUMMARY: 'summary.md' }
  return run(['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c'], script, env, own)
}

const BuildWorkflow = z.looseObject({
  jobs: z.object({
    build: z.looseObject({
      env: z.record(z.string(), z.string()),
      steps: z.array(
        z.looseObject({
          run: z.string().optional(),
          env: z.record(z.string(), z.string()).optional(),
        }),
      ),
    }),
  }),
})

/** The id of a failed Gradle build of the product. */
async function failedBuild(): Promise<string> {
  const session = await fetch(`${product.url}/session`, { method: 'POST' })
  const { token } = z.object({ token: z.string() }).parse(await session.json())
  const query = encodeURIComponent('buildTool:gradle buildOutcome:failed')
  const list = await fetch(
    `${product.url}/upstream/build-data/api/builds?reverse=true&maxBuilds=1&query=${query}`,
    { headers: { authorization: `Bearer ${token}` } },
  )
  const [build] = z.array(z.looseObject({ id: z.string() })).parse(await list.json())
  return build?.id ?? ''
}

const Sarif = z.object({
  runs: z.tuple([
    z.looseObject({
      results: z.array(
        z.looseObject({
          level: z.string(),
          locations: z.tuple([
            z.looseObject({
              physicalLocation: z.object({
                artifactLocation: z.object({ uri: z.string().regex(/^[\w.%-]+(\/[\w.%-]+)*$/) }),
                region: z.object({ startLine: z.literal(1) }),
              }),
            }),
          ]),
        }),
      ),
    }),
  ]),
})

describe('the snippets of docs/pipelines.md', () => {
  test('a GitHub job fails on a bad version with alerts and a summary, and passes on the fixed one', async () => {
    const bad = await github(packageNamed('checkout', '2.3.0'))
    expect(bad.out).toContain('Not releasable')
    expect(bad.code).toBe(1)
    const [{ results }] = Sarif.parse(JSON.parse(bad.file('sightline.sarif'))).runs
    expect(results.length).toBeGreaterThan(0)
    expect(bad.file('summary.md')).toMatch(/^## ❌ Not releasable: /)
    expect(bad.file('summary.md')).toContain(`](${product.url}/packages/oci/checkout/2.3.0/`)

    const good = await github(packageNamed('checkout', '2.4.0'))
    expect(good.code, good.out).toBe(0)
    expect(Sarif.parse(JSON.parse(good.file('sightline.sarif'))).runs[0].results).toEqual([])
    expect(good.file('summary.md')).toMatch(/^## ✅ Releasable: /)
  })

  test('a GitLab job writes the JUnit report that it declares', async () => {
    const Job = z.looseObject({
      variables: z.record(z.string(), z.string()),
      script: z.array(z.string()),
      artifacts: z.looseObject({ reports: z.object({ junit: z.string() }) }),
    })
    const { 'release-gate': job } = z
      .object({ 'release-gate': Job })
      .parse(parse(snippet('GitLab CI', 'yaml')))
    const PACKAGE = packageNamed('checkout', '2.3.0')
    const ended = await run(['sh', '-ec'], job.script.join('\n'), job.variables, { PACKAGE })
    expect(ended.code, ended.out).toBe(1)
    expect(ended.file(job.artifacts.reports.junit)).toMatch(/<testsuite .*failures="[1-9]/)
  })

  test('a Jenkins stage evaluates a board, failures first, and keeps the evidence', async () => {
    const text = snippet('Jenkins', 'groovy')
    const [, script = ''] = /sh '''(.*?)'''/s.exec(text) ?? []
    const variables = Object.fromEntries(
      [...text.matchAll(/^ {4}(\w+) = /gm)].map(([, name = '']) => [name, '']),
    )
    // Groovy reads `\` and a line break in such a text as nothing.
    const ended = await run(['sh', '-xec'], script, variables, { BOARD: 'release' })
    expect(ended.code, ended.out).toBe(1)
    // The two programs of a pipe are traced at once: parts of their lines may stand anywhere.
    const [overall = '', first = ''] = ended.errors
      .split('\n')
      .filter((line) => /^(?:Not releasable|Releasable|pkg:)/.test(line))
    expect(overall, ended.errors).toMatch(/^Not releasable: \d+ of 12 packages fail/)
    expect(first).toMatch(/^pkg:\S+ \w+: Not releasable|Required/)
    expect(ended.file('sightline.xml')).toContain('<testsuite ')
    expect(existsSync(join(ended.cwd, 'evidence.zip'))).toBe(true)
    const { out } = await run(
      ['sh', '-ec'],
      `unzip -q ${ended.cwd}/evidence.zip && sha256sum -c SHA256SUMS && cat README.txt`,
      {},
      {},
    )
    expect(out).toContain('summary.intoto.json: OK')
    expect(out).toContain('Subject:   the release board')
  })

  test('a failed build is reported on its pull request, with why and whether it is new', async () => {
    const comments: unknown[] = []
    const api = createServer((request, response) => {
      let body = ''
      request.on('data', (data) => (body += String(data)))
      request.on('end', () => {
        const { url, method, headers } = request
        comments.push({ url, method, token: headers.authorization, ...JSON.parse(body) })
        response.writeHead(201, { 'content-type': 'application/json' }).end('{}')
      })
    })
    const { url, close } = await onLoopback(api)
    const buildId = await failedBuild()
    const { env, steps } = BuildWorkflow.parse(parse(snippet('A build on a pull request', 'yaml')))
      .jobs.build
    const step = steps.at(-1)
    const own = {
      BUILD: `https://builds.example.com/s/${buildId}`,
      PULL_REQUEST: '7',
      GITHUB_TOKEN: 'gh-t0ken',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_API_URL: url,
    }
    const shell = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c'] as const
    const ended = await run(shell, step?.run ?? '', { ...env, ...step?.env }, own)
    await close()
    expect(ended.code, ended.out).toBe(0)
    expect(comments).toEqual([
      {
        url: '/repos/acme/shop/issues/7/comments',
        method: 'POST',
        token: 'Bearer gh-t0ken',
        body: ended.file('report.md'),
      },
    ])
    expect(ended.file('report.md')).toMatch(/^## ❌ Gradle build failed after /)
    expect(ended.file('report.md')).toContain(`(${product.url}/builds/${buildId})`)
    expect(ended.file('report.md')).toContain('**Is this failure mine?** ')
  })

  test('a gate with another digest is never run', async () => {
    const GATE_SHA256 = 'ab'.repeat(32)
    const own = {
      GATE_SHA256,
      PACKAGE: packageNamed('checkout', '2.4.0'),
      GATE_URL: gate.url,
      SIGHTLINE_URL: product.url,
    }
    const ended = await run(['sh', '-ec'], snippet('Any other system', 'sh'), {}, own)
    expect(ended.code).toBe(1)
    expect(ended.out).toContain('FAILED')
    expect(ended.out).not.toContain('Releasable')
    const right = { ...own, GATE_SHA256: gate.sha256 }
    const passed = await run(['sh', '-ec'], snippet('Any other system', 'sh'), {}, right)
    expect([passed.code, passed.out]).toEqual([0, expect.stringContaining('Releasable')])
  })

  test('none of them runs a package of a public registry', () => {
    expect(page).not.toMatch(/\bnpx\b|npm (?:exec|install|i) /)
  })
})
