import { toolName } from '../protocol/build-tool.ts'
import { countOf } from '../protocol/count.ts'
import { withoutCredentials } from '../protocol/credential-shapes.ts'
import { branchOf, type Facts } from '../protocol/facts.ts'
import { code, codeBlock, shortText } from '../protocol/untrusted-text.ts'
import { fullTestName } from '../protocol/test-insight.ts'
import { commitOf, commitsBetween, shortCommit } from './build-source.ts'
import type { FailureStreak } from './failure-streak.ts'
import { type Failure, stackText } from './failures.ts'
import { type FailureOrigin, originSentence, projectUnknown } from './insight/failure-origin.ts'
import type { TestCase } from './test-cases.ts'

/** What a report of a build is made from; what is not known is left out of it. */
export interface ReportedBuild {
  readonly facts: Facts
  /** Undefined where its events couldn't be read. */
  readonly failures: readonly Failure[] | undefined
  /** The first tests that failed, each with its failure, and how many there are. */
  readonly failedTests: FailedTestCases | undefined
  readonly streak: FailureStreak | undefined
  readonly lastSuccess: Facts | undefined
  readonly origin: FailureOrigin | undefined
  /** Where the build stands: in Sightline, and on the build server. */
  readonly address: string
  readonly serverAddress: string | undefined
}

export interface FailedTestCases {
  readonly total: number
  readonly rows: readonly { readonly test: TestCase; readonly failure: Failure | null }[]
}

/**
 * A build for those who weren't there: a pull request, a message, a script. Texts are cut, and what
 * has the shape of a credential is masked in them. Times are ISO 8601, durations ms.
 */
export interface BuildReport {
  readonly build: {
    readonly id: string
    readonly url: string
    readonly buildScan: string | null
    readonly tool: string
    readonly toolVersion: string
    readonly project: string | null
    readonly requested: readonly string[]
    readonly branch: string | null
    readonly commit: string | null
    readonly outcome: 'succeeded' | 'failed' | null
    readonly durationMs: number | null
    readonly startedAt: string | null
  }
  /** Null where it isn't known why it ended as it did, and so are its failed tests. */
  readonly failures: readonly ReportedFailure[] | null
  readonly failedTests: {
    readonly count: number
    readonly tests: readonly (ReportedFailure & { readonly test: string })[]
  } | null
  /** Whether the failure is new; null for a build that didn't fail, or where it isn't known. */
  readonly origin: {
    readonly verdict: FailureOrigin['verdict']
    readonly summary: string
    readonly summaryMarkdown: string
    /** With this one. */
    readonly failuresInARow: number
    readonly seenElsewhere: number
    readonly branches: readonly string[]
  } | null
  /** The last success of the same work on the branch; null where it isn't known. */
  readonly lastSuccess: {
    readonly id: string
    readonly comparison: string
    readonly commits: {
      readonly from: string
      readonly to: string
      readonly url: string | null
    } | null
  } | null
}

/** Why something failed, in short and in full. */
export interface ReportedFailure {
  /** The path of the task, or the goal with its project. */
  readonly task: string | null
  readonly exception: string | null
  readonly message: string | null
  readonly stackTrace: string | null
}

/** A comment on GitHub holds 65,536 characters. */
const mostFailures = 3
const mostTests = 5
const longestMessage = 1_500
const longestTrace = 5_000
const longestName = 300

/** Puts the report of a build together. */
export function buildReport(build: ReportedBuild): BuildReport {
  const { facts, failures, failedTests, streak, lastSuccess, origin, address } = build
  const { startTime, outcome } = facts
  return {
    build: {
      id: facts.buildId,
      url: address,
      buildScan: build.serverAddress ?? null,
      tool: facts.buildTool,
      toolVersion: facts.buildToolVersion,
      project: known(facts.project),
      requested: (facts.requested ?? []).slice(0, 20).map((work) => cut(work, longestName)),
      branch: known(branchOf(facts)),
      commit: known(commitOf(facts)),
      outcome: outcome ?? null,
      durationMs: facts.durationMs ?? null,
      startedAt: typeof startTime === 'number' ? new Date(startTime).toISOString() : null,
    },
    failures: failures?.slice(0, mostFailures).map(failureText) ?? null,
    failedTests:
      failures === undefined && failedTests === undefined ? null : failedTestsOf(failedTests),
    origin:
      outcome !== 'failed' || origin === undefined || streak === undefined
        ? null
        : {
            verdict: origin.verdict,
            summary: originSentence({ streak }, origin, shortName),
            summaryMarkdown: originSentence({ streak }, origin, (branch) =>
              code(shortName(branch)),
            ),
            failuresInARow: streak.failures,
            seenElsewhere: origin.elsewhere.length,
            branches: origin.branches.slice(0, 10).map(shortName),
          },
    lastSuccess: lastSuccess === undefined ? null : lastSuccessOf(lastSuccess, facts, address),
  }
}

