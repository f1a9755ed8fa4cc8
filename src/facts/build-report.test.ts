import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import Markdown from 'react-markdown'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Facts } from '../protocol/facts.ts'
import { runs } from '../property-runs.test-support.ts'
import { buildReport, type ReportedBuild, reportMarkdown, reportText } from './build-report.ts'
import { failureStreak } from './failure-streak.ts'
import type { Failure } from './failures.ts'
import { failureOrigin } from './insight/failure-origin.ts'

const facts: Facts = {
  buildId: 'k3j7x2m4q7a4c',
  receivedAt: 5000,
  buildTool: 'gradle',
  buildToolVersion: '9.2',
  agentVersion: '4.1',
  project: 'shop',
  requested: ['check'],
  outcome: 'failed',
  durationMs: 72_000,
  startTime: Date.UTC(2026, 10, 20, 9, 30),
  values: [
    { name: 'Git branch', value: 'main' },
    { name: 'Git commit id', value: 'b493cdd82ef0c48587e3854d3282bb770d6685e6' },
    { name: 'Git repository', value: 'https://github.com/acme/shop.git' },
  ],
}
const green: Facts = {
  ...facts,
  buildId: 'greenbuild001',
  receivedAt: 4000,
  outcome: 'succeeded',
  values: [
    { name: 'Git branch', value: 'main' },
    { name: 'Git commit id', value: '9592ca0b42d8ebd125d7c3bc531446d515f6e341' },
    { name: 'Git repository', value: 'https://github.com/acme/shop.git' },
  ],
}

function failure(message: string, path: string | null = ':test'): Failure {
  const exception = { id: '1', depth: 0, taskPath: path, frames: ['a.B.c(B.java:7)'] }
  return { id: '1', path, exceptions: [{ ...exception, className: 'a.Trouble', message }] }
}

function reported(more: Partial<ReportedBuild> = {}): ReportedBuild {
  const streak = failureStreak(facts, [green])
  const keys = new Map([[facts.buildId, ['a']]])
  return {
    facts,
    failures: [failure('There were failing tests.')],
    failedTests: undefined,
    streak,
    lastSuccess: green,
    origin: failureOrigin({ build: facts, streak, others: [], days: 14, keys }),
    address: 'https://sightline.example/builds/k3j7x2m4q7a4c',
    serverAddress: 'https://builds.example/s/k3j7x2m4q7a4c',
    ...more,
  }
}

const seconds = (ms: number): string => `${ms / 1000} s`

interface Node {
  readonly type: string
  readonly value?: string | undefined
  readonly url?: string | undefined
  readonly children?: readonly Node[] | undefined
}
const Node: z.ZodType<Node> = z.looseObject({
  type: z.string(),
  value: z.optional(z.string()),
  url: z.optional(z.string()),
  get children() {
    return z.optional(z.array(Node))
  },
})

/** What a reader of CommonMark makes of a text: every node of its tree. */
function nodesOf(markdown: string): readonly Node[] {
  const found: Node[] = []
  const take = (node: Node): void => {
    found.push(node)
    node.children?.forEach(take)
  }
  const plugin = () => (tree: unknown) => {
    take(Node.parse(tree))
  }
  renderToStaticMarkup(createElement(Markdown, { remarkPlugins: [plugin] }, markdown))
  return found
}

