import { groupByPolicy, type PolicyGroup, policyName } from '../policy/policy-group.ts'
import { reportSentence, type ScanReport } from '../policy/scan-report.ts'
import {
  type AbsentPolicies,
  absentPolicies,
  requiredOf,
  type RunPolicies,
  uncheckedPolicies,
} from '../policy/severity.ts'
import { scanVerdict } from '../policy/verdict.ts'
import { type WaivedVerdict, waivedVerdict } from '../policy/waived-verdict.ts'
import { countText } from '../protocol/count.ts'
import { byPlace, placeKey } from '../protocol/decision.ts'
import { packagePath } from '../protocol/package-address.ts'
import type { UncheckedPolicy } from '../protocol/evaluation.ts'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import type { ProblemError } from '../protocol/problem.ts'
import type { Evaluation } from './evaluate.ts'
import type { KnownWaivers } from './scan-source.ts'
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
  /** Whether the response came to its end. */
  readonly isWhole: boolean
}

/** What lets a package pass that would not otherwise. */
export interface Leniency {
  readonly acceptWaivers: boolean
  readonly allowEmpty: boolean
  /** What keeps it from passing: policies that must have been applicable, as `requiredOf` reads them. */
  readonly requireApplicable: readonly string[]
}

/** An evaluation with what else it is judged by. */
export interface Evaluated {
  readonly subject: Subject
  readonly evaluation: Evaluation
  /** Undefined where it is not known what is waived. */
  readonly waivers: KnownWaivers | undefined
  /** The name of whoever's credential it is. */
  readonly by?: string | undefined
}

/**
 * Judges evaluations, those of a board together: a policy that is required by name may be in any scan of a package.
 * Whatever may hide a failure (a broken stream, parts that are no results,
 * statuses that are not known) never passes; waived failures fail unless waivers are accepted.
 */
export function scanOutcomes(
  evaluated: readonly Evaluated[],
  rules: Leniency & { readonly target: Target },
): readonly { readonly subject: Subject; readonly outcome: ScanOutcome }[] {
  const scans = evaluated.map((one) => {
    const { evaluation, subject } = one
    const groups = evaluation.is === 'refused' ? [] : worstFirst(groupByPolicy(evaluation.results))
    const { sha256, repositoryUrl } = subject
    const artifact = { packagePath: packagePath(subject.address), sha256, repositoryUrl, scan: '' }
    return { ...one, groups, artifact, policies: policiesOf(evaluation, groups) }
  })
  const byArtifact = byPlace(scans.map(({ artifact, policies }) => ({ ...artifact, policies })))
  return scans.map(({ artifact, ...one }) => {
    const ofPackage = byArtifact.get(placeKey(artifact)) ?? []
    const policies = ofPackage.map((scan) => scan.policies)
    const absent = absentPolicies(rules.requireApplicable, policies)
    return { subject: one.subject, outcome: scanOutcome(one, rules, absent) }
  })
}

function policiesOf(
  evaluation: Evaluation,
  groups: readonly PolicyGroup[],
): RunPolicies | undefined {
  if (evaluation.is === 'refused') return undefined
  const { unreadable, broken } = evaluation
  const uris = (...wanted: readonly PolicyStatus[]): string[] =>
    groups.flatMap(({ status, policyUri }) => (wanted.includes(status) ? [policyUri] : []))
  return {
    counts: scanVerdict(groups, { unreadable, complete: true }).counts,
    unreadable,
    ended: broken === undefined ? 'complete' : 'broken',
    failing: uris('unsatisfied', 'unknown').map((uri) => ({ uri })),
    notApplicable: [...uncheckedPolicies(groups)],
    satisfied: uris('satisfied'),
  }
}

