import { expect, test } from 'vitest'
import { forAnother, viewAddress } from './view-address.ts'

test('what is looked at goes into the address and comes back, beside whatever stood there', () => {
  const view = {
    tab: 'payload',
    item: 4,
    view: 'hex',
    search: 'a b',
    digest: 'sha256:00',
    needed: 2,
    compare: '3',
  } as const
  const written = viewAddress.write(view, new URLSearchParams('mode=x'))
  expect(written.toString()).toBe(
    'mode=x&tab=payload&item=5&view=hex&q=a+b&digest=sha256%3A00&needed=2&compare=3',
  )
  expect(viewAddress.read(written)).toEqual(view)
})

test('defaults and nonsense leave the address short', () => {
  const read = viewAddress.read(new URLSearchParams('tab=nothing&item=-3&view=%00&needed=0'))
  expect(read).toEqual({
    tab: 'says',
    item: 0,
    view: 'tree',
    search: '',
    digest: '',
    needed: 1,
    compare: '',
  })
  expect(viewAddress.write(read, new URLSearchParams()).toString()).toBe('')
})

test('the number of required keys carries over to the next attestation, and nothing else', () => {
  const before = new URLSearchParams('tab=payload&item=5&q=a&digest=sha256%3A00&needed=2&compare=3')
  expect(forAnother(before).toString()).toBe('needed=2')
  expect(forAnother(new URLSearchParams('tab=payload')).toString()).toBe('')
})
