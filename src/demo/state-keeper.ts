import { z } from 'zod'
import type { Clock } from '../protocol/clock.ts'
import type { KeptState } from './kept-state.ts'

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

/**
 * Runs `save` soon after it was last called, and again for what changed meanwhile; several changes
 * share one run.
 */
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
