import type { BoardOutcome } from '../protocol/board-run.ts'
import { parseTime } from '../protocol/clock.ts'
import type { EvaluationSummary, NamedDate, RunReasons } from '../protocol/evaluation.ts'
import type { PolicyResult, PolicyStatus } from '../protocol/policy-result.ts'
import { cutText, shortText } from '../protocol/untrusted-text.ts'
import { causesOf, mostCauses, ownerOf } from './failure-causes.ts'
import { isWorse, policyKey } from './policy-group.ts'
import { requiredIn, severityOf, uncheckedPolicies } from './severity.ts'
import { scanVerdict } from './verdict.ts'

/** What remains of an answer for a board: it holds no results, however many come. */
export interface BoardTally {
  readonly add: (result: PolicyResult) => void
  /** Parts of the answer that were no results. */
  readonly addUnreadable: (count: number) => void
  readonly reasons: () => RunReasons
  /** What the whole answer comes to, by the rules of `groupByPolicy` and `scanVerdict`. */
  readonly outcome: (evaluation: string | null) => BoardOutcome
}

interface TalliedPolicy {
  readonly policyUri: string
  status: PolicyStatus
  /** One plain sentence. */
  remedy: string
  /** How the result came out that the remedy is of. */
  saidOf: PolicyStatus
  /** Of the results that came out like the policy itself. */
  causes: ReadonlySet<string>
  /** Times after the run that its results name, by what they are and their name. */
  dates: ReadonlyMap<string, NamedDate>
  /** Those that are read, each of the first result that has it. */
  labels: Readonly<Record<string, string>>
}

const mostNamed = 50
const mostSatisfied = 200
const mostDates = 8

// There may be 100,000 policies, of which most have none of these.
const noCauses: ReadonlySet<string> = new Set()
const noDates: ReadonlyMap<string, NamedDate> = new Map()
const noLabels = {}

/** A tally of nothing yet, of an answer that began at `begunAt`, epoch ms; `require` as in `requiredOf`. */
export function createBoardTally(begunAt: number, require: readonly string[] = []): BoardTally {
  const policies = new Map<string, TalliedPolicy>()
  let results = 0
  let unreadable = 0
  return {
    add: (result) => {
      results += 1
      const { policyUri, status, remediation, labels } = result
      const key = policyKey(policyUri)
      const policy = policies.get(key)
      if (policy === undefined) {
        policies.set(key, {
          policyUri: own(policyUri),
          status,
          remedy: sentenceOf(remediation),
          saidOf: status,
          causes: withCauses(noCauses, result),
          dates: withDates(noDates, namedDates(result, begunAt)),
          labels: readLabels(labels),
        })
        return
      }
      policy.dates = withDates(policy.dates, namedDates(result, begunAt))
      if (isWorse(status, policy.status)) {
        policy.status = status
        policy.causes = noCauses
      }
      if (status === policy.status) policy.causes = withCauses(policy.causes, result)
      policy.labels = { ...readLabels(labels), ...policy.labels }
      // What a failing result says comes before what a passing one says of the same policy.
      if (remediation === '' || (policy.remedy !== '' && !isWorse(status, policy.saidOf))) return
      policy.remedy = sentenceOf(remediation)
      policy.saidOf = status
    },
    addUnreadable: (count) => {
      unreadable += count
    },
    reasons: () => reasonsOf(policies, require),
    outcome: (evaluation) => {
      const { verdict, counts } = scanVerdict([...policies.values()], {
        unreadable,
        complete: true,
      })
      const reasons = reasonsOf(policies, require)
      const uris = [...policies.values()].flatMap(({ status, policyUri }) =>
        status === 'unsatisfied' ? [policyUri] : [],
      )
      return {
        verdict,
        counts,
        results,
        unreadable,
        ...reasons,
        failing: failingOnBoard(reasons.failing, uris),
        evaluation,
      }
    },
  }
}

