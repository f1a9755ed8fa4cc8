import { sql } from 'kysely'
import Libsql from 'libsql'
import { type Clock, wait } from '../../protocol/clock.ts'
import type { Database } from './database.ts'

/** The right to be the only process of a database that does something. */
export interface ProcessLock {
  /** Whether it is still ours: with its connection to the database, a process loses it. */
  readonly isHeld: () => Promise<boolean>
  /** Gives it up, so that another process can take it. Never throws. */
  readonly release: () => Promise<void>
}

/**
 * What is locked, with its number on PostgreSQL: making a seed, being the first process of the
 * embedded services, and being the only proxy, which is asked of files.
 */
const numbers = { seed: 778233, first: 778234, proxy: 778235 } as const
type LockName = keyof typeof numbers

/** Where a lock is kept. */
export type Lockable = Pick<Database, 'kysely' | 'file' | 'dialect'>

/**
 * Takes a lock, unless another process has it. On PostgreSQL it is a connection's, for SQLite that of
 * an empty file beside the database; both end with a process that is killed. Where there can be no
 * such file (in memory, in a folder that is read-only) everybody gets it.
 */
export async function takeLock(
  database: Lockable,
  name: LockName,
): Promise<ProcessLock | undefined> {
  return database.dialect === 'postgres'
    ? lockOfConnection(database, numbers[name])
    : lockOfFile(database.file, name)
}

function lockOfConnection({ kysely }: Lockable, number: number): Promise<ProcessLock | undefined> {
  return new Promise((resolve, reject) => {
    const ended = kysely.connection().execute(async (held) => {
      const asked = sql<{
        isOurs: boolean
      }>`select pg_try_advisory_lock(${sql.lit(number)}) as "isOurs"`
      if ((await asked.execute(held)).rows[0]?.isOurs !== true) {
        resolve(undefined)
        return
      }
      await new Promise<void>((release) => {
        resolve({
          isHeld: () =>
            sql`select 1`.execute(held).then(
              () => true,
              () => false,
            ),
          release: async () => {
            release()
            await ended.catch(() => undefined)
          },
        })
      })
      await sql`select pg_advisory_unlock(${sql.lit(number)})`.execute(held)
    })
    ended.catch(reject)
  })
}

function lockOfFile(file: string | undefined, name: LockName): ProcessLock | undefined {
  const unlocked = { isHeld: () => Promise.resolve(true), release: () => Promise.resolve() }
  if (file === undefined) return unlocked
  let lock: Libsql.Database | undefined
  try {
    lock = new Libsql(`${file}.${name}.lock`)
    // Nothing is ever written: without a journal there is no second file beside it.
    lock.exec('pragma journal_mode = memory')
    lock.exec('begin immediate')
  } catch (error) {
    lock?.close()
    const isTaken = error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY'
    return isTaken ? undefined : unlocked
  }
  const held = lock
  return {
    isHeld: () => Promise.resolve(true),
    release: () => {
      if (held.open) {
        held.exec('rollback')
        held.close()
      }
      return Promise.resolve()
    },
  }
}

/** What only the first process of a database does. */
export interface FirstProcess {
  /** Whether this is the first one now. */
  readonly isFirst: () => boolean
  /** Has `work` done while this process is the first one. Its end is waited for before another's begin. */
  readonly whileFirst: (work: () => { readonly stop: () => Promise<void> }) => void
  /** Ends the work, and lets another process be the first. */
  readonly close: () => Promise<void>
}

/**
 * Makes this process the first one of its database, or waits, with a look every second, until the one
 * that is has ended. Resolves when it is known which. Throws what the database throws.
 */
export async function joinProcesses(database: Lockable, clock: Clock): Promise<FirstProcess> {
  const closing = new AbortController()
  const works: (() => { readonly stop: () => Promise<void> })[] = []
  let running: { readonly stop: () => Promise<void> }[] = []
  let lock = await takeLock(database, 'first')

  const stop = async (): Promise<void> => {
    const ending = running
    running = []
    await Promise.all(ending.map((work) => work.stop()))
  }
  const look = async (): Promise<void> => {
    if (lock === undefined) {
      // Away with the database: there is another look in a second.
      lock = await takeLock(database, 'first').catch(() => undefined)
      if (lock !== undefined && !closing.signal.aborted) running = works.map((work) => work())
    } else if (!(await lock.isHeld())) {
      const lost = lock
      lock = undefined
      await stop()
      await lost.release()
    }
  }
  const looking = (async () => {
    for (;;) {
      await wait(clock, lookMs, closing.signal)
      if (closing.signal.aborted) return
      await look()
    }
  })()

  return {
    isFirst: () => lock !== undefined,
    whileFirst: (work) => {
      works.push(work)
      if (lock !== undefined && !closing.signal.aborted) running.push(work())
    },
    close: async () => {
      closing.abort()
      await looking
      await stop()
      await lock?.release()
      lock = undefined
    },
  }
}

const lookMs = 1000
