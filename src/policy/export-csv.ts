import { csvLine } from '../protocol/csv.ts'
import { detailsText } from './result-details.ts'
import type { ScanReport } from './scan-report.ts'

const columns = [
  'package',
  'scan',
  'policy',
  'kind',
  'status',
  'description',
  'remediation',
  'details',
  'labels',
  'attestation',
  'source',
] as const

/** One line per result, with a header, after RFC 4180. Ends in a line break. */
export function exportCsv({ purl, scan, groups }: ScanReport): string {
  const rows = groups.flatMap((group) =>
    group.results.map((result) => [
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
    ]),
  )
  return [columns, ...rows].map(csvLine).join('')
}
