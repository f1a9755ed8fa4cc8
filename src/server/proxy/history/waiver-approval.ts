import { policyKey } from '../../../policy/policy-group.ts'
import { severityOf } from '../../../policy/severity.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import type { ApprovalRule, NewWaiver } from '../../../protocol/waiver.ts'
import type { Database } from '../../store/database.ts'
import { findEvaluation, listEvaluations } from '../../store/evaluations.ts'
import { keptAsJson } from './evaluation-recorder.ts'

/**
 * Which of the waivers wait for somebody else's approval by the configured rule. How severe a policy is,
 * its newest recorded run says; of one that says nothing of it, as if it were severe.
 */
export async function whichNeedApproval(
  database: Database,
  rule: ApprovalRule,
  asked: readonly NewWaiver[],
): Promise<readonly boolean[]> {
  if (typeof rule === 'string') return asked.map(() => rule === 'required')
  const known = new Map<string, ReadonlyMap<string, string>>()
  const needs: boolean[] = []
  for (const { packagePath, sha256, scan, policyUri } of asked) {
    if (rule.scans.includes(scan)) {
      needs.push(true)
      continue
    }
    const key = [packagePath, sha256, scan].join(' ')
    const severities =
      known.get(key) ?? (await recordedSeverities(database, { path: packagePath, sha256, scan }))
    known.set(key, severities)
    const severity = severities.get(policyKey(policyUri))
    needs.push(
      rule.severities.length > 0 && (severity === undefined || rule.severities.includes(severity)),
    )
  }
  return needs
}

/** By policy key, in lower case. */
async function recordedSeverities(
  database: Database,
  of: { readonly path: string; readonly sha256: string; readonly scan: string },
): Promise<ReadonlyMap<string, string>> {
  const [newest] = await listEvaluations(database, of, 1)
  const found = newest && (await findEvaluation(database, newest.id))
  if (found === undefined) return new Map()
  const { results } = readPolicyAnswer(JSON.parse(await keptAsJson(found.body)))
  return new Map(
    results.flatMap(({ policyUri, labels }) => {
      const severity = severityOf(labels).trim().toLowerCase()
      return severity === '' ? [] : [[policyKey(policyUri), severity]]
    }),
  )
}
