import { type PolicyGroup, policyKey, policyName } from '../../../policy/policy-group.ts'
import type { ScanVerdict } from '../../../policy/verdict.ts'
import type { WaivedVerdict } from '../../../policy/waived-verdict.ts'
import type { RememberedRun } from '../../ui/device-preferences.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

/** Of one scan on one artifact. */
const mostOfOne = 5
/** Over all scans; together they must leave room in what a browser keeps for a page (5 MB). */
const mostPolicies = 4000

/** A run that ended, to be kept: only complete ones show what changed. */
export interface EndedRun extends Omit<RememberedRun, 'policies'> {
  readonly groups: readonly PolicyGroup[]
}

/**
 * The runs of this device after another one ended: the newest first, five for each scan and artifact,
 * 4,000 policies in all. The same list where it has the run already, or where that is too long to keep.
 */
export function withRun(runs: readonly RememberedRun[], ended: EndedRun): readonly RememberedRun[] {
  const { path, sha256, repositoryUrl, at, groups } = ended
  if (groups.length > mostPolicies) return runs
  if (runs.some((run) => isOfSame(run, ended) && run.at === at)) return runs
  const policies = groups.map(({ policyUri, status, passed, evaluated }) => ({
    uri: policyUri,
    status,
    passed,
    evaluated,
  }))
  const kept: RememberedRun[] = []
  let room = mostPolicies
  let ofOne = 0
  for (const run of [{ path, sha256, repositoryUrl, at, policies }, ...runs]) {
    if (isOfSame(run, ended)) ofOne += 1
    if (isOfSame(run, ended) && ofOne > mostOfOne) continue
    room -= run.policies.length
    if (room < 0) break
    kept.push(run)
  }
  return kept
}

/** The server's clock is known here to the second: a run that ended so shortly before may be the same one. */
const clockStepMs = 1000

/** The runs of a scan on an artifact that ended before a time (epoch ms), the newest first. */
export function runsBefore(
  runs: readonly RememberedRun[],
  wanted: RunPlace,
  before: number,
): readonly RememberedRun[] {
  return runs.filter((run) => isOfSame(run, wanted) && run.at < before - clockStepMs)
}

/** A kept run as the policies of a scan; what it did not keep is empty. */
export function groupsOfRun({ policies }: RememberedRun): readonly PolicyGroup[] {
  return policies.map(({ uri, status, passed, evaluated }) => ({
    key: policyKey(uri),
    policyUri: uri,
    ...policyName(uri),
    status,
    passed,
    evaluated,
    description: '',
    remediation: '',
    labels: {},
    results: [],
  }))
}

/** A scan on an artifact: another digest or repository is another artifact. */
type RunPlace = Pick<RememberedRun, 'path' | 'sha256' | 'repositoryUrl'>

function isOfSame(a: RunPlace, b: RunPlace): boolean {
  return a.path === b.path && a.sha256 === b.sha256 && a.repositoryUrl === b.repositoryUrl
}

/** What the verdict of a whole scan means to its reader; proof that is missing is never green. */
export function verdictTone(
  verdict: WaivedVerdict['verdict'],
  { unchecked }: Pick<ScanVerdict, 'unchecked'>,
): StatusTone {
  const isLacking = unchecked.length > 0
  return isLacking && (verdict === 'releasable' || verdict === 'nothing-applied')
    ? 'waiting'
    : verdictTones[verdict]
}

/** The same where no proof is missing. */
export const verdictTones: Readonly<Record<WaivedVerdict['verdict'], StatusTone>> = {
  releasable: 'good',
  // Never green: the service says that something fails.
  'releasable-with-waivers': 'waiting',
  'not-releasable': 'bad',
  undecided: 'waiting',
  'nothing-applied': 'none',
}
