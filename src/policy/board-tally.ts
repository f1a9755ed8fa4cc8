import type { BoardOutcome } from '../protocol/board-run.ts'
import type { PolicyResult, PolicyStatus } from '../protocol/policy-result.ts'
import { policyKey } from './policy-group.ts'
import { scanVerdict } from './verdict.ts'

/** What remains of an answer for a board: it holds no results, however many come. */
export interface BoardTally {
  readonly add: (result: PolicyResult) => void
  /** Parts of the answer that were no results. */
  readonly addUnreadable: (count: number) => void
  /** What the whole answer comes to, by the rules of `groupByPolicy` and `scanVerdict`. */
  readonly outcome: (evaluation: string | null) => BoardOutcome
}

interface TalliedPolicy {
  readonly uri: string
  status: PolicyStatus
  remediation: string
  /** How the result came out that the remediation is of. */
  saidOf: PolicyStatus
}

const worstFirst: readonly PolicyStatus[] = [
  'unsatisfied',
  'unknown',
  'satisfied',
  'not-applicable',
]
const mostFailing = 50

/** A tally of nothing yet. */
export function createBoardTally(): BoardTally {
  const policies = new Map<string, TalliedPolicy>()
  let results = 0
  let unreadable = 0
  return {
    add: ({ policyUri, status, remediation }) => {
      results += 1
      const key = policyKey(policyUri)
      const policy = policies.get(key)
      if (policy === undefined) {
        policies.set(key, { uri: policyUri, status, remediation, saidOf: status })
        return
      }
      if (isWorse(status, policy.status)) policy.status = status
      // What a failing result says comes before what a passing one says of the same policy.
      if (remediation === '' || (policy.remediation !== '' && !isWorse(status, policy.saidOf))) {
        return
      }
      policy.remediation = remediation
      policy.saidOf = status
    },
    addUnreadable: (count) => {
      unreadable += count
    },
    outcome: (evaluation) => {
      const { verdict, counts } = scanVerdict([...policies.values()], {
        unreadable,
        complete: true,
      })
      return {
        verdict,
        counts,
        results,
        unreadable,
        failing: [...failing(policies, 'unsatisfied'), ...failing(policies, 'unknown')].slice(
          0,
          mostFailing,
        ),
        evaluation,
      }
    },
  }
}

function failing(
  policies: ReadonlyMap<string, TalliedPolicy>,
  wanted: 'unsatisfied' | 'unknown',
): BoardOutcome['failing'] {
  return [...policies.values()].flatMap(({ uri, status, remediation }) =>
    status === wanted ? [{ uri, status: wanted, remedy: plainSentence(remediation) }] : [],
  )
}

function isWorse(a: PolicyStatus, b: PolicyStatus): boolean {
  return worstFirst.indexOf(a) < worstFirst.indexOf(b)
}

const longest = 200

/**
 * The first sentence of a Markdown text as plain words, at most 200 characters: for places where one
 * line must do. Code blocks, headings and marks are left out; empty where nothing is left.
 */
export function plainSentence(markdown: string): string {
  const paragraph = markdown
    .slice(0, 4000)
    .replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, '\n')
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^(?:#{1,6}\s.*|>+\s?|[-*+]\s+|\d{1,6}[.)]\s+)/, ''))
    .find((line) => line !== '' && !/^[-*_=|: ]+$/.test(line))
  const words = (paragraph ?? '')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/!?\[([^\]]{0,300})\]\([^)]{0,2000}\)/g, '$1')
    .replace(/(\*\*|__|`)(?=\S)(.{1,500}?)\1/g, '$2')
    .replace(/\s+/g, ' ')
    .trim()
  // A full stop inside a name or a version is followed by no space.
  const sentence = /^.+?[.!?](?=\s+\p{Lu})/u.exec(words)?.[0] ?? words
  return sentence.length > longest ? `${sentence.slice(0, longest - 1).trimEnd()}…` : sentence
}
