import { csvLine } from '../protocol/csv.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { reportSentence, type ScanReport, waiverOf } from './scan-report.ts'
import { detailsText } from './result-details.ts'

const header =
  'package,scan,policy,kind,status,description,remediation,details,labels,attestation,source,waived until,waived by,waiver reason,sha256,repository,evaluated at,verdict,caveats,run,run address,evaluated by,decision,as of\r\n'

/**
 * One line per result, with a header, after RFC 4180, each as a piece. Ends in a line break. A waiver
 * stands beside the results that fail; their status is what the service said. Each line says of which
 * artifact and run it is, and what keeps the run from being complete: lines are sorted and copied. Where
 * there are no results, one line says so.
 */
export function* csvPieces(report: ScanReport): Generator<string, void, undefined> {
  const { purl, scan, groups, sha256, repositoryUrl, evaluatedAt, caveats, record } = report
  const run = [
    sha256,
    repositoryUrl,
    new Date(evaluatedAt).toISOString(),
    reportSentence(report),
    caveats.join(' '),
    record?.id ?? '',
    record?.address ?? '',
    record?.by ?? '',
    report.decision ?? '',
    report.asOf ?? '',
  ]
  yield header
  if (groups.length === 0)
    yield csvLine([purl, scan, ...Array.from({ length: 12 }, () => ''), ...run])
  for (const group of groups) {
    const waiver = waiverOf(report, group)
    for (const result of group.results) {
      yield csvLine([
        purl,
        scan,
        group.name,
        group.kind,
        result.statusText,
        result.description,
        result.status === 'unsatisfied' ? result.remediation : '',
        detailsText(result.details),
        Object.entries(result.labels)
          .map(([name, value]) => `${name}=${value}`)
          .join('; '),
        result.attestationUri ?? '',
        result.sourcedFromUri ?? '',
        ...waiverCells(result.status === 'unsatisfied' ? waiver : undefined),
        ...run,
      ])
    }
  }
}

function waiverCells(waiver: Waiver | undefined): readonly string[] {
  return waiver === undefined
    ? ['', '', '']
    : [new Date(waiver.expiresAt).toISOString(), waiver.person, waiver.reason]
}
