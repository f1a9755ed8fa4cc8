import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useDeferredValue, useMemo } from 'react'
import { Link, useParams } from 'react-router'
import { PolicyServiceScope } from '../../domain/package/policy-service-scope.tsx'
import { configuredBoard } from '../../../policy/board.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { EmptyState, PageHeader } from '../../ui/page.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import pageCss from '../../ui/page.module.css'
import { useServices } from '../../data/core/services.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Delivery, DeliveryList } from '../../../protocol/delivery.ts'
import { useDeliveries, useRetryDelivery } from '../../data/audit/deliveries.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { agoText, durationText } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { LineMistakes } from './pasted-board.tsx'
import { BoardScreen } from './board-screen.tsx'

/** A board of the configuration, by the name in its address. */
export function BoardPage(): ReactElement {
  return (
    <PolicyServiceScope>
      <ConfiguredBoard />
    </PolicyServiceScope>
  )
}

function ConfiguredBoard(): ReactElement {
  const { name = '' } = useParams()
  const { data, error, refetch } = useQuery(configQuery(useServices().request))
  const found = data?.boards.find((board) => board.name === name)
  // A large board takes long to draw for the first time, too: what is on the screen stays usable.
  const drawn = useDeferredValue(found)
  const read = useMemo(() => (drawn === undefined ? undefined : configuredBoard(drawn)), [drawn])
  const notes = useMemo(
    () =>
      drawn !== undefined &&
      read !== undefined && (
        <>
          <LineMistakes mistakes={read.mistakes} />
          <BoardDeliveries board={drawn.name} />
        </>
      ),
    [drawn, read],
  )
  if (drawn !== undefined && read !== undefined) {
    return (
      <BoardScreen id={drawn.name} board={read.board}>
        {notes}
      </BoardScreen>
    )
  }
  if (data === undefined || found !== undefined) {
    return (
      <div className={pageCss.page}>
        <PageHeader sentence={`Release board ${name}`} />
        {error === null ? (
          <p role="status">Loading boards…</p>
        ) : (
          <ProblemPanel
            problem={problemWords(error, {
              action: 'load',
              noun: 'the boards',
              server: 'Sightline server',
            })}
            retry={{ label: 'Try again', run: refetch }}
          />
        )}
      </div>
    )
  }
  return (
    <EmptyState
      title={`Board “${name}” not found.`}
      heading="h1"
      action={<Link to="/board">All boards</Link>}
    >
      <p>
        Boards are configured by your administrator.{' '}
        {data.boards.length === 0
          ? 'No boards are configured. Paste a list of packages instead.'
          : `Configured boards: ${data.boards.map((board) => `“${board.name}”`).join(', ')}.`}
      </p>
    </EmptyState>
  )
}

/** How the messages to a board's webhook stand; nothing for a board without one. */
function BoardDeliveries({ board }: { board: string }): ReactElement | null {
  const { data: list } = useDeliveries(board)
  return list?.configured === true ? <Deliveries list={list} /> : null
}

function Deliveries({ list }: { list: DeliveryList }): ReactElement {
  const retry = useRetryDelivery()
  const shown = shownDelivery(list.deliveries)
  const sentence = useDerivedFromNow((now) => deliverySentence(shown, now))
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
  const meant = deliveries.filter(({ state }) => state !== 'left-out')
  return meant.find(hasFailed) ?? meant[0]
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
