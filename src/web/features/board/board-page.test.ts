import { expect, test } from 'vitest'
import type { Delivery } from '../../../protocol/delivery.ts'
import { deliverySentence, shownDelivery } from './board-page.tsx'

const now = Date.UTC(2026, 0, 5, 9)
const sent: Delivery = {
  to: 'board shop',
  id: 'a',
  createdAt: now - 200_000,
  text: 'x',
  state: 'sent',
  attempts: 1,
  triedAt: now - 120_000,
  reason: null,
  nextAt: null,
}
const reason = 'The webhook responded with 500.'
const waiting: Delivery = { ...sent, state: 'waiting', attempts: 3, reason, nextAt: now + 40_000 }

test.each([
  [undefined, 'Webhook: no message sent yet.'],
  [sent, 'Webhook: last message sent 2 min ago.'],
  [{ ...waiting, reason: null }, 'Webhook: sending a message…'],
  [waiting, `Webhook: a message failed 3 times. ${reason} Next try in 40 s.`],
  [
    { ...waiting, nextAt: now },
    `Webhook: a message failed 3 times. ${reason} Next try within 30 s.`,
  ],
  [
    { ...waiting, state: 'failed', attempts: 1, nextAt: null },
    `Webhook: a message failed 1 time and wasn't delivered. ${reason}`,
  ],
] as const)('a delivery is said in words: %#', (delivery, sentence) => {
  expect(deliverySentence(delivery, now)).toBe(sentence)
})

test('one that failed is shown until it is sent, whatever was sent since', () => {
  expect(shownDelivery([sent, waiting])).toBe(waiting)
  expect(shownDelivery([sent, { ...waiting, state: 'sent', reason: null }])).toBe(sent)
  expect(shownDelivery([])).toBeUndefined()
  expect(shownDelivery([{ ...waiting, state: 'left-out' }, sent])).toBe(sent)
})
