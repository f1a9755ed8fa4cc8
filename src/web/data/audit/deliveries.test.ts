import { expect, test } from 'vitest'
import type { Delivery, DeliveryList } from '../../../protocol/delivery.ts'
import { problemError } from '../../../protocol/problem.ts'
import { againAfter } from './deliveries.ts'

const sent: Delivery = {
  to: 'board shop',
  id: 'a',
  createdAt: 0,
  text: 'x',
  state: 'sent',
  attempts: 1,
  triedAt: 0,
  reason: null,
  nextAt: null,
}
const list = (...deliveries: readonly Delivery[]): DeliveryList => ({
  configured: true,
  deliveries: [...deliveries],
  next: null,
  now: 0,
})

test('the result of a message that is being sent is looked for each second, of all others now and then', () => {
  const failed: Delivery = { ...sent, state: 'waiting', reason: 'The webhook responded with 500.' }
  expect(againAfter(list(sent, failed))).toBe(10_000)
  expect(againAfter(list(failed, { ...failed, reason: null }))).toBe(1000)
  expect(againAfter({ ...list(sent), configured: false })).toBe(false)
})

test('a list that could not be loaded is requested again, unless it was refused', () => {
  const fault = (status: number) => problemError(status, 'x', 'X', 'Y.')
  expect(againAfter(undefined, fault(503))).toBe(10_000)
  expect(againAfter(undefined, fault(403))).toBe(false)
})
