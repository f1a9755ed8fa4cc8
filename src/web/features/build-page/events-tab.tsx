import { Button } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import { toggled } from './build-address.ts'
import { bytesText } from '../../ui/format.ts'
import { EventDetails } from './event-details.tsx'
import { eventColumns } from './event-columns.tsx'
import css from './events-tab.module.css'
import rowCss from './execution-rows.module.css'
import { NoEvents } from './no-events.tsx'
import { PartNotice, PartProgress } from './part-notice.tsx'
import { useRowHeight } from './row-height.ts'
import type { TabProps } from './tab-props.ts'
import { TypeList } from './type-list.tsx'
import { stampOf } from './use-answer.ts'
import { useWindow } from './use-window.ts'
import { WindowedTable } from './windowed-table.tsx'

/** The raw events, just as they came, by type. */
export function EventsTab({ events, view, address, change }: TabProps): ReactElement {
  const part = view.parts.log
  const stamp = stampOf(part)
  const [selected, setSelected] = useState<number>()
  const rowHeight = useRowHeight()
  const { eventTypes } = address
  const types = eventTypes.length === 0 ? undefined : eventTypes
  const rows = useWindow(
    stamp === undefined ? undefined : [events.buildId, 'log', view.logTypes, stamp, types],
    (window) => events.ask({ kind: 'log', types, ...window }),
    rowHeight,
  )
  const counts = rows.answer?.counts ?? []
  const missing = counts
    .filter(({ type }) => types?.includes(type) ?? true)
    .reduce((sum, { count, kept }) => sum + count - kept, 0)
  // Types that were not asked for are not here, however many there are of them.
  const { logTypes } = view
  const isOther = logTypes !== undefined && !types?.every((type) => logTypes.includes(type))
  const chosen = selected === undefined ? undefined : rows.rowAt(selected)

  function readOnly(wanted: readonly string[] | undefined): void {
    setSelected(undefined)
    events.loadLog(wanted)
  }

  return (
    <>
      <PartNotice part="log" events={events} state={part} />
      {isOther && (
        <p className={css.notice}>
          {`Only events of ${logTypes.join(', ')} were read.`}
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              readOnly(types)
            }}
          >
            {types === undefined ? 'Read all events' : 'Read the chosen types'}
          </Button>
        </p>
      )}
      {missing > 0 && (
        <p className={css.notice}>
          {`${countText(missing)} of these events are counted but not kept, as this page keeps ${bytesText(128 * 1024 * 1024)} of them.`}
          {types !== undefined && !isOther && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => {
                readOnly(types)
              }}
            >
              Read only the chosen types
            </Button>
          )}
        </p>
      )}
      {counts.length === 0 ? (
        <NoEvents part={part} />
      ) : (
        <div className={css.columns}>
          <TypeList
            counts={counts}
            chosen={eventTypes}
            onToggle={(type) => {
              setSelected(undefined)
              change({ eventTypes: toggled(eventTypes, type) })
            }}
            onClear={() => {
              setSelected(undefined)
              change({ eventTypes: [] })
            }}
          />
          <div className={css.list}>
            <WindowedTable
              label="Events"
              columns={eventColumns}
              rows={rows}
              rowHeight={rowHeight}
              main="type"
              nameOf={({ type, sequence, index }) => `${type}, number ${sequence ?? index + 1}`}
              selected={selected}
              onSelect={setSelected}
            />
            {chosen !== undefined && (
              <EventDetails
                event={chosen}
                onClose={() => {
                  setSelected(undefined)
                }}
              />
            )}
            <p className={rowCss.footer}>{`${countOf(rows.total, 'event')} listed`}</p>
          </div>
        </div>
      )}
      <PartProgress part="log" events={events} state={part} />
    </>
  )
}