function lastSuccessOf(
  lastSuccess: Facts,
  facts: Facts,
  address: string,
): NonNullable<BuildReport['lastSuccess']> {
  const range = commitsBetween(lastSuccess, facts)
  return {
    id: lastSuccess.buildId,
    comparison: `${address}?compare=${lastSuccess.buildId}`,
    commits: range === undefined ? null : { ...range, url: range.url ?? null },
  }
}

function failureText(failure: Failure): ReportedFailure {
  const { path, exceptions } = failure
  const cause = exceptions.findLast(({ message }) => (message ?? '').trim() !== '')
  const thrown = cause ?? exceptions.at(-1)
  return {
    task: known(path),
    exception: known(thrown?.className),
    message:
      typeof thrown?.message === 'string' ? cut(thrown.message.trim(), longestMessage) : null,
    stackTrace: exceptions.length === 0 ? null : cut(stackText(failure), longestTrace),
  }
}

function known(text: string | null | undefined): string | null {
  return text === undefined || text === null || text === '' ? null : shortName(text)
}

function shortName(text: string): string {
  return cut(text, longestName)
}

function cut(text: string, longest: number): string {
  // Masked before it is cut: half of a credential has no shape.
  return shortText(withoutCredentials(text), longest)
}

function failedTestsOf(
  failed: FailedTestCases | undefined,
): NonNullable<BuildReport['failedTests']> {
  return {
    count: failed?.total ?? 0,
    tests: (failed?.rows ?? []).slice(0, mostTests).map(({ test, failure }) => ({
      test: cut(fullTestName(test), longestName),
      ...(failure === null
        ? { exception: null, message: null, stackTrace: null }
        : failureText(failure)),
      task: known(test.task),
    })),
  }
}

/** Said of a build whose events couldn't be read, unless it succeeded. */
function unknownCause({ build, failures }: BuildReport): readonly string[] {
  return failures === null && build.outcome !== 'succeeded'
    ? ["Its failures and failed tests aren't known."]
    : []
}

/** Whether the failure is new, in one sentence; undefined where nothing can be said. */
function originText(
  { build, origin }: BuildReport,
  as: 'summary' | 'summaryMarkdown',
): string | undefined {
  if (origin !== null) return origin[as]
  return build.outcome === 'failed' && build.project === null ? projectUnknown : undefined
}

/**
 * The report as Markdown for a comment on a pull request. Whatever a build says stands in code, so that
 * none of it is a heading, a link, HTML or a mention. `duration` puts milliseconds into words.
 */
