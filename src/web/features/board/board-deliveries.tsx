import type { ReactElement } from 'react'
import { countOf } from '../../../protocol/count.ts'
import type { Delivery } from '../../../protocol/delivery.ts'
import {
  type SeenDeliveries,
  useDeliveries,
  useRetryDelivery,
} from '../../data/audit/deliveries.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { agoText, durationText } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'

/** How the messages to a board's webhook stand; nothing for a board without one. */
export function BoardDeliveries({ board }: { board: string }): ReactElement | null {
  const { data: list } = useDeliveries(board)
  return list?.configured === true ? <Deliveries list={list} /> : null
}

function Deliveries({ list }: { list: SeenDeliveries }): ReactElement {
  const retry = useRetryDelivery()
  const shown = shownDelivery(list.deliveries)
  const sentence = useDerivedFromNow((now) => deliverySentence(shown, now + list.skew))
  const failed = shown !== undefined && hasFailed(shown) ? shown : undefined
  return (
    <Notice
      testId="deliveries"
      tone={failed === undefined ? 'none' : failed.state === 'failed' ? 'bad' : 'waiting'}
      action={
        failed !== undefined && (
          <PermittedButton
            permission="decide"
            variant="default"
            data-screen-only
            onClick={() => {
              if (!retry.isPending) retry.mutate(failed.id)
            }}
          >
            {retry.isPending ? 'Sending…' : 'Try again'}
          </PermittedButton>
        )
      }
    >
      {sentence}
      {retry.error !== null && ` Request failed: ${retry.error.message}`}
    </Notice>
  )
}

function hasFailed({ state, reason }: Delivery): boolean {
  return state !== 'sent' && reason !== null
}

/** Of several messages, the newest that failed, as it is the one to do something about. */
export function shownDelivery(deliveries: readonly Delivery[]): Delivery | undefined {
  return deliveries.find(hasFailed) ?? deliveries[0]
}

/** "Webhook failed 3 times. The webhook responded with 500. Next try in 40 s." `now` is epoch ms. */
export function deliverySentence(delivery: Delivery | undefined, now: number): string {
  if (delivery === undefined) return 'Webhook: no message sent yet.'
  const { state, triedAt, reason, attempts, nextAt, createdAt } = delivery
  if (state === 'sent') {
    return `Webhook: last message sent ${agoText(Math.max(0, now - (triedAt ?? createdAt)))}.`
  }
  if (reason === null) return 'Webhook: sending a message…'
  const times = countOf(attempts, 'time')
  if (state === 'failed')
    return `Webhook: a message failed ${times} and wasn't delivered. ${reason}`
  const left = (nextAt ?? now) - now
  const next = left > 0 ? `Next try in ${durationText(left)}.` : 'Next try within 30 s.'
  return `Webhook: a message failed ${times}. ${reason} ${next}`
}
