import type { Logger } from 'pino'
import { type Clock, dayMs, hourMs, minuteMs } from '../../../protocol/clock.ts'
import { credentialText, expiryText } from '../../../protocol/credential-state.ts'
import type { Upstream } from './upstream.ts'

/** How soon a secret that was replaced in its file is noticed where nobody sends requests. */
const lookEveryMs = 2000
/** Days before the end at which the log warns, once each. */
const warningDays = [14, 7, 3, 1, 0]

/**
 * Looks after the credentials of real servers: checks each at once, then every hour, and every minute
 * while its server rejects it or can't be reached; notices a file whose secret was replaced, and
 * warns in the log 14, 7, 3 and 1 days before one expires.
 */
export function watchCredentials(options: {
  readonly upstreams: readonly Upstream[]
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn' | 'error' | 'info'>
}): { readonly close: () => void } {
  const { clock, logger } = options
  const watched = options.upstreams
    .filter(({ kind, credential }) => kind === 'server' && credential().kind !== 'none')
    .map((upstream) => ({
      upstream,
      dueAt: clock.now(),
      isChecking: false,
      isReplaced: false,
      isRefused: false,
      warned: Infinity,
    }))
  let stop = (): void => undefined

  const check = async (one: (typeof watched)[number]): Promise<void> => {
    one.isChecking = true
    one.isReplaced = false
    await one.upstream.checkCredential()
    const credential = one.upstream.credential()
    const isRefused = credential.state === 'refused'
    one.dueAt = clock.now() + (credential.state === 'valid' ? hourMs : minuteMs)
    one.isChecking = false
    const { name, settings } = one.upstream
    const text = credentialText(credential, clock.now())
    if (isRefused && !one.isRefused) {
      logger.error(`${capital(name)}: ${text} Replace it in ${settings.credential}.`)
    } else if (!isRefused && one.isRefused) {
      logger.warn(`${capital(name)}: ${text}`)
    }
    one.isRefused = isRefused
  }

  const warn = (one: (typeof watched)[number]): void => {
    const { upstream, warned } = one
    const credential = upstream.credential()
    const leftDays = ((credential.expiresAt ?? Infinity) - clock.now()) / dayMs
    const stage = warningDays.findLast((days) => leftDays <= days) ?? Infinity
    one.warned = stage
    if (stage >= warned) return
    const sentence = expiryText(credential, clock.now()) ?? ''
    const line = `${capital(upstream.name)}: ${sentence} Replace it in ${upstream.settings.credential}.`
    if (stage === 0) logger.error(line)
    else logger.warn(line)
  }

  const look = (): void => {
    for (const one of watched) {
      // Also while the old one is being checked, which says nothing of the new one.
      if (one.upstream.rereadCredential()) one.isReplaced = true
      if (!one.isChecking && (one.isReplaced || clock.now() >= one.dueAt)) void check(one)
      warn(one)
    }
    stop = clock.after(lookEveryMs, look)
  }
  if (watched.length > 0) look()
  return {
    close: () => {
      stop()
    },
  }
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
