import { groupByPolicy, type PolicyGroup, policyKey, policyName } from '../policy/policy-group.ts'
import { type ScanReport, utcText } from '../policy/scan-report.ts'
import { requiredOf, uncheckedPolicies } from '../policy/severity.ts'
import { waivedSentence, waivedVerdict } from '../policy/waived-verdict.ts'
import { packagePath } from '../protocol/package-address.ts'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import type { ProblemError } from '../protocol/problem.ts'
import type { Waiver } from '../protocol/waiver.ts'
import type { Evaluation } from './evaluate.ts'
import type { Subject } from './subject.ts'

/** How the tool ends because of an evaluation: 0 satisfied, 1 unsatisfied, 3 undecided. */
export type ScanExit = 0 | 1 | 3

/** What is made of an evaluation. */
export interface ScanOutcome {
  readonly exit: ScanExit
  /** One sentence for people, with the next step where there is one. */
  readonly sentence: string
  /** Undefined where nothing was answered. */
  readonly report: ScanReport | undefined
}

/** What lets a package pass that would not otherwise. */
export interface Leniency {
  readonly acceptWaivers: boolean
  readonly allowEmpty: boolean
  /** What keeps it from passing: policies that must have been applicable, as `requiredOf` reads them. */
  readonly requireApplicable: readonly string[]
}

/**
 * Judges an evaluation. Whatever may hide a failure (a broken stream, parts that are no results,
 * statuses that are not known) never passes; waived failures fail unless waivers are accepted.
 * `waivers` is undefined where it is not known what is waived.
 */
export function scanOutcome(
  subject: Subject,
  evaluation: Evaluation,
  waivers: readonly Waiver[] | undefined,
  {
    acceptWaivers,
    allowEmpty,
    requireApplicable,
    target,
    by,
  }: Leniency & { readonly target: Target; readonly by?: string | undefined },
): ScanOutcome {
  if (evaluation.is === 'refused') {
    const sentence = refusalSentence(evaluation.problem, subject.scan, target)
    return { exit: 3, sentence, report: undefined }
  }
  const { results, unreadable, broken, at, record } = evaluation
  const groups = worstFirst(groupByPolicy(results))
  const scan = {
    packagePath: packagePath(subject.address),
    sha256: subject.sha256,
    scan: subject.scan,
  }
  const complete = broken === undefined
  const waived = waivedVerdict(
    groups,
    { unreadable, complete },
    { waivers: waivers ?? [], scan, now: at },
  )
  const caveats = [
    ...(broken === undefined
      ? []
      : [
          `The response ended after ${counted(results.length, 'result')}: ${broken.sentence} The missing results may include failures.`,
        ]),
    ...(unreadable === 0
      ? []
      : [
          `${counted(unreadable, 'part')} of the response couldn't be read as results, so none of it counts as passed.`,
        ]),
  ]
  // What reads a file looks for entries: one without any would look like a pass.
  if (waived.verdict === 'nothing-applied' && !allowEmpty) {
    caveats.push(
      'Publish attestations first, use --wait to wait for them, or --allow-empty to accept this.',
    )
  }
  const missing = missingText(groups, requireApplicable)
  const { purl, sha256, repositoryUrl } = subject
  const report: ScanReport = {
    scan: subject.scan,
    purl,
    sha256,
    repositoryUrl,
    evaluatedAt: at,
    verdict: waived.said,
    ...(waivers === undefined ? {} : { beside: waived }),
    ...(acceptWaivers ? { acceptsWaivers: true } : {}),
    groups,
    caveats: [...caveats, ...missing],
    record:
      record === undefined
        ? undefined
        : { id: record.slice(record.lastIndexOf('/') + 1), address: record, by },
  }
  const said = waivedSentence(waived, utcText)
  const end = (exit: ScanExit, ...more: string[]): ScanOutcome => ({
    exit,
    sentence: [said, ...more, ...caveats, ...missing].join(' '),
    report,
  })
  if (missing.length > 0) return end(1)
  switch (waived.verdict) {
    case 'releasable':
      return end(0)
    case 'not-releasable':
      return end(1)
    case 'releasable-with-waivers':
      return acceptWaivers
        ? end(0, 'Passes because of --accept-waivers.')
        : end(1, 'Fails without --accept-waivers.')
    case 'nothing-applied':
      return allowEmpty ? end(0, 'Passes because of --allow-empty.') : end(3)
    case 'undecided': {
      const unknown = groups
        .flatMap((group) => group.results)
        .filter(({ status }) => status === 'unknown')
      const words = [...new Set(unknown.map(({ statusText }) => `“${statusText}”`))].slice(0, 5)
      return words.length === 0
        ? end(3)
        : end(3, `Unknown status ${words.join(', ')}, which never counts as passed.`)
    }
  }
}