describe('the report of a build', () => {
  test('says how it ended, whether it is new, why, and what lies between it and the last success', () => {
    const markdown = reportMarkdown(buildReport(reported()), seconds)
    expect(markdown).toBe(`## ❌ Gradle build failed after 72 s

\`shop\` · \`check\` · branch \`main\` · commit \`b493cdd82e\` · version \`9.2\` · [Build k3j7x2m4q7a4c](https://sightline.example/builds/k3j7x2m4q7a4c) · [Build Scan](https://builds.example/s/k3j7x2m4q7a4c)

**Is this failure mine?** Probably yes: new on \`main\`, and not seen on other branches in 14 days.

### Why it failed

✕ \`:test\` · \`a.Trouble\`

\`\`\`text
There were failing tests.
\`\`\`

<details open><summary>Stack trace</summary>

\`\`\`text
a.Trouble: There were failing tests.
	at a.B.c(B.java:7)
\`\`\`

</details>

Last success: [greenbuild001](https://sightline.example/builds/k3j7x2m4q7a4c?compare=greenbuild001), commits \`9592ca0b42\` to \`b493cdd82e\` ([compare](https://github.com/acme/shop/compare/9592ca0b42d8ebd125d7c3bc531446d515f6e341...b493cdd82ef0c48587e3854d3282bb770d6685e6)).
`)
  })

  test('of a success is short', () => {
    const report = buildReport(
      reported({ facts: green, failures: [], streak: undefined, lastSuccess: undefined }),
    )
    expect(reportMarkdown(report, seconds)).toMatch(
      /^## ✅ Gradle build succeeded after 72 s\n\n[^\n]+\n$/,
    )
    expect(report.origin).toBeNull()
  })

  test('says of a failed build that names no project why it is compared with no other', () => {
    const unnamed = { streak: undefined, lastSuccess: undefined, origin: undefined }
    const report = buildReport(reported({ ...unnamed, facts: { ...facts, project: null } }))
    const said = "Unclear: the build doesn't name its project, so it can't be compared"
    expect(reportMarkdown(report, seconds)).toContain(`**Is this failure mine?** ${said}`)
    expect(reportText(report, seconds, String)).toContain(`Is this failure mine? ${said}`)
    const named = buildReport(reported(unnamed))
    expect(reportMarkdown(named, seconds)).not.toContain('failure mine')
  })

  test('leaves out what is not known, in every form', () => {
    const bare: Facts = {
      ...{ buildId: 'bare', receivedAt: 1, buildTool: 'make', buildToolVersion: '' },
      agentVersion: '',
    }
    const silent = { id: '1', path: null, exceptions: [] }
    const nothing = {
      ...silent,
      exceptions: failure('').exceptions.map((one) => ({ ...one, message: null })),
    }
    const row = { test: { ...testCase('breaks'), task: null, className: null }, failure: null }
    const report = buildReport({
      ...{ facts: bare, failures: [silent, nothing], failedTests: { total: 1, rows: [row] } },
      ...{ streak: undefined, lastSuccess: { ...green, values: [] }, origin: undefined, days: 14 },
      ...{ address: 'https://sightline.example/builds/bare', serverAddress: undefined },
    })
    expect(report.build).toMatchObject({
      ...{ buildScan: null, project: null, requested: [], branch: null, commit: null },
      ...{ outcome: null, durationMs: null, startedAt: null },
    })
    expect(report.failures).toMatchObject([
      { task: null, exception: null, message: null, stackTrace: null },
      { task: null, exception: 'a.Trouble', message: null },
    ])
    expect(report.lastSuccess?.commits).toBeNull()
    expect(reportMarkdown(report, seconds)).toContain(`## ❔ Build without a known outcome

[Build bare](https://sightline.example/builds/bare)

### Failed tests (1)

✕ \`breaks\`

### Why it failed

✕ \`Failure\`

✕ \`a.Trouble\``)
    expect(reportText(report, seconds, (text) => text)).toBe(`Build without a known outcome.
Build: https://sightline.example/builds/bare
Last success: greenbuild001 (https://sightline.example/builds/bare?compare=greenbuild001)

✕ breaks

✕ Failure

✕ a.Trouble
`)
    const running = { ...report, build: { ...report.build, outcome: 'failed' as const } }
    expect(reportMarkdown(running, seconds)).toMatch(/^## ❌ Build failed\n/)
  })

  test('for a terminal has a line for each fact and message, none of which a server begins', () => {
    const report = buildReport(reported({ failures: [failure('one\n::error::two')] }))
    const text = reportText(report, seconds, (line) => line)
    expect(text).toContain('Gradle build failed after 72 s.\nIs this failure mine? Probably yes')
    expect(text).toContain('✕ :test\n  | one\n  | ::error::two\n')
  })

  test('repeats no credential that a message holds', () => {
    const secret = 'c4n4ryS3cr3t'
    const report = buildReport(
      reported({
        failures: [failure(`GET https://ci:${secret}@repo.example with --token ${secret}`)],
      }),
    )
    expect(JSON.stringify(report)).not.toContain(secret)
    expect(report.failures?.[0]?.message).toContain('https://repo.example')
  })

  test('says that what failed is not known where the events were not read', () => {
    const unread = buildReport(reported({ failures: undefined }))
    expect(unread).toMatchObject({ failures: null, failedTests: null })
    const said = "Its failures and failed tests aren't known."
    expect(reportMarkdown(unread, seconds)).toContain(said)
    expect(reportText(unread, seconds, String)).toContain(said)
    const succeeded = buildReport(reported({ facts: green, failures: undefined }))
    expect(reportMarkdown(succeeded, seconds)).not.toContain(said)
    expect(buildReport(reported()).failedTests).toEqual({ count: 0, tests: [] })
    expect(reportText(buildReport(reported()), seconds, String)).not.toContain(said)
  })

  test('fits into a comment, however long the messages are', () => {
    const long = 'a`'.repeat(100_000)
    const row = { test: testCase(long), failure: failure(long) }
    const report = buildReport(
      reported({
        failures: Array.from({ length: 40 }, () => failure(long, long)),
        failedTests: { total: 90, rows: Array.from({ length: 90 }, () => row) },
      }),
    )
    expect(reportMarkdown(report, seconds).length).toBeLessThan(65_536)
    expect(reportMarkdown(report, seconds)).toContain('And 85 more failed tests.')
    expect(reportText(report, seconds, (line) => line)).toContain('And 85 more failed tests.')
  })

  test('is never anything but ours: no heading, link, HTML or mention comes from a build', () => {
    const parts = [
      'Ω',
      '`',
      '```',
      '````',
      '\n',
      '\n\n',
      '\r',
      '\u2028',
      '\t',
      ' ',
      '    ',
      '\\',
      '|',
      '~~~',
      '*',
      '_',
    ]
    const attacks = [
      '# Ω',
      '[Ω](https://evil.example)',
      '![Ω](https://evil.example/x)',
      '<img src=evil>',
      '</details>',
      '<!-- evil',
      '@evil',
      'evil#1',
      'https://evil.example',
      '](',
      '- Ω',
      '> Ω',
      '1. Ω',
      '&lt;Ω',
      '[Ω]: https://evil.example',
      '---',
      '===',
    ]
    const text = fc
      .array(fc.constantFrom(...parts, ...attacks), { maxLength: 12 })
      .map((chosen) => chosen.join(''))
    const own = new Set(['k3j7x2m4q7a4c', 'greenbuild001'].map((id) => id))
    fc.assert(
      fc.property(text, text, text, text, (a, b, c, d) => {
        const values = [
          { name: 'Git branch', value: a },
          { name: 'Git commit id', value: b },
          { name: 'Git repository', value: `https://github.com/${c}` },
        ]
        const build = {
          ...facts,
          project: c,
          requested: [d, a],
          buildTool: b,
          buildToolVersion: a,
          values,
        }
        const earlier = {
          ...build,
          buildId: 'greenbuild001',
          outcome: 'succeeded' as const,
          values: [...values.slice(0, 1), { name: 'Git commit id', value: d }],
        }
        const other = {
          ...build,
          buildId: 'otherbuild001',
          values: [{ name: 'Git branch', value: d }],
        }
        const streak = failureStreak(build, [earlier])
        const keys = new Map([build.buildId, other.buildId].map((id) => [id, ['same']]))
        const report = buildReport(
          reported({
            facts: build,
            streak,
            lastSuccess: streak.lastSuccess,
            origin: failureOrigin({ build, streak, others: [other], days: 14, keys }),
            failures: [failure(a, b), failure(c, null)],
            failedTests: { total: 7, rows: [{ test: testCase(d), failure: failure(b, a) }] },
          }),
        )
        for (const { type, value = '', url } of nodesOf(reportMarkdown(report, seconds))) {
          if (type === 'html')
            expect(value).toMatch(
              /^(?:<details open>|<details>)?(?:<summary>Stack trace<\/summary>)?$|^<\/details>$/,
            )
          if (type === 'text') expect(value).not.toMatch(/Ω|evil|@|#/)
          if (type === 'heading' || type === 'image') expect(url).toBeUndefined()
          if (url !== undefined) {
            expect(url).toMatch(
              /^https:\/\/(?:sightline|builds)\.example\/|^https:\/\/github\.com\/[\w./-]+\/compare\//,
            )
            expect([...own].some((id) => url.includes(id)) || url.includes('/compare/')).toBe(true)
          }
          expect([
            'blockquote',
            'list',
            'image',
            'thematicBreak',
            'definition',
            'linkReference',
          ]).not.toContain(type)
        }
      }),
      { numRuns: runs(150) },
    )
  })
})

function testCase(name: string) {
  return {
    task: ':test',
    className: 'com.example.ShopTest',
    name,
    outcome: 'failed' as const,
    runs: [],
    durationMs: 5,
  }
}
