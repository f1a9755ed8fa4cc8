import type { Waiver } from '../protocol/waiver.ts'
import { groupByPolicy } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'
import type { ScanReport } from './scan-report.ts'
import { scanVerdict } from './verdict.ts'
import { waivedVerdict } from './waived-verdict.ts'

/** A report with a policy of each status, and texts that try to break out of each format. */
export function hostileReport(fields: Partial<ScanReport> = {}): ScanReport {
  const groups = groupByPolicy([
    policyResult({ description: 'Built with a supported tool.' }),
    policyResult({
      policyUri: '/policies/PackageUrl/log4j',
      status: 'unsatisfied',
      statusText: 'UNSATISFIED',
      description: '=HYPERLINK("http://x") | </testcase> "quoted"\nsecond line',
      remediation: 'Upgrade.\n\n<img src=x onerror=alert(1)> ]]> `code`\u0000',
      labels: { severity: 'high', 'a/b': 'c' },
      attestationUri: '/packages/oci/a/1/sha256:1/attestations/af:e/1',
      sourcedFromUri: 'https://builds.example.com/s/k3j7q2m5x7a4c',
      details: { vulnerablePackage: 'pkg:maven/log4j@2.14.1' },
    }),
    policyResult({ policyUri: '/policies/JavaToolchains/jdks', status: 'not-applicable' }),
    policyResult({
      policyUri: '/policies/Quota/new',
      status: 'unknown',
      statusText: 'deferred',
      details: { deep: [1, { k: '`' }] },
    }),
  ])
  return {
    scan: 'release',
    purl: 'pkg:oci/checkout@2.4.0',
    sha256: 'ab'.repeat(32),
    repositoryUrl: 'registry.example.com/shop',
    evaluatedAt: Date.UTC(2026, 10, 20, 9, 30),
    verdict: scanVerdict(groups, { unreadable: 0, complete: true }),
    groups,
    caveats: [],
    ...fields,
  }
}

/** The same with its one failure waived, by a person and for a reason that try to break out, too. */
export function waivedReport(): ScanReport {
  const report = hostileReport()
  const waivers = [reportWaiver()]
  const requested = { unreadable: 0, complete: true }
  const beside = waivedVerdict(report.groups, requested, { waivers, scan: reportWaiver(), now: 0 })
  return { ...report, beside }
}

/** A waiver of the failing policy of `hostileReport`, with what a test says otherwise. */
export function reportWaiver(fields: Partial<Waiver> = {}): Waiver {
  return {
    id: 'w1',
    packagePath: '/packages/oci/checkout/2.4.0',
    sha256: 'ab'.repeat(32),
    scan: 'release',
    policyUri: 'https://governor.example.com/policies/PackageUrl/log4j',
    reason: '=1+1 "known" | ]]> <b>not</b>\nreachable',
    person: 'alice',
    by: 'bob',
    createdAt: Date.UTC(2026, 10, 19, 8),
    expiresAt: Date.UTC(2026, 11, 4, 9, 30),
    endedAt: null,
    endedBy: null,
    ...fields,
  }
}
