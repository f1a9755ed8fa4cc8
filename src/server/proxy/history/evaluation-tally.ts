import { createBoardTally } from '../../../policy/board-tally.ts'
import { groupByPolicy, type PolicyGroup, policyKey } from '../../../policy/policy-group.ts'
import type { RunReasons } from '../../../protocol/evaluation.ts'
import { parsedJson } from '../../../protocol/parsed-json.ts'
import {
  type PolicyResult,
  type PolicyStatus,
  readPolicyAnswer,
  resultsAsWritten,
} from '../../../protocol/policy-result.ts'
import { ProblemDetail } from '../../../protocol/problem.ts'

/** What an answer comes to, counted as its parts go by. */
export interface EvaluationTally {
  /** Counts a part; answers its results as JSON, one to a text without line breaks. */
  readonly add: (part: string) => readonly string[]
  /** A part, or the rest of the answer, could not be read. */
  readonly addUnreadable: () => void
  readonly total: () => EvaluationTotal
}

/** The sum of it. */
export interface EvaluationTotal {
  readonly results: number
  readonly unreadable: number
  /** The service told of a failure after its answer had begun. */
  readonly isBroken: boolean
  /** As results have them; each with so many of its results only as its status needs. */
  readonly groups: readonly PolicyGroup[]
  readonly reasons: RunReasons
}

/** As many policies are told apart; results of further ones count as unreadable. */
const mostPolicies = 10_000
/** As much of a part that is no JSON is kept, characters. */
const keptOfNoJson = 1000

/**
 * Counts nothing yet, of an answer that began at `begunAt` (epoch ms). Its size is that of the policies,
 * however many results there are.
 */
export function createEvaluationTally(begunAt: number): EvaluationTally {
  const policies = new Map<string, Map<PolicyStatus, PolicyResult>>()
  const why = createBoardTally(begunAt)
  let results = 0
  let unreadable = 0
  let isBroken = false

  function addResult(result: PolicyResult): void {
    const key = policyKey(result.policyUri)
    let known = policies.get(key)
    if (known === undefined) {
      if (policies.size === mostPolicies) {
        unreadable += 1
        return
      }
      known = new Map()
      policies.set(key, known)
    }
    results += 1
    why.add(result)
    // The status of a policy follows from which statuses its results have.
    if (!known.has(result.status)) known.set(result.status, withoutTexts(result))
  }

  return {
    add: (part) => {
      const value = parsedJson(part)
      if (value === undefined) {
        unreadable += 1
        return [JSON.stringify(part.slice(0, keptOfNoJson))]
      }
      const answer = readPolicyAnswer(value)
      for (const result of answer.results) addResult(result)
      unreadable += answer.unreadable
      // A result has its status in words, a problem in digits.
      if (answer.unreadable > 0 && ProblemDetail.safeParse(value).success) isBroken = true
      const written = resultsAsWritten(value)
      return written.length === 1 && written[0] === value
        ? [part.includes('\n') ? part.replace(/[\r\n]+/g, ' ') : part]
        : written.map((one) => JSON.stringify(one))
    },
    addUnreadable: () => {
      unreadable += 1
    },
    total: () => ({
      results,
      unreadable,
      isBroken,
      reasons: why.reasons(),
      groups: groupByPolicy([...policies.values()].flatMap((one) => [...one.values()])),
    }),
  }
}

function withoutTexts(result: PolicyResult): PolicyResult {
  return { ...result, description: '', remediation: '', labels: {}, details: {} }
}
