import type { Logger } from 'pino'
import { aborted, type Clock, wait } from '../../protocol/clock.ts'
import { parsedJson } from '../../protocol/parsed-text.ts'
import { createEngineLeases } from './engine-leases.ts'
import { createGivenEntries } from './given-entries.ts'
import type { LiveLog, LogEngine, LogReader, LogState, News, Notice, Position } from './live-log.ts'

export interface EngineLogOptions {
  readonly engine: LogEngine
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Pick<Logger, 'warn' | 'info'>
}

/**
 * The log that all processes of an installation share, kept by a server. Connects from the start and
 * for ever again; a start does not wait for it.
 */
export function createEngineLog({ engine, clock, random, logger }: EngineLogOptions): LiveLog {
  const ended = new AbortController()
  let reader: LogReader | undefined
  let isCaughtUp = false

  const named = new Set<string>()
  const given = createGivenEntries((kind) => {
    if (named.has(kind) || named.size >= namedKinds) return
    named.add(kind)
    logger.warn(
      { kind },
      'The live log has entries that this version cannot read; they are skipped. Update this process.',
    )
  })

  let waiters: (() => void)[] = []
  const untilGiven = async (head: Position, signals: readonly AbortSignal[]): Promise<void> => {
    const over = AbortSignal.any([...signals])
    while (reader !== undefined && !over.aborted && !given.has(head)) {
      await Promise.race([new Promise<void>((resolve) => waiters.push(resolve)), aborted(over)])
    }
  }

  /** Reading and writing fail each for itself: a server may be read-only, or full. */
  const faults: { reading: string | undefined; writing: string | undefined } = {
    reading: `Connecting to the live log in ${engine.place}.`,
    writing: undefined,
  }
  let state: LogState = {
    kind: engine.kind,
    isReachable: false,
    since: clock.now(),
    message: faults.reading,
  }
  const returnListeners = new Set<() => void>()
  const callAll = (listeners: Iterable<() => void>): void => {
    for (const listener of [...listeners]) listener()
  }

  const failures = { reading: 0, writing: 0 }
  const setFault = (side: 'reading' | 'writing', error?: unknown): void => {
    failures[side] = error === undefined ? 0 : failures[side] + 1
    const fault = error === undefined ? undefined : faultOf(error)
    // A connection that was cut is made again before anybody hears of it.
    if (failures[side] === 1 && fault?.startsWith('no answer') !== true) return
    const verb = side === 'reading' ? 'reach' : 'write to'
    faults[side] = fault && `Can't ${verb} the live log in ${engine.place}: ${fault}. Trying again.`
    const message = faults.reading ?? faults.writing
    if (message === state.message) return
    const isReachable = message === undefined
    state = {
      kind: engine.kind,
      isReachable,
      since: isReachable === state.isReachable ? state.since : clock.now(),
      message,
    }
    if (message === undefined) logger.info(`The live log in ${engine.place} can be reached.`)
    else logger.warn(message)
    reader?.onState(state)
  }

  const leases = createEngineLeases({
    engine,
    clock,
    random,
    given,
    untilGiven,
    onOutcome: (error) => {
      if (!ended.signal.aborted) setFault('writing', error)
    },
    onReleased: (name) => {
      send({ topic: releasedTopic, json: JSON.stringify(name) })
    },
  })

  const listeners = new Map<string, Set<(value: unknown) => void>>()
  const hear = ({ topic, json }: Notice): void => {
    const value = parsedJson(json)
    if (value === undefined) return
    if (topic === releasedTopic) leases.tryNow(typeof value === 'string' ? value : '')
    else if (topic === missedTopic) callAll(returnListeners)
    else for (const listener of [...(listeners.get(topic) ?? [])]) listener(value)
  }

  let outgoing: Notice[] = []
  let flushing: Promise<void> | undefined
  /** Some process was not notified of something by this one, and has to be told so. */
  let hasMissed = false
  const send = (notice: Notice): void => {
    if (outgoing.length < mostOutgoing) outgoing.push(notice)
    else hasMissed = true
    flushing ??= flush()
  }
  const flush = async (): Promise<void> => {
    while (outgoing.length > 0 || hasMissed) {
      const notices = outgoing
      outgoing = []
      if (hasMissed) notices.unshift({ topic: missedTopic, json: 'true' })
      hasMissed = false
      try {
        await engine.notify(notices)
      } catch {
        if (ended.signal.aborted) return
        hasMissed = true
        await wait(clock, retryMs / 2, ended.signal)
      }
    }
    flushing = undefined
  }

  const follow = async (): Promise<void> => {
    await engine.open()
    let isPatient = false
    for (;;) {
      const asking = reader
      const news = await engine.next(asking && given.position(), isPatient)
      if (ended.signal.aborted) return
      onReached()
      for (const notice of news.notices) hear(notice)
      isPatient = news.isAll && news.rows !== 'astray'
      if (asking !== undefined) give(asking, news)
    }
  }

  const give = (to: LogReader, { rows, isAll }: News): void => {
    if (rows === 'astray') {
      given.startOver()
      return
    }
    const entries = given.take(rows)
    if (entries.length > 0) to.onEntries(entries)
    if (isAll && !isCaughtUp) {
      isCaughtUp = true
      to.onCaughtUp()
    }
    const woken = waiters
    waiters = []
    callAll(woken)
  }

  const onReached = (): void => {
    const wasAway = faults.reading !== undefined
    setFault('reading')
    if (wasAway) callAll(returnListeners)
  }

  const run = async (): Promise<void> => {
    for (;;) {
      let fault: unknown
      try {
        await follow()
      } catch (error) {
        fault = error
      }
      engine.drop()
      if (ended.signal.aborted) return
      setFault('reading', fault)
      const ms = failures.reading === 1 ? firstRetryMs : retryMs
      await wait(clock, ms * (0.8 + 0.4 * random()), ended.signal)
    }
  }
  const running = run()

  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await leases.close()
    ended.abort()
    await flushing
    engine.drop()
    await engine.close()
    await running
  }

  return {
    append: leases.append,
    lease: leases.lease,
    read: (added) => {
      if (reader !== undefined) throw new Error('the live log has its reader')
      reader = added
      added.onState(state)
    },
    notify: (topic, value) => {
      const json = JSON.stringify(value ?? null)
      if (json.length > largestNotice) logger.warn({ topic }, 'A notice was too large to be sent.')
      else if (!ended.signal.aborted) send({ topic, json })
    },
    onNotice: (topic, listener) => {
      const known = listeners.get(topic) ?? new Set()
      listeners.set(topic, known.add(listener))
      return () => {
        known.delete(listener)
      }
    },
    onReturn: (listener) => {
      returnListeners.add(listener)
      return () => {
        returnListeners.delete(listener)
      }
    },
    state: () => state,
    close: () => (closing ??= close()),
  }
}