function reasonsOf(
  policies: ReadonlyMap<string, TalliedPolicy>,
  require: readonly string[],
): RunReasons {
  return {
    failing: [...failing(policies, 'unsatisfied'), ...failing(policies, 'unknown')].slice(
      0,
      mostNamed,
    ),
    notApplicable: uncheckedPolicies([...policies.values()]).slice(0, mostNamed),
    // What satisfied a policy no longer matters once another result fails it.
    dates: [...policies.values()]
      .flatMap(({ status, dates }) =>
        [...dates.values()].filter(
          ({ is }) => is === (status === 'satisfied' ? 'validity-ends' : 'takes-effect'),
        ),
      )
      .sort((a, b) => a.at - b.at)
      .slice(0, mostNamed),
    satisfied: [...policies]
      .flatMap(([key, { status }]) => (status === 'satisfied' ? [own(key)] : []))
      .slice(0, mostSatisfied),
    ...requiredIn(policies.values(), require),
  }
}

/**
 * What a recorded run says on a board; one that an older release recorded says only which policies fail.
 * `before` are those that may count in its place, the newest first.
 */
export function recordedOutcome(
  summary: EvaluationSummary,
  before: readonly EvaluationSummary[] = [],
): BoardOutcome {
  const { id, by, ended, verdict, counts, results, unreadable, reasons } = summary
  return {
    verdict,
    counts,
    results,
    unreadable,
    by,
    evaluation: id,
    ...(ended === 'complete' ? {} : { ended }),
    ...reasons,
    failing: failingOnBoard(reasons?.failing ?? [], summary.failing),
    ...(before.length > 0 && {
      before: before.map((run) => ({ at: run.endedAt, outcome: recordedOutcome(run) })),
    }),
  }
}

/**
 * What fails on a board: policies of which it is known why, then others that fail, by their URI alone, so
 * that waivers of very many are counted; 10,000 in all.
 */
function failingOnBoard(
  explained: RunReasons['failing'],
  uris: readonly string[],
): RunReasons['failing'] {
  const named = new Set(explained.map(({ uri }) => policyKey(uri)))
  const others = uris.filter((uri) => !named.has(policyKey(uri)))
  return [
    ...explained,
    ...others.map((uri) => ({ uri, status: 'unsatisfied' as const, remedy: '' })),
  ].slice(0, mostFailing)
}

const mostFailing = 10_000

/** The earliest of each name; texts are copies. */
function withDates(
  before: ReadonlyMap<string, NamedDate>,
  found: readonly NamedDate[],
): ReadonlyMap<string, NamedDate> {
  if (found.length === 0) return before
  const dates = new Map(before)
  for (const { uri, is, name, at } of found) {
    const key = `${is} ${name}`
    const known = dates.get(key)
    if (known === undefined && dates.size === mostDates) continue
    if (known === undefined || at < known.at) {
      dates.set(own(key), { uri: own(uri), is, name: own(name), at })
    }
  }
  return dates
}

function failing(
  policies: ReadonlyMap<string, TalliedPolicy>,
  wanted: 'unsatisfied' | 'unknown',
): RunReasons['failing'] {
  return [...policies.values()].flatMap(({ policyUri, status, remedy, causes, labels }) => {
    if (status !== wanted) return []
    const owner = ownerOf(labels)
    return [
      {
        uri: policyUri,
        status: wanted,
        remedy,
        causes: [...causes],
        ...(owner === undefined ? {} : { owner }),
      },
    ]
  })
}

function withCauses(
  before: ReadonlySet<string>,
  { status, details }: PolicyResult,
): ReadonlySet<string> {
  const isWanted = status === 'unsatisfied' || status === 'unknown'
  if (!isWanted || before.size === mostCauses) return before
  return new Set([...before, ...causesOf(details).map(own)].slice(0, mostCauses))
}

