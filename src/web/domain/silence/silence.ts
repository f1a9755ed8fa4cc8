import { useMemo } from 'react'
import { proxySilentMs } from '../../data/live/connection-sentence.ts'
import type { Connection } from '../../data/live/feed-state.ts'
import { useServices } from '../../data/core/services.ts'
import { durationText } from '../../ui/format.ts'
import { useDerivedFromNow, useTicker } from '../../ui/time.tsx'

/** A server behind the proxy that a page waits for. */
export type AwaitedServer = 'build server' | 'policy service'

/** Shorter waits are usual, ms. */
const usualWaitMs = 5000

/**
 * Who has not responded since something was last heard of a request (`since`, epoch ms), kept up to
 * date; empty while the wait is no longer than usual, and where nothing is awaited (undefined).
 */
export function useSilence(since: number | undefined, server: AwaitedServer): string {
  const { feed } = useServices()
  return useDerivedFromNow((now) => {
    if (since === undefined) return ''
    const { connection, lastHeardAt } = feed.getSnapshot()
    return silenceText({ since, server }, now, { state: connection.state, lastHeardAt }) ?? ''
  })
}

/**
 * Since when the page waits, for `useSilence`: since it began to, or since more came. `heard` is how much
 * has come of what it waits for; undefined while it doesn't wait.
 */
export function useWaitStart(heard: number | undefined): number | undefined {
  const ticker = useTicker()
  return useMemo(() => (heard === undefined ? undefined : ticker.now()), [ticker, heard])
}

/**
 * The same at `now`, as far as the live feed's connection to the proxy shows who is silent; undefined
 * where the wait is no longer than usual.
 */
export function silenceText(
  { since, server }: { readonly since: number; readonly server: AwaitedServer },
  now: number,
  proxy: { readonly state: Connection['state']; readonly lastHeardAt: number | undefined },
): string | undefined {
  const waitMs = now - since
  if (waitMs < usualWaitMs) return undefined
  const { state, lastHeardAt } = proxy
  const isLost =
    state === 'retrying' || (lastHeardAt !== undefined && now - lastHeardAt > proxySilentMs)
  const isHeard = lastHeardAt !== undefined && lastHeardAt > since
  const who = isLost ? ' from the Sightline server' : isHeard ? ` from the ${server}` : ''
  return `No response${who} for ${durationText(Math.floor(waitMs / 1000) * 1000)}.`
}
