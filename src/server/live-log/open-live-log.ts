import type { Logger } from 'pino'
import type { Clock } from '../../protocol/clock.ts'
import { createEngineLog } from './engine-log.ts'
import type { LiveLog } from './live-log.ts'
import { createMemoryLog } from './memory-log.ts'
import { createPostgresEngine } from './postgres-log.ts'
import { createRedisEngine } from './redis-log.ts'
import { untilReached } from './until-reached.ts'

export interface OpenLiveLogOptions {
  /** `memory`, `postgres://…`, `redis://…` or `rediss://…`, checked with the settings. */
  readonly url: string
  /** Whether a log in memory stands in until the server is reached for the first time. */
  readonly fallback: boolean
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Pick<Logger, 'warn' | 'info'>
}

/** Opens the live log at an address. Never waits for a server and never throws: `state` says how it stands. */
export function openLiveLog(options: OpenLiveLogOptions): LiveLog {
  const { url, clock, fallback } = options
  if (url === 'memory') return createMemoryLog(clock)
  const engine = /^rediss?:/.test(url)
    ? createRedisEngine(url, clock)
    : createPostgresEngine(url, clock)
  const log = createEngineLog({ ...options, engine })
  return fallback ? untilReached(log, createMemoryLog(clock), clock) : log
}