/** As people read a report: in each format what fails stands above the rest. */
function worstFirst(groups: readonly PolicyGroup[]): readonly PolicyGroup[] {
  const order: readonly PolicyStatus[] = ['unsatisfied', 'unknown', 'satisfied', 'not-applicable']
  return [...groups].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status))
}

/** What was required and not checked, and what the scan does not have at all: sentences. */
function missingText(groups: readonly PolicyGroup[], required: readonly string[]): string[] {
  const lacking = requiredOf(uncheckedPolicies(groups), required)
  const unknown = required.filter(
    (one) =>
      one !== 'all' &&
      one !== 'high' &&
      !groups.some(({ name, key }) => name === one || key === policyKey(one)),
  )
  const names = lacking.map(({ uri }) => policyName(uri).name)
  const were = names.length === 1 ? 'was' : 'were'
  return [
    ...(names.length === 0 ? [] : [`Required, but ${were} not applicable: ${names.join(', ')}.`]),
    ...(unknown.length === 0 ? [] : [`Required, but not in the response: ${unknown.join(', ')}.`]),
  ]
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Who refused, as far as the next step depends on it. */
export interface Target {
  readonly who: string
  /** The setting of the credential that was shown; undefined where none was. */
  readonly credential: string | undefined
  readonly isServer: boolean
}

/** Why there is no answer, and who can do what next: one or two plain sentences. */
export function refusalSentence(
  fault: ProblemError,
  scan: string,
  { who, credential, isServer }: Target,
): string {
  const { status, problem, message } = fault
  const said = `(${status}: ${message})`
  if (isServer && (problem.upstreamStatus === 401 || problem.upstreamStatus === 403)) return message
  switch (status) {
    case 400:
      return `Inconclusive: ${who} rejected the request: ${message}`
    case 401:
      if (isServer) {
        return credential === undefined
          ? `Inconclusive: ${who} requires an access token ${said}. Set SIGHTLINE_TOKEN, or use the policy service directly with SIGHTLINE_GOVERNOR_URL.`
          : `Inconclusive: ${who} rejects the access token in ${credential} ${said}.`
      }
      return credential === undefined
        ? `Inconclusive: ${who} requires credentials ${said}. Set SIGHTLINE_GOVERNOR_BASIC or SIGHTLINE_GOVERNOR_BEARER.`
        : `Inconclusive: ${who} rejects the credentials in ${credential} ${said}. They may be mistyped, expired or revoked.`
    case 403:
      // Sightline's own refusal says which role or limit it is about.
      if (problem.requires !== undefined) return `Inconclusive: ${message}`
      return `Inconclusive: ${who} doesn't let this user read the package or its repository ${said}. Check --repository-url, or request the permission.`
    case 404:
      return problem.type.endsWith(':no-governor')
        ? `Inconclusive: ${message}`
        : `Inconclusive: policy scan “${scan}” doesn't exist, or this user can't see it ${said}. Check --scan and the URL of the policy service.`
    case 429:
      return `Inconclusive: ${who} is too busy. ${message}`
    default:
      return `Inconclusive: ${message}`
  }
}
