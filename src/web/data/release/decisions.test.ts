import { expect, test } from 'vitest'
import type { Decision, NewDecision } from '../../../protocol/decision.ts'
import { problemError } from '../../../protocol/problem.ts'
import { decisionRefusal, isDecisionOf } from './decisions.ts'

const place = {
  packagePath: '/packages/oci/app/1',
  sha256: 'ab'.repeat(32),
  repositoryUrl: 'registry.example/app',
  scan: 'release',
}
const subject = { is: 'scan', ...place } as const
const sent: NewDecision = {
  action: 'release',
  subject,
  reason: 'All good',
  newest: 'a',
  places: [{ ...place, run: 'run' }],
  accepted: [],
}
const made: Decision = {
  id: 'b',
  at: 1,
  by: 'ann',
  subject,
  reason: 'All good',
  action: 'release',
  verdict: 'releasable',
  content: '',
  runs: 1,
  waivers: [],
  concerns: [],
}

test('a decision whose response was lost is recognized by who made it, on what and why', () => {
  expect(isDecisionOf(made, sent, 'ann')).toBe(true)
  expect(isDecisionOf(made, sent, 'bob')).toBe(false)
  expect(isDecisionOf(made, sent, undefined)).toBe(false)
  expect(isDecisionOf({ ...made, reason: 'Looks good' }, sent, 'ann')).toBe(false)
  expect(isDecisionOf({ ...made, runs: 2 }, sent, 'ann')).toBe(false)
  // The one before it, with the same reason.
  expect(isDecisionOf({ ...made, id: 'a' }, sent, 'ann')).toBe(false)
})

test('so is a revocation, by what it revokes', () => {
  const wanted: NewDecision = { action: 'revoke', subject, reason: 'Broken', newest: 'b' }
  const revoked = { id: 'c', at: 2, by: 'ann', subject, reason: 'Broken' }
  const revocation: Decision = { ...revoked, action: 'revoke', revokes: 'b' }
  expect(isDecisionOf(revocation, wanted, 'ann')).toBe(true)
  expect(isDecisionOf({ ...revocation, revokes: 'a' }, wanted, 'ann')).toBe(false)
  expect(isDecisionOf(revocation, sent, 'ann')).toBe(false)
})

test('a decision of who was signed out is known not to be made', () => {
  const fault = problemError(401, 'signed-out', 'Signed out', 'You were signed out. Try again.')
  expect(decisionRefusal(fault)).toEqual({ text: 'You were signed out. Try again.' })
})
