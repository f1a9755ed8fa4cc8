import { createContext, type ReactElement, useContext, useSyncExternalStore } from 'react'
import type { Clock } from '../../protocol/clock.ts'
import { usePreferences } from './device-preferences.ts'
import { agoText, dayText, instantText } from './format.ts'
import { VisuallyHidden } from './text.tsx'

/** The one ticking clock of a page: ages on screen change together, and only while some are shown. */
export interface Ticker {
  readonly subscribe: (listener: () => void) => () => void
  /** Epoch ms of the last tick. */
  readonly now: () => number
  /** The same by the server's clock, as far as that is known. */
  readonly serverNow: () => number
  /** The same by the build server's clock, as far as that is known. */
  readonly buildServerNow: () => number
}

const tickMs = 1000

/**
 * Ticks once a second while somebody listens; between listeners it costs nothing. `serverNow` is the server's clock
 * where `clock` is another one, and `buildServerNow` the build server's.
 */
export function createTicker(
  clock: Clock,
  serverNow: () => number = clock.now,
  buildServerNow: () => number = serverNow,
): Ticker {
  const listeners = new Set<() => void>()
  let now = clock.now()
  let cancel: (() => void) | undefined

  function tick(): void {
    now = clock.now()
    cancel = clock.after(tickMs, tick)
    for (const listener of listeners) listener()
  }

  /** Nobody is told of time that passes unheard. It stands still between ticks then, too: a page that is drawn in slices would be drawn again. */
  function read(): number {
    if (cancel === undefined && clock.now() - now >= tickMs) now = clock.now()
    return now
  }

  return {
    subscribe: (listener) => {
      listeners.add(listener)
      cancel ??= clock.after(tickMs, tick)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        cancel?.()
        cancel = undefined
      }
    },
    now: read,
    serverNow: () => read() + serverNow() - clock.now(),
    buildServerNow: () => read() + buildServerNow() - clock.now(),
  }
}

export const TickerContext = createContext<Ticker | undefined>(undefined)

/** The page's ticker. Throws an Error outside a TickerContext. */
export function useTicker(): Ticker {
  const ticker = useContext(TickerContext)
  if (ticker === undefined) throw new Error('no TickerContext')
  return ticker
}

/** The time, epoch ms; renders again once a second. */
export function useNow(): number {
  const ticker = useTicker()
  return useSyncExternalStore(ticker.subscribe, ticker.now)
}

/** What `derive` makes of the time; renders again only when that changes. */
export function useDerivedFromNow<T extends string | number | boolean>(
  derive: (now: number) => T,
): T {
  const ticker = useTicker()
  return useSyncExternalStore(ticker.subscribe, () => derive(ticker.now()))
}

/**
 * How long ago `at` was (epoch ms) by the server's clock, kept up to date. The instant itself is in the tooltip and what a
 * screen reader says, in the zone of the viewer's choice.
 */
export function RelativeTime({ at }: { at: number }): ReactElement {
  return <Ago at={at} now={useTicker().serverNow} />
}

/** The same of what a build server dated, such as when a build was received: by its clock. */
export function BuildTime({ at }: { at: number }): ReactElement {
  return <Ago at={at} now={useTicker().buildServerNow} />
}

function Ago({ at, now }: { at: number; now: () => number }): ReactElement {
  const { zone } = usePreferences()
  const ticker = useTicker()
  const instant = instantText(at, zone)
  const ago = useSyncExternalStore(ticker.subscribe, () =>
    agoText(now() - at, dayText(at, zone, 'date')),
  )
  return (
    <time dateTime={new Date(at).toISOString()} title={instant}>
      <span aria-hidden="true">{ago}</span>
      <VisuallyHidden>{instant}</VisuallyHidden>
    </time>
  )
}