/** Between the processes themselves: a lease is free; somebody may have missed a notice. */
const releasedTopic = 'live-log:released'
const missedTopic = 'live-log:missed'

const largestNotice = 1_000_000
/** So many notices wait while the server is slow; beyond that it counts as away. */
const mostOutgoing = 2000

const firstRetryMs = 50
const retryMs = 1000

/** A stranger must not fill the process's log. */
const namedKinds = 20

/**
 * What an error of the server of a live log means, as a part of a sentence. Never the server's own words,
 * which may hold what was sent to it: known codes, else the code itself.
 */
export function faultOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const name = code === '' ? (/^[A-Z]{2,20}\b/.exec(message)?.[0] ?? '') : code
  const known = faults.find(([codes]) => codes.includes(name))
  if (known !== undefined) return known[1]
  if (/^ERR (?:AUTH|Client sent AUTH)/.test(message)) return 'it expects no password'
  if (/^ERR (?:DB index|SELECT)/.test(message)) return 'database not found'
  if (/time(?:d? ?)out|timeout/i.test(message)) return 'no answer'
  if (/terminated|closed|ended|connection/i.test(message)) return 'the connection was lost'
  return /^[\w-]{2,40}$/.test(name) ? `error ${name}` : 'an unknown error'
}

/** Codes of Node, of PostgreSQL (appendix A of its manual), the first words of Redis's errors, and two codes of redis-log.ts. */
const faults: readonly (readonly [codes: readonly string[], meaning: string])[] = [
  [['ECONNREFUSED'], 'connection refused'],
  [['ENOTFOUND', 'EAI_AGAIN'], 'host not found'],
  [['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'], 'no answer'],
  [['ECONNRESET', 'EPIPE', '57P01', '57P02', '08006', '08003'], 'the connection was lost'],
  [['PERHAPS_NO_TLS'], 'no answer. If that port has no TLS, use redis://'],
  [['PERHAPS_TLS'], 'the connection was lost. If that port expects TLS, use rediss://'],
  [['57P03', 'LOADING'], 'it is starting'],
  [['28P01', '28000', 'WRONGPASS', 'NOAUTH'], 'wrong user or password'],
  [['3D000'], 'database not found'],
  [['42501', 'NOPERM'], 'the user lacks a permission there'],
  [['25006', 'READONLY'], 'it is read-only'],
  [['53100', 'MISCONF'], 'its disk is full'],
  [['53200', 'OOM'], 'its memory is full'],
  [['53300'], 'it has too many connections'],
]
