import { type Clock, wait } from '../../../protocol/clock.ts'
import { countOf } from '../../../protocol/count.ts'
import type { DatabaseStatus } from '../../../protocol/status-report.ts'
import { type Database, type DatabaseFacts, databaseFault } from '../../store/database.ts'
import type { WriterState } from '../history/history-writer.ts'
import { createCheck } from './check.ts'

/** Looks after the database on demand. */
export interface DatabaseWatch {
  readonly status: () => DatabaseStatus
  /** Whether it can be written is known afterwards, and what it says of itself. Never rejects. */
  readonly refresh: () => Promise<void>
  /**
   * Writes to it, unless that was done within the last ten seconds, or half a second while it can't
   * be written. Resolves when it is known, or after half a second where it was known before.
   */
  readonly probe: () => Promise<void>
}

/** What is watched, and what is being recorded in it. */
export interface DatabaseWatchOptions {
  readonly database: Pick<Database, 'dialect' | 'probe' | 'inspect'>
  readonly recording?: () => WriterState
  readonly clock: Clock
}

/** Says whether the database can be written, which is what a read-only or a full one cannot. */
export function createDatabaseWatch(options: DatabaseWatchOptions): DatabaseWatch {
  const { database, recording, clock } = options
  const limits = { everyMs: 10_000, everyMsAfterFault: 500, longestMs: 5000 }
  const writing = createCheck(clock, limits, async () => {
    const startedAt = clock.now()
    await database.probe()
    return clock.now() - startedAt
  })
  let facts: DatabaseFacts | undefined
  const inspecting = createCheck(clock, { everyMs: 10_000, longestMs: 5000 }, async () => {
    facts = await database.inspect()
  })
  return {
    probe: async () => {
      const isKnown = writing.last() !== undefined
      const probed = new AbortController()
      const writes = writing.refresh()
      if (isKnown) await Promise.race([writes, wait(clock, patienceMs, probed.signal)])
      else await writes
      probed.abort()
    },
    refresh: async () => {
      await Promise.all([writing.refresh(), inspecting.refresh()])
    },
    status: () => {
      const outcome = writing.last()
      const { written, waiting, lost, isFailing, lastProblemAt } = recording?.() ?? nothingRecorded
      const lostNote = `${countOf(lost, 'record')} of evaluations and actions lost since the start.`
      const notes = lost > 0 ? [lostNote] : []
      const common = {
        kind: database.dialect,
        version: facts?.version ?? null,
        sizeBytes: facts?.sizeBytes ?? null,
        latencyMs: outcome?.ok === true ? outcome.value : null,
        recording: { written, waiting, lost, lastProblemAt },
      }
      if (outcome === undefined)
        return { ...common, health: 'unknown', message: 'The database was not checked yet.', notes }
      if (!outcome.ok)
        return { ...common, health: 'failed', message: databaseFault(outcome.fault), notes }
      const entries = countOf(waiting, 'entry', 'entries')
      return isFailing
        ? { ...common, health: 'warning', message: `Recording fails: ${entries} waiting.`, notes }
        : { ...common, health: 'ok', message: 'The database is responding.', notes }
    },
  }
}

/** Probes give up after a second as a rule: a database that is slow once isn't lost yet. */
const patienceMs = 500

const nothingRecorded: WriterState = {
  waiting: 0,
  written: 0,
  lost: 0,
  isFailing: false,
  lastProblemAt: null,
}