/** The labels for severity and owner, so that no result is held for its others. */
function readLabels(labels: PolicyResult['labels']): Readonly<Record<string, string>> {
  const severity = severityOf(labels)
  const owner = ownerOf(labels)
  if (severity === '' && owner === undefined) return noLabels
  return {
    ...(severity === '' ? {} : { severity: own(severity) }),
    ...(owner === undefined ? {} : { owner: own(owner) }),
  }
}

function sentenceOf(remediation: string): string {
  return remediation === '' ? '' : own(plainSentence(remediation))
}

/** A copy: a part of a text keeps all of that text in memory. */
function own(text: string): string {
  return Array.from(text).join('')
}

const longest = 200

/**
 * The first sentence of a Markdown text as plain words, at most 200 characters: for places where one
 * line must do. Code blocks, headings and marks are left out; empty where nothing is left.
 */
export function plainSentence(markdown: string): string {
  const paragraph = markdown
    .slice(0, 4000)
    .replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, '\n')
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^(?:#{1,6}\s.*|>+\s?|[-*+]\s+|\d{1,6}[.)]\s+)/, ''))
    .find((line) => line !== '' && !/^[-*_=|: ]+$/.test(line))
  const words = (paragraph ?? '')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/!?\[([^\]]{0,300})\]\([^)]{0,2000}\)/g, '$1')
    .replace(/(\*\*|__|`)(?=\S)(.{1,500}?)\1/g, '$2')
    .replace(/\s+/g, ' ')
    .trim()
  // A full stop inside a name or a version is followed by no space.
  const sentence = /^.+?[.!?](?=\s+\p{Lu})/u.exec(words)?.[0] ?? words
  return shortText(sentence, longest)
}

/** How servers name the time until which something is valid. */
const validity =
  /^(?:not[_-]?after|valid[_-]?(?:until|to|thru|through)|expir(?:y|es|ation)(?:[_-]?(?:at|on|date|time))?|expires)$/i
/** How labels name the day from which a policy counts. */
const effect = /(?:^|[/._-])(?:effective|enforced?|enforcement)[._-]?(?:on|from|since|date|at)?$/i

const deepest = 6
const mostValues = 2000
const longestName = 80

/**
 * The times after `since` (epoch ms) that a result names: of a satisfied one until when its details
 * are valid, of any other the label with the day from which its policy counts. Each name once, with the
 * earliest of its times.
 */
function namedDates(result: PolicyResult, since: number): readonly NamedDate[] {
  const found = new Map<string, number>()
  const add = (name: string, value: unknown): void => {
    const at = readMoment(value)
    const short = cutText(name, longestName)
    if (at !== undefined && at > since) found.set(short, Math.min(at, found.get(short) ?? at))
  }
  if (result.status === 'satisfied') lookForValidity(result.details, add)
  else
    for (const [name, value] of Object.entries(result.labels))
      if (effect.test(name)) add(name, value)
  const is = result.status === 'satisfied' ? 'validity-ends' : 'takes-effect'
  return [...found].map(([name, at]) => ({ uri: result.policyUri, is, name, at }))
}

function lookForValidity(details: unknown, add: (name: string, value: unknown) => void): void {
  let left = mostValues
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > deepest) return
    for (const [field, inner] of Object.entries(value)) {
      if ((left -= 1) < 0) return
      if (validity.test(field)) add(field, inner)
      look(inner, depth + 1)
    }
  }
  look(details, 0)
}

/** A time as JSON has it: ISO 8601, a day (its start in UTC), or seconds or ms since 1970. */
function readMoment(value: unknown): number | undefined {
  if (typeof value === 'number') {
    const at = Math.round(value < 100_000_000_000 ? value * 1000 : value)
    return at > 0 && at <= 8_640_000_000_000_000 ? at : undefined
  }
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(value)) return undefined
  const at = parseTime(value)
  return Number.isNaN(at) ? undefined : at
}
