import { expect, test } from 'vitest'
import { ticketLink, ticketMistake, type Waiver, waiverStanding } from './waiver.ts'

test.each([
  ['https://jira.example/browse/REL-42', 'https://jira.example/browse/REL-42'],
  ['HTTP://jira.example', 'http://jira.example/'],
  ['https://user:secret@jira.example/', null],
  ['https://user@jira.example/', null],
  ['https://', null],
  ['javascript:alert(1)', null],
  ['REL-42', null],
])('the ticket %s leads to %s', (ticket, link) => {
  expect(ticketLink(ticket)).toBe(link)
})

test.each([
  ['REL-42', undefined],
  ['#7', undefined],
  ['acme/shop#7', undefined],
  ['https://jira.example/browse/REL-42', undefined],
  ['ftp://jira.example', 'must be an address'],
  ['two words', 'must be an address'],
  ['https://user:secret@jira.example/', 'must be an address'],
  [`https://jira.example/${'x'.repeat(5000)}`, 'has more than'],
])('what is wrong with the ticket %s is %s', (ticket, mistake) => {
  if (mistake === undefined) expect(ticketMistake(ticket)).toBeUndefined()
  else expect(ticketMistake(ticket)).toContain(mistake)
})

const waiver: Waiver = {
  ...{ id: 'w', packagePath: '/p', sha256: 'a', scan: 's', policyUri: 'p', reason: 'r' },
  ...{ person: 'a', by: 'a', createdAt: 0, expiresAt: 10, endedAt: null, endedBy: null },
}

test.each<[Partial<Waiver>, string]>([
  [{}, 'in force'],
  [{ expiresAt: 5 }, 'expired'],
  [{ endedAt: 4 }, 'ended early'],
  [{ endedAt: 4, renewedBy: 'x' }, 'renewed'],
  [{ needsApproval: true }, 'waiting for approval'],
  [{ needsApproval: true, expiresAt: 5 }, 'expired'],
  [{ needsApproval: true, endedAt: 4, endedBy: 'b' }, 'declined'],
  [{ needsApproval: true, endedAt: 4, endedBy: 'a' }, 'withdrawn'],
  [{ needsApproval: true, approvedAt: 3 }, 'in force'],
  [{ needsApproval: true, approvedAt: 3, endedAt: 4 }, 'ended early'],
])('a waiver with %j is %s', (more, standing) => {
  expect(waiverStanding({ ...waiver, ...more }, 5)).toBe(standing)
})