function scanOutcome(
  {
    subject,
    evaluation,
    waivers,
    by,
    groups,
  }: Evaluated & { readonly groups: readonly PolicyGroup[] },
  { acceptWaivers, allowEmpty, requireApplicable, target }: Leniency & { readonly target: Target },
  absent: AbsentPolicies,
): ScanOutcome {
  if (evaluation.is === 'refused') {
    const sentence = refusalSentence(evaluation.problem, subject.scan, target)
    return { exit: 3, sentence, report: undefined, isWhole: false }
  }
  const { results, unreadable, broken, at, record } = evaluation
  const scan = {
    packagePath: packagePath(subject.address),
    sha256: subject.sha256,
    scan: subject.scan,
  }
  const complete = broken === undefined
  const waived = waivedVerdict(
    groups,
    { unreadable, complete },
    // By the clock that they were given and end by: that of a pipeline may be wrong.
    { waivers: waivers?.waivers ?? [], scan, now: waivers?.at ?? at },
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
      groups.length === 0
        ? "Have the policy service's administrator check the scan, or use --allow-empty to accept this."
        : 'Publish attestations first, use --wait to wait for them, or --allow-empty to accept this.',
    )
  }
  const unchecked = requiredOf(uncheckedPolicies(groups), requireApplicable)
  const missing = missingText(unchecked, absent)
  const fails = failsFor(waived.verdict, unchecked.length + absent.names.length, acceptWaivers)
  const { purl, apart, sha256, repositoryUrl } = subject
  const report: ScanReport = {
    scan: subject.scan,
    purl,
    apart,
    sha256,
    repositoryUrl,
    evaluatedAt: at,
    verdict: waived.said,
    ...(waivers === undefined ? {} : { beside: waived }),
    ...(acceptWaivers ? { acceptsWaivers: true } : {}),
    ...(fails === undefined ? {} : { failsFor: fails }),
    groups,
    caveats: [...caveats, ...missing],
    record:
      record === undefined
        ? undefined
        : { id: record.slice(record.lastIndexOf('/') + 1), address: record, by },
  }
  const end = (exit: ScanExit, ...more: string[]): ScanOutcome => ({
    exit,
    sentence: [reportSentence(report), ...more, ...caveats, ...missing].join(' '),
    report,
    isWhole: complete,
  })
  if (missing.length > 0) return end(1)
  switch (waived.verdict) {
    case 'releasable':
      return end(0)
    case 'not-releasable':
      return end(1)
    case 'releasable-with-waivers':
      return acceptWaivers ? end(0, 'Passes because of --accept-waivers.') : end(1)
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

/** What the first sentence says where the scan alone wouldn't fail the package: as the exit code does. */
function failsFor(
  verdict: WaivedVerdict['verdict'],
  missing: number,
  acceptWaivers: boolean,
): string | undefined {
  if (verdict === 'not-releasable') return undefined
  if (missing > 0) {
    const were = missing === 1 ? 'policy was' : 'policies were'
    return `Not releasable: ${countText(missing)} required ${were} not checked.`
  }
  return verdict === 'releasable-with-waivers' && !acceptWaivers
    ? 'Not releasable without --accept-waivers.'
    : undefined
}

/** What was required and not checked, and what no scan of the package has at all: sentences. */
function missingText(
  unchecked: readonly UncheckedPolicy[],
  { names: absent }: AbsentPolicies,
): string[] {
  const names = unchecked.map(({ uri }) => policyName(uri).name)
  const were = names.length === 1 ? 'was' : 'were'
  return [
    ...(names.length === 0 ? [] : [`Required, but ${were} not applicable: ${names.join(', ')}.`]),
    ...(absent.length === 0 ? [] : [`Required, but not in the response: ${absent.join(', ')}.`]),
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

/** Whether a Sightline server says it of its own: what a policy service says it passes on as it is. */
function isOfSightline({ problem: { type } }: ProblemError): boolean {
  return type.startsWith('urn:sightline:')
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
      return `Inconclusive: ${isServer && !isOfSightline(fault) ? 'the policy service' : who} rejected the request: ${message}`
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
      if (problem.type.endsWith(':status-404')) {
        return `Inconclusive: ${who} responds with status 404 and doesn't say why. Check its URL, and --scan.`
      }
      return /:(?:no-governor|not-sightline)$/.test(problem.type)
        ? `Inconclusive: ${message}`
        : `Inconclusive: policy scan “${scan}” doesn't exist, or this user can't see it ${said}. Check --scan and the URL of the policy service.`
    case 429:
      return `Inconclusive: ${who} is too busy. ${message}`
    default:
      return `Inconclusive: ${message}`
  }
}
