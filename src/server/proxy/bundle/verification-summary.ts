import {
  butUnchecked,
  scanVerdict,
  verdictOfRun,
  verdictSentence,
} from '../../../policy/verdict.ts'
import { whatTheServiceSays } from '../../../policy/waived-verdict.ts'
import { countOf } from '../../../protocol/count.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { packageTextAt } from '../../../protocol/package-reference.ts'
import type { BundleSubject } from './bundle-subject.ts'
import type { SigningKey } from './signing-key.ts'

/** Whether what was evaluated passed, as SLSA has it, and a sentence that says why. */
export interface SummaryResult {
  readonly result: 'PASSED' | 'FAILED'
  readonly sentence: string
}

/** What the summary of a bundle says. */
interface SummaryContent extends SummaryResult {
  readonly runs: readonly EvaluationSummary[]
  /** Identifies this Sightline, and says what ran. */
  readonly verifier: { readonly id: string; readonly version: string }
  /** Epoch ms. */
  readonly verifiedAt: number
  readonly resourceUri: string
  readonly policyUri: string
  /** Files of the bundle with their SHA-256; the envelopes are the input attestations. */
  readonly files: ReadonlyMap<string, string>
  readonly envelopes: readonly { readonly uri: string; readonly sha256: string }[]
  readonly decision: unknown
  readonly caveats: readonly string[]
}

const payloadType = 'application/vnd.in-toto+json'

/**
 * An in-toto statement with a SLSA verification summary (https://slsa.dev/verification_summary/v1) as
 * the text of a DSSE envelope, signed where there is a key. Our own fields begin with `sightline_`.
 */
export function verificationSummary(content: SummaryContent, key: SigningKey | undefined): string {
  const payload = Buffer.from(JSON.stringify(statementOf(content)))
  const signatures =
    key === undefined ? [] : [{ keyid: key.keyId, sig: key.sign(payloadType, payload) }]
  const envelope = { payloadType, payload: payload.toString('base64'), signatures }
  return `${JSON.stringify(envelope, null, 2)}\n`
}

function statementOf(content: SummaryContent): unknown {
  const { runs, verifier, files, envelopes } = content
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjectsOf(runs),
    predicateType: 'https://slsa.dev/verification_summary/v1',
    predicate: {
      verifier: { id: verifier.id, version: { sightline: verifier.version } },
      timeVerified: new Date(content.verifiedAt).toISOString(),
      resourceUri: content.resourceUri,
      policy: { uri: content.policyUri },
      inputAttestations: envelopes.map(({ uri, sha256 }) => ({ uri, digest: { sha256 } })),
      verificationResult: content.result,
      verifiedLevels: [],
      sightline_sentence: content.sentence,
      sightline_caveats: content.caveats,
      sightline_decision: content.decision,
      sightline_runs: runs.map((run) => ({
        id: run.id,
        by: run.by,
        endedAt: new Date(run.endedAt).toISOString(),
        scan: run.scan,
        package: packageTextAt(run.packagePath),
        verdict: run.verdict,
        waived: run.waived.length,
      })),
      sightline_files: Object.fromEntries(files),
    },
  }
}

/** Each artifact once; what has no readable digest cannot be a subject. */
function subjectsOf(runs: readonly EvaluationSummary[]): unknown[] {
  const bySubject = new Map<string, unknown>()
  for (const { packagePath, sha256 } of runs) {
    if (!/^[0-9a-f]{64}$/.test(sha256)) continue
    const name = packageTextAt(packagePath)
    bySubject.set(`${name} ${sha256}`, { name, uri: name, digest: { sha256 } })
  }
  return [...bySubject.values()]
}

/**
 * What the runs of a bundle come to: passed only where all of them are there, whole, and releasable, or
 * fail nothing but what was waived then. Everything else is a failure, and the sentence says which.
 */
export function bundleVerdict({ runs, verdicts, missing }: BundleSubject): SummaryResult {
  const outcomeOf = outcomeBy(verdicts)
  const failing = runs.filter((run) => outcomeOf(run) === 'failing').length
  const unclear = runs.filter((run) => outcomeOf(run) === 'unclear').length
  const waived = runs.filter((run) => outcomeOf(run) === 'waived').length
  const all = countOf(runs.length + missing.length, 'run')
  const parts = [
    ...(failing > 0 ? [`${failing} not releasable`] : []),
    ...(unclear > 0 ? [`${unclear} incomplete, inconclusive or with nothing evaluated`] : []),
    ...(missing.length > 0 ? [`${missing.length} never evaluated`] : []),
  ]
  if (parts.length > 0) {
    return { result: 'FAILED', sentence: `Not releasable: of ${all}, ${parts.join(', ')}.` }
  }
  const lacking = runs.filter((run) => verdictOfRun(run).unchecked.length > 0).length
  const withWaivers = waived > 0 ? ` with waivers (${waived} of ${all})` : ''
  const but = lacking > 0 ? `, but ${lacking} of ${all} left high-severity policies unchecked` : ''
  return {
    result: 'PASSED',
    sentence: `Releasable${withWaivers}${but}: ${all}, all of them whole.`,
  }
}

function outcomeBy(verdicts: BundleSubject['verdicts']) {
  return ({
    id,
    ended,
    unreadable,
  }: EvaluationSummary): 'passing' | 'waived' | 'failing' | 'unclear' => {
    const verdict = verdicts.get(id)
    const isWhole = ended === 'complete' && unreadable === 0
    if (verdict === 'not-releasable') return 'failing'
    if (isWhole && verdict === 'releasable') return 'passing'
    return isWhole && verdict === 'releasable-with-waivers' ? 'waived' : 'unclear'
  }
}

/**
 * The verdict of one run in words, with what kept it from being whole. Waivers count as they do for the verdict of the
 * bundle; those that counted when it was evaluated are named where they don't.
 */
export function runSentence(run: EvaluationSummary, verdicts: BundleSubject['verdicts']): string {
  const { waived, ended, unreadable } = run
  const complete = ended === 'complete'
  const counted = verdicts.get(run.id)
  // What broke off is not said to be releasable, whatever came of it until then.
  const isSaid = complete || run.verdict === 'not-releasable'
  const said = isSaid ? verdictOfRun(run) : scanVerdict([], { unreadable, complete })
  const isReleasable = counted === 'releasable-with-waivers'
  const isWaived = run.verdict === 'not-releasable' && (isReleasable || counted === 'undecided')
  const lead = isReleasable
    ? `Releasable with waivers${butUnchecked(said.unchecked)}`
    : 'Inconclusive, with waivers'
  return [
    isWaived ? `${lead}: ${whatTheServiceSays(verdictSentence(said))}` : verdictSentence(said),
    ...(waived.length > 0 && !isWaived
      ? [`${countOf(waived.length, 'policy', 'policies')} waived when it was evaluated.`]
      : []),
    ...(complete
      ? []
      : [ended === 'broken' ? 'The response broke off.' : 'Canceled before its end.']),
    ...(unreadable > 0 ? [`${countOf(unreadable, 'part')} of the response unreadable.`] : []),
  ].join(' ')
}
