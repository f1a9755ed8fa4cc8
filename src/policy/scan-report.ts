import type { Waiver } from '../protocol/waiver.ts'
import type { PolicyGroup } from './policy-group.ts'
import { type ScanVerdict, verdictSentence } from './verdict.ts'
import { type WaivedVerdict, waivedSentence } from './waived-verdict.ts'

/** One evaluation of a scan on a package: what an export contains. */
export interface ScanReport {
  readonly scan: string
  /** The package as it is shown: its package URL. */
  readonly purl: string
  /** What tells its artifact from another one of the package that is reported beside it; left out where there is none. */
  readonly apart?: string | undefined
  readonly sha256: string
  readonly repositoryUrl: string
  /** When it was evaluated, epoch ms. */
  readonly evaluatedAt: number
  /** What the service said, whatever is waived. */
  readonly verdict: ScanVerdict
  /** The same where waivers are counted; left out where it is not known what is waived. */
  readonly beside?: WaivedVerdict | undefined
  /** Whether waived policies pass; left out where they don't. */
  readonly acceptsWaivers?: true
  readonly groups: readonly PolicyGroup[]
  /** Why it doesn't pass though the scan alone would let it, a sentence; left out where nothing else does. */
  readonly failsFor?: string | undefined
  /** Where the answer broke off or could not be read: said in each export. */
  readonly caveats: readonly string[]
  readonly record?: RunRecord | undefined
  /** What was decided on it, a sentence; left out where nothing was. */
  readonly decision?: string | undefined
  /** What is known of a later day that somebody chose, a sentence; left out where nobody did. */
  readonly asOf?: string | undefined
}

export interface RunRecord {
  readonly id: string
  /** Its page; left out where it is not known who opens it where. */
  readonly address?: string | undefined
  readonly by?: string | undefined
}

/** How a report names its package: "pkg:oci/shop@1.0", "pkg:oci/shop@1.0 (registry.example.com/second)". */
export function packageName({ purl, apart }: Pick<ScanReport, 'purl' | 'apart'>): string {
  return apart === undefined ? purl : `${purl} (${apart})`
}

/** What every export says of a report beside its results, in the order in which it is read. */
export function reportFacts(
  report: ScanReport,
): readonly (readonly [name: string, text: string])[] {
  const { evaluatedAt, sha256, repositoryUrl, record, decision, asOf } = report
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['verdict', reportSentence(report)],
    ['evaluated at', new Date(evaluatedAt).toISOString()],
    ['sha256', sha256],
    ['repository', repositoryUrl],
    ['run', record?.id],
    ['run address', record?.address],
    ['evaluated by', record?.by],
    ['decision', decision],
    ['as of', asOf],
  ]
  return facts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]))
}

/**
 * The verdict of a report in words, with the waivers where they are known: "Not releasable: 1 required policy was not
 * checked. Otherwise releasable: 10 of 11 policies satisfied."
 */
export function reportSentence({ verdict, beside, failsFor }: ScanReport): string {
  const said = beside === undefined ? verdictSentence(verdict) : waivedSentence(beside, utcText)
  if (failsFor === undefined) return said
  // "The scan has no policies." is a sentence of its own, and so is "None of 3 policies applies to this package."
  const rest = /^(?:Releasable|Inconclusive)/.test(said)
    ? `Otherwise ${said.charAt(0).toLowerCase()}${said.slice(1)}`
    : said.replace(/^Nothing to evaluate: (.)/, (_, first: string) => first.toUpperCase())
  return `${failsFor} ${rest}`
}

/** The waiver of a policy of a report; undefined where it fails without one, or does not fail. */
export function waiverOf({ beside }: ScanReport, { key }: PolicyGroup): Waiver | undefined {
  return beside?.waived.get(key)
}

/** The policies of a report that fail and are waived, in its order, each with its waiver. */
export function waivedPolicies(
  report: ScanReport,
): readonly { readonly group: PolicyGroup; readonly waiver: Waiver }[] {
  return report.groups.flatMap((group) => {
    const waiver = waiverOf(report, group)
    return waiver === undefined ? [] : [{ group, waiver }]
  })
}

/** "waived until Dec 4, 2026, 09:30 UTC by alice": times in reports are UTC, as reports travel. */
export function waiverText({ person, expiresAt }: Waiver): string {
  return `waived until ${utcText(expiresAt)} by ${person}`
}

/** "Dec 4, 2026, 09:30 UTC" of epoch ms: where the reader's zone is not known. */
export function utcText(at: number): string {
  // "Fri, 04 Dec 2026 09:30:00 GMT"
  const [, day, month, year, time = ''] = new Date(at).toUTCString().split(' ')
  return `${month} ${Number(day)}, ${year}, ${time.slice(0, 5)} UTC`
}
