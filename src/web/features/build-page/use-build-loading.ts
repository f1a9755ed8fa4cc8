import { useEffect } from 'react'
import type { BuildEvents, BuildEventsView } from '../../data/build/build-events.ts'
import type { BuildAddress } from './build-address.ts'

/**
 * Has read what the page needs, in the order of its need: what every build has and why it failed
 * first, what was executed as soon as that begins to come, raw events only where they are looked at.
 */
export function useBuildLoading(
  events: BuildEvents,
  { parts }: BuildEventsView,
  tab: BuildAddress['tab'] | undefined,
  types: readonly string[],
): void {
  const { header, executions, log } = parts
  useEffect(() => {
    if (header.state === 'idle') events.load('header')
  }, [events, header.state])

  const hasBegun = 'bytes' in header && header.bytes > 0
  useEffect(() => {
    if (hasBegun && executions.state === 'idle') events.load('executions')
  }, [events, hasBegun, executions.state])

  const isLogWanted = tab === 'events' && hasBegun && log.state === 'idle'
  const wanted = types.join(',')
  useEffect(() => {
    if (isLogWanted) events.loadLog(wanted === '' ? undefined : wanted.split(','))
  }, [events, isLogWanted, wanted])
}
