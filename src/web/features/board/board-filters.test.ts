import { expect, test } from 'vitest'
import { boardAddress } from './board-filters.tsx'

test('what is looked at comes back from the address, and all else in it stays', () => {
  const looked = {
    onlyFailing: true,
    text: 'check',
    scan: 'a b',
    order: 'written',
    open: 'k1',
    policy: '/policies/A/b',
    cause: 'No signature',
    owner: 'shop',
    policyOwner: 'security',
    by: 'owner',
    dryRun: 'release-next',
    asOf: '2026-12-01',
    view: 'evidence',
    assigned: 'mine',
  } as const
  const search = boardAddress.write(looked, new URLSearchParams('list=pkg:oci/a@1'))
  expect(boardAddress.read(new URLSearchParams(search.toString()))).toEqual(looked)
  expect(search.get('list')).toBe('pkg:oci/a@1')
  const usual = boardAddress.read(new URLSearchParams())
  expect(boardAddress.write(usual, search).toString()).toBe('list=pkg%3Aoci%2Fa%401')
})
