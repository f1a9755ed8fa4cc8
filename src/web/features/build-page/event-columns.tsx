import type { LoggedEvent } from '../../../facts/event-log.ts'
import { countText } from '../../../protocol/count.ts'
import css from './execution-rows.module.css'
import type { Column } from './windowed-table.tsx'

/** A row shows no more of a long event than this many characters. */
const shown = 300

/** How raw events are listed. */
export const eventColumns: readonly Column<LoggedEvent>[] = [
  {
    name: 'number',
    heading: 'Number',
    width: '64px',
    isNumber: true,
    cell: ({ sequence, index }) => countText(sequence ?? index + 1),
  },
  {
    name: 'type',
    heading: 'Type',
    width: 'minmax(0, 2fr)',
    cell: ({ type }) => <span className={css.path}>{type}</span>,
  },
  {
    name: 'data',
    heading: 'Data',
    width: 'minmax(0, 5fr)',
    isMinor: true,
    cell: ({ text }) => <span className={css.path}>{dataOf(text)}</span>,
  },
]

/** The data of an event as far as a row has room for them; their place is told by their key. */
function dataOf(text: string): string {
  const at = text.indexOf('"data":')
  return text.slice(at === -1 ? 0 : at + 7, at + 7 + shown).replace(/\}$/, '')
}
