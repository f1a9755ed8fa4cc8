import { Box, Button, Checkbox, Group, Table, Text } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { countOf } from '../../../protocol/count.ts'
import { type Delivery, mostDeliveries } from '../../../protocol/delivery.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { useDeliveries, useRetryDelivery } from '../../data/audit/deliveries.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { durationText } from '../../ui/format.ts'
import { EmptyState } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { ProblemPanel } from '../../ui/problem.tsx'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'

const shownAtFirst = 50

/** Messages to webhooks and people, the newest first: what was sent, what waits, what failed and why. */
export function AlertList(): ReactElement {
  const { data, error, refetch } = useDeliveries()
  const [isFailedOnly, setFailedOnly] = useState(false)
  const [shown, setShown] = useState(shownAtFirst)
  if (data === undefined) {
    return error === null ? (
      <p role="status">Loading alerts…</p>
    ) : (
      <ProblemPanel
        problem={problemWords(error, {
          action: 'load',
          noun: 'alerts',
          server: 'Sightline server',
        })}
        retry={{ label: 'Try again', run: refetch }}
      />
    )
  }
  const { configured, deliveries } = data
  const failed = deliveries.filter(isUndelivered)
  // There may be more.
  const newest = deliveries.length < mostDeliveries ? '' : 'Newest '
  if (deliveries.length === 0) {
    return (
      <EmptyState title={configured ? 'No alerts yet.' : 'No alerts are configured.'}>
        <p>
          {configured
            ? 'A message is listed here when a project turns red, recovers, or a board changes.'
            : 'Your administrator can send messages to Slack, Teams, other webhooks and email, with the key “alerts” of the configuration file.'}
        </p>
      </EmptyState>
    )
  }
  const listed = isFailedOnly ? failed : deliveries
  return (
    <>
      <Group gap="8px 24px">
        <Text role="status" c={failed.length > 0 ? 'var(--bad-ink)' : 'dimmed'}>
          {failed.length === 0
            ? `${newest}${countOf(deliveries.length, 'message')}, none undelivered.`
            : `${countOf(failed.length, 'message')} of ${newest.toLowerCase()}${deliveries.length} not delivered.`}
        </Text>
        <Checkbox
          label="Not delivered only"
          checked={isFailedOnly}
          onChange={(event) => {
            setFailedOnly(event.currentTarget.checked)
          }}
        />
      </Group>
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
              {listed.slice(0, shown).map((delivery) => (
                <AlertRow key={delivery.id} delivery={delivery} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {listed.length > shown && (
        <Button
          variant="default"
          onClick={() => {
            setShown(listed.length)
          }}
        >
          Show {listed.length - shown} older
        </Button>
      )}
    </>
  )
}

function AlertRow({ delivery }: { delivery: Delivery }): ReactElement {
  const { id, to, text, state, createdAt } = delivery
  const retry = useRetryDelivery()
  const [tone, word] = isUndelivered(delivery) && state === 'waiting' ? retrying : states[state]
  return (
    <Table.Tr data-delivery={state}>
      <Table.Td>
        <StatusMark tone={tone} word={word} />
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {/* The markup is that of Slack; the link behind it is on the message itself. */}
        {text.replace(/ <https?:[^|>]+\|[^>]*>$/, '').replace(/&(amp|lt|gt);/g, unescapedEntity)}
        <Text hiddenFrom="sm" c="dimmed">
          {receiverText(to)}
        </Text>
        <Why delivery={delivery} />
        {isUndelivered(delivery) && (
          <Group gap={8} mt={4}>
            <PermittedButton
              permission="decide"
              variant="default"
              onClick={() => {
                if (!retry.isPending) retry.mutate(id)
              }}
            >
              {retry.isPending ? 'Sending…' : 'Try again'}
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
  delivery: { state, reason, attempts, nextAt },
}: {
  delivery: Delivery
}): ReactElement | null {
  const now = useNow()
  if (reason === null) return null
  const left = (nextAt ?? now) - now
  const next = left > 0 ? ` Next try in ${durationText(left)}.` : ' Next try within 30 s.'
  return (
    <Text c="dimmed">
      {state === 'left-out' ? '' : `Failed ${countOf(attempts, 'time')}. `}
      {reason}
      {state === 'waiting' ? next : ''}
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
