import { describe, expect, test } from 'vitest'
import { type BoardFailure, notChecked, notInResponse } from '../../../policy/board-failures.ts'
import { policyKey } from '../../../policy/policy-group.ts'
import { reportWaiver } from '../../../policy/scan-report.test-support.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { rows } from './three-packages.test-support.ts'
import { failuresWaiting, waiverChoices, whyNothingToWaive } from './waiver-choices.ts'

describe('the waivers that are offered say what they leave out', () => {
  const failure = (at: number, more: Partial<BoardFailure>): BoardFailure => {
    const row = rows[at]
    const cell = row?.cells[0]
    if (row === undefined || cell === undefined) throw new Error('no such row')
    const policyUri = '/policies/X/p'
    const policy = {
      policy: policyKey(policyUri),
      policyUri,
      name: 'p',
      kind: 'X',
      policyOwner: '',
    }
    return { row, cell, ...policy, owner: '', causes: ['bad'], isWaived: false, ...more }
  }
  const bad = failure(0, {})
  const unchecked = failure(1, { causes: [notChecked] })
  const leftOut = (
    allowed: readonly BoardFailure[],
    failures: readonly BoardFailure[],
    waiting: readonly BoardFailure[] = [],
  ) => waiverChoices(allowed, failures, new Set(waiting)).map((choice) => choice.leftOut)

  test('nothing where all can be waived', () => {
    expect(leftOut([bad], [bad, failure(1, { isWaived: true })])).toEqual([undefined])
  })

  test('what was not checked, of the same policy only', () => {
    expect(leftOut([bad], [bad, unchecked])).toEqual([
      "1 more failure can't be waived: the policy wasn't checked there, because its evidence is missing.",
    ])
    expect(leftOut([bad], [bad, { ...unchecked, policy: 'other' }])).toEqual([undefined])
  })

  test('what is outside the limits of the role', () => {
    expect(leftOut([bad], [bad, failure(1, {}), failure(2, {}), unchecked])).toEqual([
      "1 more failure can't be waived: the policy wasn't checked there, because its evidence is missing. 2 more failures are outside your limits.",
    ])
  })

  test('what a waiver waits for', () => {
    const waits = failure(1, {})
    expect(leftOut([bad], [bad, waits], [waits])).toEqual([
      '1 more failure has a waiver that waits for approval.',
    ])
    const of = {
      packagePath: packagePath(waits.row.of.address),
      sha256: waits.row.of.sha256,
      scan: 'release',
      policyUri: waits.policyUri,
    }
    const given = reportWaiver({ ...of, needsApproval: true, expiresAt: 100 })
    expect([...failuresWaiting([bad, waits], [given], 10)]).toEqual([waits])
    expect([...failuresWaiting([bad, waits], [given], 100)]).toEqual([])
    expect([...failuresWaiting([bad, waits], [{ ...given, scan: 'other' }], 10)]).toEqual([])
    // Counted once, as what has no result.
    expect([...failuresWaiting([{ ...waits, causes: [notChecked] }], [given], 10)]).toEqual([])
  })

  test('and a button without any says why', () => {
    const waits = failure(1, {})
    expect(whyNothingToWaive([{ ...bad, isWaived: true }], 0)).toBe(
      'All of these are waived already.',
    )
    expect(whyNothingToWaive([waits], 1)).toBe('1 failure has a waiver that waits for approval.')
    expect(whyNothingToWaive([unchecked], 0)).toMatch(/its evidence is missing/)
    const absent = failure(1, { causes: [notInResponse] })
    expect(whyNothingToWaive([absent], 0)).toBe(
      "There is no result to waive: the policy isn't in the response. It may have been renamed or removed.",
    )
    expect(whyNothingToWaive([absent, unchecked], 0)).toMatch(/its evidence is missing/)
    expect(leftOut([bad], [bad, absent])).toEqual([
      "1 more failure can't be waived: the policy isn't in the response there.",
    ])
  })
})
