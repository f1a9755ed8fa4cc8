import { csvLine } from '../protocol/csv.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { type ScanReport, waiverOf } from './scan-report.ts'
import { detailsText } from './result-details.ts'

const header =
  'package,scan,policy,kind,status,description,remediation,details,labels,attestation,source,waived until,waived by,waiver reason\r\n'

/**
 * One line per result, with a header, after RFC 4180, each as a piece. Ends in a line break. A waiver
 * stands beside the results that fail; their status is what the service said.
 */
export function* csvPieces(report: ScanReport): Generator<string, void, undefined> {
  const { purl, scan, groups } = report
  yield header
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
      ])
    }
  }
}

function waiverCells(waiver: Waiver | undefined): readonly string[] {
  return waiver === undefined
    ? ['', '', '']
    : [new Date(waiver.expiresAt).toISOString(), waiver.person, waiver.reason]
}