export function reportMarkdown(report: BuildReport, duration: (ms: number) => string): string {
  const { build, lastSuccess } = report
  const mine = originText(report, 'summaryMarkdown')
  const failures = report.failures ?? []
  const { count, tests } = report.failedTests ?? failedTestsOf(undefined)
  const left = count - tests.length
  return `${[
    `## ${outcomeMarks[build.outcome ?? 'unknown']} ${endingText(report, duration)}`,
    factsLine(build),
    ...(mine === undefined ? [] : [`**Is this failure mine?** ${mine}`]),
    ...unknownCause(report),
    ...(tests.length === 0 ? [] : [`### Failed tests (${count})`]),
    ...tests.map((test, index) => failureMarkdown(test.test, test, index === 0)),
    ...(left > 0 ? [`And ${countOf(left, 'more failed test')}.`] : []),
    ...(failures.length === 0 ? [] : ['### Why it failed']),
    ...failures.map((failure, index) =>
      failureMarkdown(
        failure.task ?? failure.exception ?? 'Failure',
        failure,
        tests.length + index === 0,
      ),
    ),
    ...(lastSuccess === null ? [] : [sinceText(lastSuccess)]),
  ].join('\n\n')}\n`
}

const outcomeMarks = { succeeded: '✅', failed: '❌', unknown: '❔' }

/** "Failed after 1 min 12 s", in words of our own alone. */
function endingText({ build }: BuildReport, duration: (ms: number) => string): string {
  const { outcome, durationMs, tool } = build
  const after = durationMs === null ? '' : ` after ${duration(durationMs)}`
  const what = toolNames.has(tool) ? `${toolName(tool)} build` : 'Build'
  return outcome === null ? `${what} without a known outcome` : `${what} ${outcome}${after}`
}

const toolNames: ReadonlySet<string> = new Set(['gradle', 'maven', 'bazel', 'sbt', 'npm', 'python'])

function factsLine(build: BuildReport['build']): string {
  const { project, requested, branch, commit, toolVersion, url, buildScan, id } = build
  return [
    ...(project === null ? [] : [code(project)]),
    ...(requested.length === 0 ? [] : [code(requested.join(' '))]),
    ...(branch === null ? [] : [`branch ${code(branch)}`]),
    ...(commit === null ? [] : [`commit ${code(shortCommit(commit))}`]),
    ...(toolVersion === '' ? [] : [`version ${code(shortName(toolVersion))}`]),
    link(`Build ${id}`, url),
    ...(buildScan === null ? [] : [link('Build Scan', buildScan)]),
  ].join(' · ')
}

function failureMarkdown(title: string, failure: ReportedFailure, isOpen: boolean): string {
  const { exception, message, stackTrace } = failure
  return [
    `✕ ${code(title)}${exception === null || exception === title ? '' : ` · ${code(exception)}`}`,
    ...(message === null ? [] : [codeBlock(message)]),
    ...(stackTrace === null
      ? []
      : [
          `<details${isOpen ? ' open' : ''}><summary>Stack trace</summary>`,
          codeBlock(stackTrace),
          '</details>',
        ]),
  ].join('\n\n')
}

function sinceText({ id, comparison, commits }: NonNullable<BuildReport['lastSuccess']>): string {
  const between =
    commits === null
      ? ''
      : `, commits ${code(commits.from)} to ${code(commits.to)}${commits.url === null ? '' : ` (${link('compare', commits.url)})`}`
  return `Last success: ${link(id, comparison)}${between}.`
}

/** `text` is ours. An address can't leave its place: what would end it is encoded. */
function link(text: string, address: string): string {
  const escaped = address.replace(
    /[\s()<>\\`]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
  return `[${text}](${escaped})`
}

/** The report for a terminal, a fact on each line; `line` makes one line of a text that is shown. */
export function reportText(
  report: BuildReport,
  duration: (ms: number) => string,
  line: (text: string) => string,
): string {
  const { build, lastSuccess } = report
  const mine = originText(report, 'summary')
  const failures = report.failures ?? []
  const { count, tests } = report.failedTests ?? failedTestsOf(undefined)
  const facts: readonly (readonly [string, string | null])[] = [
    ['Project', build.project],
    ['Requested', build.requested.join(' ') || null],
    ['Branch', build.branch],
    ['Commit', build.commit],
    ['Started', build.startedAt],
    ['Build', build.url],
    ['Build Scan', build.buildScan],
    ['Last success', lastSuccess === null ? null : `${lastSuccess.id} (${lastSuccess.comparison})`],
  ]
  const left = count - tests.length
  const cause = (title: string, { message }: ReportedFailure): readonly string[] => [
    '',
    `✕ ${line(title)}`,
    ...(message ?? '')
      .split(/\r?\n/)
      .filter((part) => part.trim() !== '')
      .map((part) => `  | ${line(part)}`),
  ]
  return [
    `${endingText(report, duration)}.`,
    ...(mine === undefined ? [] : [line(`Is this failure mine? ${mine}`)]),
    ...facts.flatMap(([name, text]) => (text === null ? [] : [`${name}: ${line(text)}`])),
    ...unknownCause(report),
    ...tests.flatMap((test) => cause(test.test, test)),
    ...(left > 0 ? ['', `And ${countOf(left, 'more failed test')}.`] : []),
    ...failures.flatMap((one) => cause(one.task ?? one.exception ?? 'Failure', one)),
    '',
  ].join('\n')
}
