import { decodedSegment } from '../protocol/package-address.ts'
import type { PolicyResult } from '../protocol/policy-result.ts'
import { textHash } from './board.ts'
import { documentPieces } from './exports.ts'
import type { PolicyGroup } from './policy-group.ts'
import { detailsText, resultDetails } from './result-details.ts'
import {
  packageName,
  reportFacts,
  reportSentence,
  type ScanReport,
  waiverOf,
  waiverText,
} from './scan-report.ts'

const schema = 'https://json.schemastore.org/sarif-2.1.0.json'

/** Reports as SARIF 2.1.0, for code scanning: see `sarifPieces`. */
export function exportSarif(...reports: readonly ScanReport[]): string {
  return [...sarifPieces(...reports)].join('')
}

/**
 * Reports as SARIF 2.1.0, in pieces that are short work each: one run with a rule for each policy, and
 * a result for each evaluation that did not pass. Code scanning takes every result for an alert,
 * whatever its kind, and refuses a file in which one has no physical location or in which two runs have
 * one category (docs/pipelines.md#sarif). A response that was not whole is a result of its own, so that
 * no alert is closed because of it.
 */
export function* sarifPieces(
  ...reports: readonly ScanReport[]
): Generator<string, void, undefined> {
  const rules = rulesOf(reports)
  const caveats = reports.flatMap((report) => report.caveats)
  const [first] = reports
  const only = reports.length === 1 ? first : undefined
  const run = {
    tool: { driver: { name: 'Sightline policy scan', rules: [...rules.values()] } },
    automationDetails: {
      id: only === undefined ? 'policy-scans/' : `policy-scan/${only.scan}/${only.purl}/`,
    },
    invocations: [
      {
        executionSuccessful: caveats.length === 0,
        endTimeUtc: new Date(Math.max(0, ...reports.map((one) => one.evaluatedAt))).toISOString(),
        ...(caveats.length === 0
          ? {}
          : {
              toolExecutionNotifications: caveats.map((text) => ({
                level: 'error',
                message: { text },
              })),
            }),
      },
    ],
    properties: {
      evaluations: reports.map((report) => ({
        package: report.purl,
        scan: report.scan,
        ...Object.fromEntries(reportFacts(report)),
        counts: report.verdict.counts,
        caveats: report.caveats,
      })),
    },
  }
  yield* documentPieces({
    head: { $schema: schema, version: '2.1.0' },
    list: 'runs',
    items: [{ head: run, list: 'results', items: results(reports, [...rules.keys()]) }],
  })
  yield '\n'
}

const completeEvidence = 'sightline/complete-evidence'

/** One rule for a policy, though several packages have it. */
function rulesOf(reports: readonly ScanReport[]): ReadonlyMap<string, object> {
  const rules = new Map<string, object>()
  for (const { groups } of reports) {
    for (const group of groups) if (!rules.has(group.key)) rules.set(group.key, rule(group))
  }
  if (reports.some(({ caveats }) => caveats.length > 0)) {
    rules.set(completeEvidence, {
      id: completeEvidence,
      name: 'complete-evidence',
      shortDescription: { text: 'The response is whole, and all required evidence is there' },
      help: { text: 'Evaluate again, or publish what is missing: it may include failures.' },
    })
  }
  return rules
}

function* results(
  reports: readonly ScanReport[],
  rules: readonly string[],
): Generator<string, void, undefined> {
  // All results of a run say what suppresses them, or none (section 3.27.23).
  const isWaiverKnown = reports.some(({ beside }) => beside !== undefined)
  const indexes = new Map(rules.map((key, index) => [key, index]))
  const counts = new Map<string, number>()
  /** How often this was told of so far: code scanning takes two results with one fingerprint for one alert. */
  const nthOf = (report: ScanReport, what: string): number => {
    const key = hashOf(report, what)
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    return nth
  }
  for (const report of reports) {
    if (report.caveats.length > 0) {
      yield JSON.stringify(
        {
          ruleId: completeEvidence,
          ruleIndex: indexes.get(completeEvidence),
          ...kinds.unsatisfied,
          message: {
            text: [...whichOf(report), reportSentence(report), ...report.caveats].join(' '),
          },
          ...placeOf(report, completeEvidence, nthOf(report, completeEvidence)),
          ...(isWaiverKnown ? { suppressions: [] } : {}),
        },
        null,
        2,
      )
    }
    for (const group of report.groups) {
      for (const result of group.results) {
        if (result.status === 'satisfied' || result.status === 'not-applicable') continue
        yield JSON.stringify(
          {
            ...sarifResult(report, group, indexes.get(group.key), result, nthOf),
            ...(isWaiverKnown ? { suppressions: suppressions(report, group, result) } : {}),
          },
          null,
          2,
        )
      }
    }
  }
}

