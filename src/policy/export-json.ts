import type { PolicyResult } from '../protocol/policy-result.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { documentPieces, type JsonDocument } from './json-document.ts'
import type { PolicyGroup } from './policy-group.ts'
import { waivedPolicies } from './report-waivers.ts'
import type { ScanReport } from './scan-report.ts'

/**
 * The report as indented JSON: the verdict, and each result as it was read. Where it is known what is
 * waived, the verdict that counts waivers and the waivers themselves stand beside what was said.
 */
export function exportJson(report: ScanReport): string {
  return [...jsonPieces(report)].join('')
}

/** As `exportJson`, in pieces that are short work each. */
export function* jsonPieces(report: ScanReport): Generator<string, void, undefined> {
  const { groups, evaluatedAt, verdict, beside, ...rest } = report
  yield* documentPieces({
    head: {
      ...rest,
      evaluatedAt: new Date(evaluatedAt).toISOString(),
      verdict: verdict.verdict,
      counts: verdict.counts,
      ...(beside === undefined
        ? {}
        : {
            verdictWithWaivers: beside.verdict,
            waivers: waivedPolicies(report).map(({ waiver }) => told(waiver)),
          }),
    },
    list: 'policies',
    items: policies(groups),
  })
  yield '\n'
}

function* policies(groups: readonly PolicyGroup[]): Generator<JsonDocument, void, undefined> {
  for (const { results, ...head } of groups) yield { head, list: 'results', items: texts(results) }
}

function* texts(results: readonly PolicyResult[]): Generator<string, void, undefined> {
  for (const result of results) yield JSON.stringify(result, null, 2)
}

function told({
  policyUri,
  reason,
  person,
  by,
  createdAt,
  expiresAt,
  carriedFrom,
}: Waiver): object {
  return {
    policyUri,
    reason,
    person,
    by,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    carriedFrom: carriedFrom ?? null,
  }
}
