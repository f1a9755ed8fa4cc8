import type { ReactElement } from 'react'
import { usePreferences, usePreferenceStore } from '../ui/device-preferences.ts'
import css from './shell.module.css'

/** Whether times are shown in the zone of the device or in UTC. */
export function ZoneSwitch(): ReactElement {
  const store = usePreferenceStore()
  const { zone } = usePreferences()
  return (
    <button
      type="button"
      className={css.tool}
      aria-label={`Times are shown in ${zone === 'utc' ? 'UTC' : 'the zone of this device'}. Switch to ${zone === 'utc' ? 'the zone of this device' : 'UTC'}`}
      title="Show times in UTC or in the zone of this device"
      onClick={() => {
        store.change({ zone: zone === 'utc' ? 'local' : 'utc' })
      }}
    >
      {zone === 'utc' ? 'UTC' : 'Local'}
    </button>
  )
}
