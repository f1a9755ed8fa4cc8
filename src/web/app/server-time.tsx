import { type ReactElement, type ReactNode, useMemo } from 'react'
import { useServices } from '../data/core/services.ts'
import { serverClock } from '../data/core/session.ts'
import { createTicker, TickerContext } from '../ui/time.tsx'

/** What is in it says ages by the server's clock: for pages of what the server has recorded. */
export function ServerTime({ children }: { children: ReactNode }): ReactElement {
  const { clock, session } = useServices()
  const ticker = useMemo(() => createTicker(serverClock(clock, session)), [clock, session])
  return <TickerContext value={ticker}>{children}</TickerContext>
}
