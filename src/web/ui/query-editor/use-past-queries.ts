import { useCallback } from 'react'
import { usePreferences, usePreferenceStore } from '../device-preferences.ts'
import { withPastQuery } from './past-queries.ts'

/** The queries that were run on this device, newest first, and how to remember one more. */
export function usePastQueries(): readonly [readonly string[], (text: string) => void] {
  const store = usePreferenceStore()
  const { pastQueries } = usePreferences()
  const remember = useCallback(
    (text: string) => {
      store.change({ pastQueries: withPastQuery(store.get().pastQueries, text) })
    },
    [store],
  )
  return [pastQueries, remember]
}
