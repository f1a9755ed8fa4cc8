import { Box, Checkbox, Group, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import type { Delivery } from '../../../protocol/delivery.ts'
import { alertsQuery, useRetryDelivery } from '../../data/audit/deliveries.ts'
import { useServices } from '../../data/core/services.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { durationText } from '../../ui/format.ts'
import { EmptyState } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { HistoryList } from './history-list.tsx'

/** Messages to webhooks and people, the newest first: what was sent, what waits, what failed and why. */
export function AlertList({
  isFailedOnly,
  onFailedOnly,
}: {
  isFailedOnly: boolean
  onFailedOnly: (isFailedOnly: boolean) => void
}): ReactElement {
  const query = useInfiniteQuery(alertsQuery(useServices().request))
  const deliveries = query.data?.pages.flatMap((page) => page.deliveries) ?? []
  const failed = deliveries.filter(isUndelivered)
  const listed = isFailedOnly ? failed : deliveries
  const newest = query.hasNextPage ? 'Newest ' : ''
  const isConfigured = query.data?.pages[0]?.configured === true
  return (
    <HistoryList query={query} noun="alerts">
      {query.isSuccess && deliveries.length === 0 && (
        <EmptyState title={isConfigured ? 'No alerts yet.' : 'No alerts are configured.'}>
          <p>
            {isConfigured
              ? 'A message is listed here when a project turns red, recovers, or a board changes.'
              : 'Your administrator can send messages to Slack, Teams, other webhooks and email, with the key “alerts” of the configuration file.'}
          </p>
        </EmptyState>
      )}
      {deliveries.length > 0 && (
        <Group gap="8px 24px">
          <Text role="status" c={failed.length > 0 ? 'var(--bad-ink)' : 'dimmed'}>
            {failed.length === 0
              ? `${newest}${countOf(deliveries.length, 'message')}, none undelivered.`
              : `${countOf(failed.length, 'message')} of ${newest.toLowerCase()}${countText(deliveries.length)} not delivered.`}
          </Text>
          <Checkbox
            label="Not delivered only"
            checked={isFailedOnly}
            onChange={(event) => {
              onFailedOnly(event.currentTarget.checked)
            }}
          />
        </Group>
      )}
      {listed.length > 0 && (
        <Table.ScrollContainer minWidth={0} className={pageCss.box}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>State</Table.Th>
                <Table.Th>Message</Table.Th>
                <Table.Th visibleFrom="sm">To</Table.Th>
                <Table.Th>Written</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {listed.map((delivery) => (
                <AlertRow key={delivery.id} delivery={delivery} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </HistoryList>
  )
}

function AlertRow({ delivery }: { delivery: Delivery }): ReactElement {
  const { id, to, text, state, createdAt } = delivery
  const retry = useRetryDelivery()
  // The markup is that of Slack; the link behind it is on the message itself.
  const said = text
    .replace(/ <https?:[^|>]+\|[^>]*>$/, '')
    .replace(/&(amp|lt|gt);/g, unescapedEntity)
  const action = retry.isPending ? 'Sending…' : 'Try again'
  const [tone, word] = isUndelivered(delivery) && state === 'waiting' ? retrying : states[state]
  return (
    <Table.Tr data-delivery={state}>
      <Table.Td>
        <StatusMark tone={tone} word={word} />
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {said}
        <Text hiddenFrom="sm" c="dimmed">
          {receiverText(to)}
        </Text>
        <Why delivery={delivery} />
        {isUndelivered(delivery) && delivery.isReceiverGone !== true && (
          <Group gap={8} mt={4}>
            <PermittedButton
              permission="decide"
              variant="default"
              aria-label={`${action}, ${receiverText(to)}: ${/^.{0,80}/u.exec(said)?.[0]}`}
              onClick={() => {
                if (!retry.isPending) retry.mutate(id)
              }}
            >
              {action}
            </PermittedButton>
            {retry.error !== null && (
              <Text role="alert" c="var(--bad-ink)">
                Request failed: {retry.error.message}
              </Text>
            )}
          </Group>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">{receiverText(to)}</Table.Td>
      <Table.Td>
        <Box component="span" style={{ whiteSpace: 'nowrap' }}>
          <RelativeTime at={createdAt} />
        </Box>
      </Table.Td>
    </Table.Tr>
  )
}

function Why({
  delivery: { state, reason, attempts, nextAt, isReceiverGone },
}: {
  delivery: Delivery
}): ReactElement | null {
  const now = useNow()
  // Nobody sends it any more, however it stood when its receiver was removed.
  const isLost = isReceiverGone === true && (state === 'waiting' || state === 'failed')
  const gone = isLost
    ? "The receiver isn't configured any more, so this message can't be sent again."
    : ''
  if (reason === null) return gone === '' ? null : <Text c="dimmed">{gone}</Text>
  const left = (nextAt ?? now) - now
  const next = left > 0 ? ` Next try in ${durationText(left)}.` : ' Next try within 30 s.'
  return (
    <Text c="dimmed">
      {state === 'left-out' ? '' : `Failed ${countOf(attempts, 'time')}. `}
      {reason}
      {isLost ? ` ${gone}` : state === 'waiting' ? next : ''}
    </Text>
  )
}

function isUndelivered({ state, reason }: Delivery): boolean {
  return state === 'failed' || (state === 'waiting' && reason !== null)
}

const retrying = ['waiting', 'retrying'] as const
const states: Readonly<Record<Delivery['state'], readonly [StatusTone, string]>> = {
  waiting: ['waiting', 'waiting'],
  sent: ['good', 'sent'],
  failed: ['bad', 'not delivered'],
  'left-out': ['none', 'left out'],
}

function receiverText(to: string): string {
  return to === 'SIGHTLINE_WEBHOOK_URL' ? 'webhook' : to
}

function unescapedEntity(entity: string): string {
  return entity === '&lt;' ? '<' : entity === '&gt;' ? '>' : '&'
}
