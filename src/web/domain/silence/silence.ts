import { useMemo } from 'react'
import { proxySilentMs } from '../../data/live/connection-sentence.ts'
import type { Connection } from '../../data/live/feed-state.ts'
import { useServices } from '../../data/core/services.ts'
import { durationText } from '../../ui/format.ts'
import { useDerivedFromNow, useTicker } from '../../ui/time.tsx'

export interface Awaited {
  /** When something was last heard of it, epoch ms; before, when it was requested. */
  readonly since: number
  readonly server: 'build server' | 'policy service'
  /** The proxy sends it many requests and reports later, so that what isn't heard here may be on its way there. */
  readonly bySteps?: boolean
}

/** Shorter waits are usual, ms. */
const usualWaitMs = 5000

/** Who hasn't responded, and for how long; empty while the wait is usual, or `since` undefined. */
export function useSilence(
  since: number | undefined,
  server: Awaited['server'],
  bySteps = false,
): string {
  const { feed } = useServices()
  return useDerivedFromNow((now) => {
    if (since === undefined) return ''
    const { connection, lastHeardAt } = feed.getSnapshot()
    const proxy = { state: connection.state, lastHeardAt }
    return silenceText({ since, server, bySteps }, now, proxy) ?? ''
  })
}

/** Since when the page waits, for `useSilence`; `heard` is how much has come, undefined while it doesn't wait. */
export function useWaitStart(heard: number | undefined): number | undefined {
  const ticker = useTicker()
  return useMemo(() => (heard === undefined ? undefined : ticker.now()), [ticker, heard])
}

/** The same at `now`, as far as the live feed shows who is silent; undefined while the wait is usual. */
export function silenceText(
  { since, server, bySteps = false }: Awaited,
  now: number,
  proxy: { readonly state: Connection['state']; readonly lastHeardAt: number | undefined },
): string | undefined {
  const waitMs = now - since
  if (waitMs < usualWaitMs) return undefined
  const { state, lastHeardAt } = proxy
  const isLost =
    state === 'retrying' || (lastHeardAt !== undefined && now - lastHeardAt > proxySilentMs)
  const time = durationText(Math.floor(waitMs / 1000) * 1000)
  if (isLost) return `No response from the Sightline server for ${time}.`
  if (bySteps) return `Waiting for the ${server} for ${time}.`
  const isHeard = lastHeardAt !== undefined && lastHeardAt > since
  return `No response${isHeard ? ` from the ${server}` : ''} for ${time}.`
}
