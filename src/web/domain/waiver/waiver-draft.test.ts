import { expect, test } from 'vitest'
import { expiryAfter } from '../../ui/moment-field.ts'
import { approvalBlock, expiryText, presetDays, readWaiverDraft } from './waiver-draft.ts'

const now = Date.UTC(2026, 10, 20, 9, 30, 20)
const day = 86_400_000
const limits = { now, longestMs: 90 * day, zone: 'utc' } as const
const draft = {
  reason: ' known ',
  person: ' alice ',
  ticket: '',
  expires: '2026-12-04T09:30',
}

test('what is whole becomes a waiver, without the spaces around it', () => {
  expect(readWaiverDraft(draft, limits)).toEqual({
    ok: true,
    waiver: {
      reason: 'known',
      person: 'alice',
      ticket: null,
      expiresAt: Date.UTC(2026, 11, 4, 9, 30),
    },
  })
})

test.each([
  [{ reason: ' ' }, { reason: /^Enter a reason/ }],
  [{ person: '' }, { person: /^Enter the person/ }],
  [{ ticket: 'javascript:alert(1)' }, { ticket: /^Enter an address/ }],
  [{ expires: '' }, { expires: /^Choose when the waiver ends/ }],
  [{ expires: '2026-11-20T09:30' }, { expires: /in the past/ }],
  [{ expires: '2027-03-20T09:30' }, { expires: /at most 90 d/ }],
])('%j is marked at its field', (change, mistakes) => {
  const read = readWaiverDraft({ ...draft, ...change }, limits)
  expect(read).toMatchObject({
    ok: false,
    mistakes: Object.fromEntries(
      Object.entries(mistakes).map(([field, words]) => [field, expect.stringMatching(words)]),
    ),
  })
})

test.each([
  ['ann', {}, undefined],
  ['bo', {}, /^You granted this waiver\./],
  ['bo@id', { isOwn: true }, /^You granted this waiver\./],
  ['ann', { isOwn: false, needsAdmin: true }, /with an access token\. An admin must approve it\.$/],
  ['root', { isOwn: false, needsAdmin: true }, undefined],
] as const)('whether %s may approve a waiver %o is said beside it', (name, more, why) => {
  const waiver = {
    ...{
      packagePath: '/packages/npm/a/1',
      sha256: 'ab',
      scan: 'release',
      policyUri: '/policies/a/b',
    },
    ...{ reason: 'known', person: 'bo', by: 'bo', id: '1', createdAt: 1, expiresAt: 2 },
    ...{ endedAt: null, endedBy: null },
    ...more,
  }
  const roles = name === 'root' ? (['admin'] as const) : (['releaser'] as const)
  expect(approvalBlock(waiver, { name, roles: [...roles] }) ?? '').toMatch(why ?? /^$/)
})

test('all errors are reported at once', () => {
  const read = readWaiverDraft({ reason: '', person: '', ticket: '', expires: '' }, limits)
  expect(Object.keys(read.ok ? {} : read.mistakes)).toEqual(['reason', 'person', 'expires'])
})

test('only what may be given is offered, and what is offered is taken', () => {
  expect(presetDays(20 * day)).toEqual([7, 14])
  expect(expiryAfter(14, limits)).toBe('2026-12-04T09:30')
  for (const days of presetDays(30 * day)) {
    const short = { ...limits, longestMs: 30 * day }
    const expires = expiryAfter(days, short)
    expect(readWaiverDraft({ ...draft, expires }, short).ok).toBe(true)
  }
})

const nowWaiverWords = Date.UTC(2026, 10, 20, 9)

test.each([
  [Date.UTC(2026, 11, 4, 9), 'Dec 4'],
  [Date.UTC(2026, 10, 20, 16, 5), 'Nov 20, 16:05'],
  [Date.UTC(2026, 10, 20, 8), 'Nov 20, 08:00'],
  [Date.UTC(2027, 0, 4), 'Jan 4, 2027'],
])('%i ends at %s', (at, words) => {
  expect(expiryText(at, 'utc', nowWaiverWords)).toBe(words)
})
