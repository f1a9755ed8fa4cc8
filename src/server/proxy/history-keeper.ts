import type { Logger } from 'pino'
import type { Clock } from '../../protocol/clock.ts'
import type { Database } from '../store/database.ts'
import { sweepHistory } from '../store/history-sweep.ts'
import { dayMs, type HistorySettings } from './history-settings.ts'

/** Keeps the history from growing for ever. */
export interface HistoryKeeper {
  /** Ends it, after the few rows that are just being removed. */
  readonly close: () => Promise<void>
}

/** Removes what is no longer kept: now, and every day from now on. A failure is logged, no more. */
export function startHistoryKeeper(options: {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: HistorySettings
}): HistoryKeeper {
  const { database, clock, logger, settings } = options
  const closed = new AbortController()
  let cancel = (): void => undefined
  let sweeping = sweep()

  async function sweep(): Promise<void> {
    try {
      const keepFrom = clock.now() - settings.keepDays * dayMs
      const limits = { keepFrom, keepPerScan: settings.keepPerScan }
      const removed = await sweepHistory(database, limits, closed.signal)
      if (removed > 0) logger.info({ removed }, 'old evaluations were removed')
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown'
      logger.warn({ reason }, 'old evaluations could not be removed')
    }
    if (closed.signal.aborted) return
    cancel = clock.after(dayMs, () => {
      sweeping = sweep()
    })
  }

  return {
    close: async () => {
      closed.abort()
      cancel()
      await sweeping
    },
  }
}