function rule(group: PolicyGroup): object {
  return {
    id: group.key,
    name: group.name,
    shortDescription: { text: group.description || group.name },
    ...(group.remediation === ''
      ? {}
      : { help: { text: group.remediation, markdown: group.remediation } }),
    properties: { kind: group.kind, labels: group.labels },
  }
}

/** SARIF has a kind and, for failures alone, a level (section 3.27.10). */
const kinds = {
  unsatisfied: { kind: 'fail', level: 'error' },
  unknown: { kind: 'review', level: 'none' },
} as const

/** Where a result is: as a package is no file, a path that code scanning shows and tells alerts apart by. */
function placeOf(report: ScanReport, what: string, nth: number): object {
  return {
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: packageFile(report.purl) },
          region: { startLine: 1 },
        },
        logicalLocations: [{ fullyQualifiedName: packageName(report), kind: 'package' }],
      },
    ],
    partialFingerprints: {
      'policyAndAttestation/v1': what,
      primaryLocationLineHash: `${hashOf(report, what)}:${nth}`,
    },
  }
}

function hashOf(report: ScanReport, what: string): string {
  return textHash(`${report.scan} ${packageName(report)} ${what}`)
}

/** An alert names its package only where its path is that of others, too. */
function whichOf(report: ScanReport): readonly string[] {
  return report.apart === undefined ? [] : [`${packageName(report)}:`]
}

/** A package as a relative path: "oci/checkout/2.4.0", each part percent-encoded. */
export function packageFile(purl: string): string {
  const path = purl
    .replace(/^pkg:/, '')
    .split(/[/@]/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .map((part) => encodeURIComponent(decodedSegment(part).replace(/\p{Surrogate}/gu, '\ufffd')))
    .join('/')
  return path === '' ? 'package' : path
}

function sarifResult(
  report: ScanReport,
  group: PolicyGroup,
  ruleIndex: number | undefined,
  result: PolicyResult,
  nthOf: (report: ScanReport, what: string) => number,
): object {
  const details = detailsText(result.details)
  const shaped = resultDetails(result.details)
  // A policy has one result for each package, however many one attestation has.
  const about = shaped.shape === 'vulnerable-package' ? ` ${shaped.purl}` : ''
  const what = `${group.key} ${result.attestationUri ?? ''}${about}`
  return {
    ruleId: group.key,
    ruleIndex,
    ...kinds[result.status === 'unsatisfied' ? 'unsatisfied' : 'unknown'],
    message: {
      text: [
        ...whichOf(report),
        `${result.description || group.name}: ${result.statusText}${details && ` (${details})`}`,
      ].join(' '),
    },
    ...placeOf(report, what, nthOf(report, what)),
    properties: {
      scan: report.scan,
      sha256: report.sha256,
      attestationUri: result.attestationUri,
      sourcedFromUri: result.sourcedFromUri,
      details: result.details,
    },
  }
}

/** A waiver is a suppression of the failure that it waives. */
function suppressions(
  report: ScanReport,
  group: PolicyGroup,
  { status }: PolicyResult,
): readonly object[] {
  const waiver = status === 'unsatisfied' ? waiverOf(report, group) : undefined
  if (waiver === undefined) return []
  return [
    {
      kind: 'external',
      status: 'accepted',
      justification: `${waiver.reason} (${waiverText(waiver)})`,
      properties: {
        reason: waiver.reason,
        person: waiver.person,
        by: waiver.by,
        expiresAt: new Date(waiver.expiresAt).toISOString(),
      },
    },
  ]
}
