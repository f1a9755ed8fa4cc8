import { sql } from 'kysely'
import { z } from 'zod'
import type { Clock } from '../protocol/clock.ts'
import type { Database } from '../server/store/database.ts'
import type { Schema } from '../server/store/schema.ts'

/** What a browser keeps of the demo while its worker is stopped. */
export interface KeptState {
  /** The build of the demo that wrote it: another one's tables may differ. */
  readonly build: string
  /** When the company's builds began to come fast, epoch ms. */
  readonly begun: number
  /** The rows of every table that is kept, by its name. */
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
}

/** Made again from the time alone; all other tables are what people did, and what was signed. */
const madeAgain: ReadonlySet<string> = new Set<keyof Schema>([
  'builds',
  'build_attributes',
  'build_facts',
  'search_terms',
  'build_terms',
  'start_blocks',
  'search_backfill',
  'event_chunks',
  'removed_builds',
  'build_insights',
  'build_points',
  'point_texts',
  'build_rollups',
  'point_backfill',
])

/** Whether what is written to a table is worth keeping. */
export function isKept(table: string): boolean {
  return !madeAgain.has(table) && !/^(?:sqlite|kysely)_/.test(table)
}

/** The rows of all tables that are kept, of one moment. */
export function readTables({ kysely }: Database): Promise<KeptState['tables']> {
  return kysely.transaction().execute(async (transaction) => {
    const { rows: names } = await sql<{ readonly name: string }>`
      select name from sqlite_master where type = 'table'`.execute(transaction)
    const tables: Record<string, readonly Readonly<Record<string, unknown>>[]> = {}
    for (const { name } of names.filter((one) => isKept(one.name))) {
      const { rows } = await sql<Readonly<Record<string, unknown>>>`
        select * from ${sql.table(name)}`.execute(transaction)
      if (rows.length > 0) tables[name] = rows
    }
    return tables
  })
}

/** Puts rows into a new database, all of them or none. Throws where a table doesn't take them. */
export async function restoreTables(
  { kysely }: Database,
  tables: KeptState['tables'],
): Promise<void> {
  await kysely.transaction().execute(async (transaction) => {
    // Rows may name others that come later.
    await sql`pragma defer_foreign_keys = on`.execute(transaction)
    for (const [name, rows] of Object.entries(tables)) {
      await sql`delete from ${sql.table(name)}`.execute(transaction)
      for (const row of rows) {
        const columns = Object.keys(row).map((column) => sql.ref(column))
        await sql`insert into ${sql.table(name)} (${sql.join(columns)})
          values (${sql.join(Object.values(row))})`.execute(transaction)
      }
    }
  })
}

const databaseName = 'sightline-demo'
const storeName = 'state'

const Row = z.record(z.string(), z.unknown())
const Kept = z.object({
  build: z.string(),
  begun: z.number(),
  tables: z.record(z.string(), z.array(Row)),
})

/** The state that the browser kept for a folder on this origin; undefined where there is none. */
export async function readKept(folder: string): Promise<KeptState | undefined> {
  const database = await open()
  try {
    const store = database.transaction(storeName).objectStore(storeName)
    return Kept.safeParse(await done<unknown>(store.get(folder))).data
  } finally {
    database.close()
  }
}

/** Keeps a state in place of the one before. Throws where the browser has no room. */
export async function writeKept(folder: string, state: KeptState): Promise<void> {
  const database = await open()
  try {
    const transaction = database.transaction(storeName, 'readwrite')
    await done(transaction.objectStore(storeName).put(state, folder))
  } finally {
    database.close()
  }
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, 1)
  request.onupgradeneeded = () => {
    request.result.createObjectStore(storeName)
  }
  return done(request)
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result)
    }
    request.onerror = () => {
      reject(request.error ?? new Error('the browser keeps nothing'))
    }
  })
}

/** Runs `save` soon after it was last called, several changes together, and again for what came meanwhile. */
export function createSaver(
  clock: Clock,
  save: () => Promise<void>,
  failed: (error: unknown) => void,
): () => void {
  let changes = 0
  let saved = 0
  let isBusy = false
  const later = (): void => {
    isBusy = true
    clock.after(settleMs, () => void run())
  }
  const run = async (): Promise<void> => {
    const upto = changes
    try {
      await save()
    } catch (error) {
      failed(error)
    }
    saved = upto
    isBusy = false
    if (changes > saved) later()
  }
  return () => {
    changes += 1
    if (!isBusy) later()
  }
}

/** A request writes to several tables, ms. */
const settleMs = 100
