import { z } from 'zod'
import { BuildId, BuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { LiveLog } from '../../live-log/live-log.ts'

/** Wants of facts on their way to the process that learns them. */
export interface WantedFacts {
  /** Sends a want, with others that come soon. */
  readonly send: (build: BuildMessage, previous: string | undefined) => void
  readonly close: () => void
}

/**
 * Sends wants by notice, a batch at a time, and takes those of all processes. When too many wait, the
 * oldest give way.
 */
export function createWantedFacts(
  log: Pick<LiveLog, 'notify' | 'onNotice'>,
  clock: Clock,
  onWant: (build: BuildMessage, previous: string | undefined) => void,
): WantedFacts {
  const waiting = new Map<string, z.output<typeof Want>>()
  let cancel: (() => void) | undefined

  const sendBatch = (): void => {
    const batch = [...waiting.values()].slice(0, mostAtOnce)
    for (const { build } of batch) waiting.delete(build.buildId)
    log.notify(topic, batch)
    cancel = waiting.size === 0 ? undefined : clock.after(apartMs, sendBatch)
  }
  const stop = log.onNotice(topic, (value) => {
    const read = Wants.safeParse(value)
    if (!read.success) return
    for (const { build, previous } of read.data) onWant(build, previous ?? undefined)
  })

  return {
    send: (build, previous) => {
      waiting.set(build.buildId, { build, previous: previous ?? null })
      if (waiting.size > mostWaiting) waiting.delete(waiting.keys().next().value ?? '')
      cancel ??= clock.after(apartMs, sendBatch)
    },
    close: () => {
      cancel?.()
      stop()
    },
  }
}

const topic = 'facts-wanted'
/** Some 60 kB. */
const mostAtOnce = 250
const apartMs = 200
const mostWaiting = 5000

const Want = z.object({ build: BuildMessage, previous: z.nullable(BuildId) })
const Wants = z.array(Want)
