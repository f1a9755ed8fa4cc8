import { Box, Button, Group, Stack, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import {
  eventNumber,
  type LoggedEvent,
  prettyJson,
  type TypeCount,
} from '../../../facts/event-log.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { bytesText } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { EmptyState } from '../../ui/page.tsx'
import { toggled } from '../../data/core/search-state.ts'
import layout from '../../ui/page.module.css'
import css from './build-page.module.css'
import {
  type Column,
  DetailsPanel,
  useOpenedRow,
  useWindow,
  WindowedTable,
} from './windowed-table.tsx'
import { stampOf, type TabProps } from './use-knowledge.ts'
import { LoadingLines, PartNotice, PartProgress } from './part-notice.tsx'
import tables from './tables.module.css'
import { eventKey } from '../../data/build/build-event-messages.ts'
import type { PartState } from '../../data/build/build-part-loader.ts'

/** The raw events, just as they came, by type. */
export function EventsTab(props: TabProps): ReactElement {
  const { events, view, address } = props
  const part = view.parts.log
  const stamp = stampOf(part)
  const opened = useOpenedRow(props)
  const { eventTypes } = address
  const types = eventTypes.length === 0 ? undefined : eventTypes
  const rows = useWindow({
    key: stamp === undefined ? undefined : [events.buildId, 'log', view.logTypes, stamp, types],
    query: (window) => events.query({ kind: 'log', types, ...window }),
    keyOf: eventKey,
    opened,
  })
  const counts = rows.answer?.counts ?? []
  const missing = counts
    .filter(({ type }) => types?.includes(type) ?? true)
    .reduce((sum, { count, kept }) => sum + count - kept, 0)
  // Types that were not loaded are not here, however many there are of them.
  const { logTypes } = view
  const isOther = logTypes !== undefined && !types?.every((type) => logTypes.includes(type))

  function readOnly(wanted: readonly string[] | undefined): void {
    events.loadLog(wanted)
  }

  return (
    <>
      <PartNotice part="log" events={events} state={part} />
      {isOther && (
        <Notice
          action={
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => {
                readOnly(types)
              }}
            >
              {types === undefined ? 'Load all events' : 'Load selected types'}
            </Button>
          }
        >
          {`Only ${logTypes.join(', ')} events were loaded.`}
        </Notice>
      )}
      {missing > 0 && (
        <Notice
          action={
            types !== undefined &&
            !isOther && (
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => {
                  readOnly(types)
                }}
              >
                Load only selected types
              </Button>
            )
          }
        >
          {`${countText(missing)} of these events are counted but not stored: the page stores up to ${bytesText(128 * 1024 * 1024)}.`}
        </Notice>
      )}
      {counts.length === 0 ? (
        <NoEvents part={part} />
      ) : (
        <div className={css.eventColumns}>
          <TypeList
            counts={counts}
            chosen={eventTypes}
            onToggle={(type) => {
              opened.narrow({ eventTypes: toggled(eventTypes, type) })
            }}
            onClear={() => {
              opened.narrow({ eventTypes: [] })
            }}
          />
          <Stack gap={8} miw={0}>
            <WindowedTable
              label="Events"
              columns={eventColumns}
              rows={rows}
              main="type"
              nameOf={eventName}
            />
            {rows.selected !== undefined && (
              <EventDetails event={rows.selected.row} onClose={rows.close} />
            )}
            {!rows.isPending && (
              <Text
                component="p"
                fz="xs"
                c="dimmed"
                m={0}
              >{`${countOf(rows.total, 'event')} listed`}</Text>
            )}
          </Stack>
        </div>
      )}
      <PartProgress part="log" events={events} state={part} />
    </>
  )
}

/** A row shows no more of a long event than this many characters. */
const shown = 300

/** How raw events are listed. */
const eventColumns: readonly Column<LoggedEvent>[] = [
  {
    name: 'number',
    heading: 'Number',
    width: '64px',
    isNumber: true,
    cell: (event) => countText(eventNumber(event)),
  },
  {
    name: 'type',
    heading: 'Type',
    width: 'minmax(0, 2fr)',
    cell: ({ type }) => <span className={tables.executionPath}>{type}</span>,
  },
  {
    name: 'data',
    heading: 'Data',
    width: 'minmax(0, 5fr)',
    isMinor: true,
    cell: ({ text }) => <span className={tables.executionPath}>{dataOf(text)}</span>,
  },
]

/** The data of an event as far as a row has room for them; their place is found by their key. */
function dataOf(text: string): string {
  const at = text.indexOf('"data":')
  return text.slice(at === -1 ? 0 : at + 7, at + 7 + shown).replace(/\}$/, '')
}

function eventName(event: LoggedEvent): string {
  return `${event.type}, number ${eventNumber(event)}`
}

/** One event as JSON, with every digit of its numbers. */
function EventDetails({
  event,
  onClose,
}: {
  event: LoggedEvent
  onClose: () => void
}): ReactElement {
  const { text } = event
  const name = eventName(event)
  return (
    <DetailsPanel label={name} title={name} copy={[text, 'raw event']} onClose={onClose}>
      {/* It scrolls, so the keyboard must reach it. */}
      <pre tabIndex={0} aria-label={`JSON of ${name}`}>
        {prettyJson(text)}
      </pre>
    </DetailsPanel>
  )
}

/** In place of the raw events while there are none. */
function NoEvents({ part }: { part: PartState }): ReactElement {
  if (part.state === 'idle' || part.state === 'loading') {
    return <LoadingLines label="Loading all events" count={8} py={16} />
  }
  return (
    <EmptyState title={part.state === 'complete' ? 'This build has no events.' : 'No events yet.'}>
      <p>
        {part.state === 'complete'
          ? 'The server reported the build without events.'
          : 'Events appear here as soon as they are available.'}
      </p>
    </EmptyState>
  )
}

/** The types of the events with how many there are of each; those that are chosen are listed. */
function TypeList({
  counts,
  chosen,
  onToggle,
  onClear,
}: {
  counts: readonly TypeCount[]
  chosen: readonly string[]
  onToggle: (type: string) => void
  onClear: () => void
}): ReactElement {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  // A type that an address queries for is there also when no event is of it.
  const absent = chosen.filter((type) => !counts.some((known) => known.type === type))
  const rows = [...counts, ...absent.map((type) => ({ type, count: 0, kept: 0 }))]
  return (
    <Box component="fieldset" className={`${layout.box} ${css.types}`} p={8}>
      <legend>
        {countOf(total, 'event')}
        {chosen.length > 0 && (
          <Button size="compact-xs" variant="subtle" onClick={onClear}>
            Show all
          </Button>
        )}
      </legend>
      {rows.map(({ type, count }) => (
        <Group
          key={type}
          component="label"
          gap={8}
          wrap="nowrap"
          mih="var(--icon-height)"
          style={{ clear: 'both', cursor: 'pointer' }}
        >
          <input
            type="checkbox"
            checked={chosen.includes(type)}
            onChange={() => {
              onToggle(type)
            }}
          />
          <Text span truncate flex={1} ff="monospace" fz="xs">
            {type}
          </Text>
          <Text span fz="xs" c="dimmed">
            {countText(count)}
          </Text>
        </Group>
      ))}
    </Box>
  )
}
