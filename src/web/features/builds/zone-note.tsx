import type { ReactElement } from 'react'
import { momentsIn } from '../../ui/query-editor/moments-in.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { viewerZone } from '../../ui/format.ts'
import css from './zone-note.module.css'
import type { SearchPage } from './use-search-page.ts'

/** Whose times stand in the query, where they are written without a zone; and the way to change it. */
export function ZoneNote({ page }: { page: SearchPage }): ReactElement | null {
  const { query, timeZone, run } = page
  const mine = viewerZone(usePreferences().zone)
  if (!momentsIn(query).some(({ type }) => type === 'local')) return null
  return (
    <p className={css.note}>
      {`Times in the query are ${zoneName(timeZone)} time${timeZone === mine ? ', as on this device' : ''}. `}
      {timeZone !== mine && (
        <button
          type="button"
          className={css.switch}
          onClick={() => {
            run(query.text, mine)
          }}
        >
          {`Read them as ${zoneName(mine)} time`}
        </button>
      )}
    </p>
  )
}

function zoneName(zone: string): string {
  return zone.replaceAll('_', ' ')
}
