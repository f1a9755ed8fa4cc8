import { expect, test } from 'vitest'
import { readViewAddress, writeViewAddress } from './view-address.ts'

test('what is looked at goes into the address and comes back, beside whatever stood there', () => {
  const view = { tab: 'payload', item: 4, view: 'hex', search: 'a b', digest: 'sha256:00' } as const
  const written = writeViewAddress(view, new URLSearchParams('mode=x'))
  expect(written.toString()).toBe('mode=x&tab=payload&item=5&view=hex&q=a+b&digest=sha256%3A00')
  expect(readViewAddress(written)).toEqual(view)
})

test('defaults and nonsense leave the address short', () => {
  const read = readViewAddress(new URLSearchParams('tab=nothing&item=-3&view=%00'))
  expect(read).toEqual({ tab: 'says', item: 0, view: 'tree', search: '', digest: '' })
  expect(writeViewAddress(read, new URLSearchParams()).toString()).toBe('')
})
