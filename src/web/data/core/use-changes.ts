import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import type { ChangeTopic } from '../../../protocol/live-change.ts'
import type { ChangeListener } from './changes.ts'
import { usePageServices } from './services.ts'

/** Calls `listener` when something of a topic has changed, for as long as the component is there. */
function useChanges(topic: ChangeTopic, listener: ChangeListener): void {
  const { changes } = usePageServices()
  const heard = useEffectEvent(listener)
  useEffect(() => changes.subscribe(topic, heard), [changes, topic])
}

/**
 * Fetches a query again when something of a topic has changed that concerns it; a change without a
 * key concerns all. Only below `Queries`.
 */
export function useFreshQuery(
  topic: ChangeTopic,
  queryKey: QueryKey,
  concerns: (key: string) => boolean = () => true,
): void {
  const queries = useQueryClient()
  useChanges(topic, (key) => {
    if (key === undefined || concerns(key)) void queries.invalidateQueries({ queryKey })
  })
}
