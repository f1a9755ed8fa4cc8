import type { PolicyResult } from '../protocol/policy-result.ts'
import type { Waiver } from '../protocol/waiver.ts'
import type { PolicyGroup } from './policy-group.ts'
import { reportSentence, type ScanReport, waivedPolicies } from './scan-report.ts'

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
      sentence: reportSentence(report),
      verdict: verdict.verdict,
      counts: verdict.counts,
      unchecked: verdict.unchecked,
      ...(beside === undefined
        ? {}
        : {
            verdictWithWaivers: beside.verdict,
            waivers: waivedPolicies(report).map(({ waiver }) => waiverJson(waiver)),
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

function waiverJson({
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

/** A JSON object whose last member is a long list; its elements are such objects, or JSON texts. */
interface JsonDocument {
  /** The members before the list. */
  readonly head: object
  readonly list: string
  /** Asked for one by one, as all of them at once would take a page's whole attention. */
  readonly items: Iterable<JsonDocument | string>
}

/** The indented text of a document as `JSON.stringify(…, null, 2)` writes it, in pieces. */
export function* documentPieces(
  { head, list, items }: JsonDocument,
  indent = '',
): Generator<string, void, undefined> {
  const inner = `${indent}    `
  const members = JSON.stringify(head, null, 2).slice(0, -1).trimEnd()
  const comma = members === '{' ? '' : ','
  yield `${indented(members, indent)}${comma}\n${indent}  ${JSON.stringify(list)}: [`
  let isFirst = true
  for (const item of items) {
    yield `${isFirst ? '' : ','}\n${inner}`
    isFirst = false
    if (typeof item === 'string') yield indented(item, inner)
    else yield* documentPieces(item, inner)
  }
  yield `${isFirst ? '' : `\n${indent}  `}]\n${indent}}`
}

/** A line break in JSON is never within a text. */
function indented(json: string, indent: string): string {
  return json.replaceAll('\n', `\n${indent}`)
}
