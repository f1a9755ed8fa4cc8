import type { PolicyResult } from '../protocol/policy-result.ts'
import { documentPieces } from './export-json.ts'
import type { PolicyGroup } from './policy-group.ts'
import { type ScanReport, waiverOf, waiverText } from './scan-report.ts'
import { detailsText } from './result-details.ts'

const schema = 'https://json.schemastore.org/sarif-2.1.0.json'

/** The report as SARIF 2.1.0: a rule for each policy, a result for each evaluation of it. */
export function exportSarif(report: ScanReport): string {
  return [...sarifPieces(report)].join('')
}

/** As `exportSarif`, in pieces that are short work each. */
export function* sarifPieces(report: ScanReport): Generator<string, void, undefined> {
  const rules = report.groups.map(rule)
  const run = {
    tool: { driver: { name: 'Sightline policy scan', rules } },
    invocations: [
      {
        executionSuccessful: report.caveats.length === 0,
        endTimeUtc: new Date(report.evaluatedAt).toISOString(),
        ...(report.caveats.length === 0
          ? {}
          : {
              toolExecutionNotifications: report.caveats.map((text) => ({
                level: 'warning',
                message: { text },
              })),
            }),
      },
    ],
    properties: { scan: report.scan, package: report.purl, sha256: report.sha256 },
  }
  yield* documentPieces({
    head: { $schema: schema, version: '2.1.0' },
    list: 'runs',
    items: [{ head: run, list: 'results', items: results(report) }],
  })
  yield '\n'
}

function* results(report: ScanReport): Generator<string, void, undefined> {
  for (const [ruleIndex, group] of report.groups.entries()) {
    for (const result of group.results) {
      yield JSON.stringify(sarifResult(report, group, ruleIndex, result), null, 2)
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
  satisfied: { kind: 'pass', level: 'none' },
  unsatisfied: { kind: 'fail', level: 'error' },
  'not-applicable': { kind: 'notApplicable', level: 'none' },
  unknown: { kind: 'review', level: 'none' },
} as const

function sarifResult(
  report: ScanReport,
  group: PolicyGroup,
  ruleIndex: number,
  result: PolicyResult,
): object {
  const details = detailsText(result.details)
  return {
    ruleId: group.key,
    ruleIndex,
    ...kinds[result.status],
    message: {
      text: `${result.description || group.name}: ${result.statusText}${details && ` (${details})`}`,
    },
    locations: [{ logicalLocations: [{ fullyQualifiedName: report.purl, kind: 'package' }] }],
    ...suppressions(report, group, result),
    partialFingerprints: {
      'policyAndAttestation/v1': `${group.key} ${result.attestationUri ?? ''}`,
    },
    properties: {
      attestationUri: result.attestationUri,
      sourcedFromUri: result.sourcedFromUri,
      details: result.details,
    },
  }
}

/**
 * A waiver is a suppression. Where waivers are known every result says what suppresses it, also when
 * that is nothing: all results of a run do, or none (section 3.27.23).
 */
function suppressions(report: ScanReport, group: PolicyGroup, { status }: PolicyResult): object {
  if (report.beside === undefined) return {}
  const waiver = status === 'unsatisfied' ? waiverOf(report, group) : undefined
  if (waiver === undefined) return { suppressions: [] }
  return {
    suppressions: [
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
    ],
  }
}
