import { expect, test } from 'vitest'
import { reportWaiver } from '../../../policy/scan-report.test-support.ts'
import { grantText, shownWaivers, waiversAddress } from './waiver-table.tsx'
import { registerSentence } from './waivers-page.tsx'

const now = 1_000_000_000
const far = now + 30 * 24 * 3_600_000
const waivers = [
  reportWaiver({ id: 'far', expiresAt: far, person: 'Grace', reason: 'Known of old' }),
  reportWaiver({ id: 'soon', expiresAt: now + 5, ticket: 'REL-42', group: 'g' }),
  reportWaiver({ id: 'waits', expiresAt: far, needsApproval: true, by: 'bob' }),
  reportWaiver({ id: 'over', expiresAt: now - 5 }),
  reportWaiver({ id: 'ended', expiresAt: far, endedAt: now - 2, endedBy: 'a' }),
]

test.each([
  ['', 'soon far'],
  ['show=waiting', 'waits'],
  ['show=ending', 'soon'],
  ['show=unmatched', 'far'],
  ['show=ended', 'ended over'],
  ['q=rel-42', 'soon'],
  ['q=OLD', 'far'],
  ['person=grace', 'far'],
  ['show=waiting&person=bob', 'waits'],
  ['group=g', 'soon'],
  ['show=moon', 'soon far'],
])('the address "%s" shows %s', (address, ids) => {
  const at = { now, unmatched: new Set(['far']) }
  const { shown } = shownWaivers(waivers, waiversAddress.read(new URLSearchParams(address)), at)
  expect(shown.map(({ id }) => id).join(' ')).toBe(ids)
})

test('what is listed as waiting stays when it is approved, and counts as in force', () => {
  const address = waiversAddress.read(new URLSearchParams('show=waiting'))
  const approved = waivers.map((one) =>
    one.id === 'waits' ? { ...one, needsApproval: false } : one,
  )
  const at = { now, unmatched: new Set<string>() }
  expect(shownWaivers(approved, address, at).shown).toEqual([])
  const { shown, counts } = shownWaivers(approved, address, at, new Set(['waits']))
  expect(shown.map(({ id }) => id)).toEqual(['waits'])
  expect(counts).toMatchObject({ 'in force': 3, waiting: 0 })
  const narrowed = { ...address, person: 'nobody' }
  expect(shownWaivers(approved, narrowed, at, new Set(['waits'])).shown).toEqual([])
})

test.each([
  [[0, 0, 0, 0], 'No waivers in force.'],
  [[1, 0, 0, 0], '1 waiver in force.'],
  [
    [12, 1, 2, 3],
    '12 waivers in force: 2 end in the next 7 days, 3 match nothing. 1 waits for approval.',
  ],
] as const)('%j is "%s"', ([inForce, waiting, ending, unmatched], sentence) => {
  expect(registerSentence({ 'in force': inForce, waiting, ending, unmatched, ended: 0 })).toBe(
    sentence,
  )
})

test.each([
  [{ person: 'ann', by: 'ann' }, ''],
  [{ person: 'ann', by: 'ann', approvedBy: 'bob' }, 'approved by bob'],
  [{ person: 'cy', by: 'ann', approvedBy: 'bob' }, 'granted by ann, approved by bob'],
])(
  'a waiver names who granted and who approved it beside who is responsible: %j',
  (people, text) => {
    expect(grantText(reportWaiver(people))).toBe(text)
  },
)
