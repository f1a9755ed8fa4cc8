import * as z from 'zod/mini'
import { noBuilds } from '../../../facts/tile-builds.ts'
import { type TileSpell, type TileState, tileState } from '../../../facts/tile-state.ts'
import { EpochMs } from '../../../protocol/build-message.ts'
import { TileClaim } from '../../../protocol/claim.ts'
import { Facts } from '../../../protocol/facts.ts'
import type { Session } from '../../../protocol/session.ts'
import { Wall } from '../../../protocol/wall.ts'

export interface KeptTile {
  readonly key: string
  /** The project that it is of, where it came with that. */
  readonly project: string | undefined
  readonly state: TileState
  readonly spell: TileSpell
}

/** All that a wall needs to be shown again without its proxy. */
export interface KeptWall {
  /** When it was so, epoch ms by the proxy's clock. */
  readonly asOf: number
  /** What was to be added to this browser's clock then to get the proxy's, ms. */
  readonly skew: number
  /** Those that take turns, the one that was opened first. */
  readonly walls: readonly Wall[]
  readonly isDemo: boolean
  readonly tiles: readonly KeptTile[]
  readonly claims: readonly TileClaim[]
}

/**
 * The last state of walls, kept on this device by their address (docs/design.md#wall-screens): of one person or screen alone, of
 * eight walls at most. What can't be read or written is not kept; nothing here ever rejects.
 */
export interface KeptWalls {
  /** Undefined where nothing is kept, or what is kept is somebody else's. */
  readonly read: (
    address: string,
    isOwner: (owner: string) => boolean,
  ) => Promise<KeptWall | undefined>
  /** Replaces what was kept of this wall, and drops what is of others. */
  readonly write: (address: string, owner: string, wall: KeptWall) => Promise<void>
  readonly forget: () => Promise<void>
}

/** Text by a key, in order of keys. */
export interface TextStorage {
  readonly get: (key: string) => Promise<unknown>
  /** In one step: all of it or, after a power cut, nothing. */
  readonly change: (put: ReadonlyMap<string, string>, drop: readonly string[]) => Promise<void>
  readonly keys: () => Promise<readonly string[]>
  readonly clear: () => Promise<void>
}

/** Of whom something is kept: a screen is another one than a person of the same name. */
export function ownerOf({ user: { name, roles } }: Session): string {
  return `${roles.includes('screen') ? 'screen' : 'person'} ${name}`
}

const mostWalls = 8
const mostCharacters = 2_000_000

/** Keeps walls in this storage. */
export function createKeptWalls(storage: TextStorage): KeptWalls {
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch {
      // Full, blocked, or written by another release.
      return undefined
    }
  }
  return {
    read: (address, isOwner) =>
      attempt(async () => {
        const keys = await storage.keys()
        const key = keys.find((one) => addressIn(one) === address && isOwner(ownerIn(one)))
        const text = key === undefined ? undefined : await storage.get(key)
        return KeptRecord.parse(JSON.parse(typeof text === 'string' ? text : '')).wall
      }),
    write: async (address, owner, wall) => {
      const record = { version, wall: { ...wall, tiles: wall.tiles.map(shown) } }
      const text = JSON.stringify(record)
      if (text.length > mostCharacters) return
      const key = `${owner}\n${address}`
      await attempt(async () => {
        const others = (await storage.keys()).filter((one) => one !== key)
        const kept = others.filter((one) => ownerIn(one) === owner).slice(-(mostWalls - 1))
        const drop = others.filter((one) => !kept.includes(one))
        await storage.change(new Map([[key, text]]), drop)
      })
    },
    forget: async () => {
      await attempt(() => storage.clear())
    },
  }
}

function ownerIn(key: string): string {
  return key.split('\n', 1)[0] ?? ''
}

function addressIn(key: string): string {
  return key.slice(key.indexOf('\n') + 1)
}

/** To be raised with the shape: what another release wrote is not read. */
const version = 1
const nothing = tileState(noBuilds, { now: 0, timeZone: 'UTC' })
const Count = z.int().check(z.nonnegative())
const Milliseconds = z.number().check(z.nonnegative())

/** JSON has no undefined: what is left out is put back. */
const Breaking = z.pipe(
  z.object({
    buildId: z.string(),
    receivedAt: EpochMs,
    requested: z.array(z.string()),
    branch: z.optional(z.string()),
    user: z.optional(z.string()),
    commit: z.optional(z.string()),
    cause: z.optional(
      z.pipe(
        z.object({ what: z.optional(z.string()), message: z.optional(z.string()) }),
        z.transform((cause) => ({ what: undefined, message: undefined, ...cause })),
      ),
    ),
    lastGood: z.optional(z.string()),
    commits: z.array(
      z.pipe(
        z.object({ commit: z.string(), author: z.optional(z.string()) }),
        z.transform((commit) => ({ author: undefined, ...commit })),
      ),
    ),
  }),
  z.transform((build) => ({
    branch: undefined,
    user: undefined,
    commit: undefined,
    cause: undefined,
    lastGood: undefined,
    ...build,
  })),
)

const KeptState = z.object({
  status: z.enum(['failing', 'flaky', 'slower', 'silent', 'healthy', 'unknown', 'empty']),
  newest: z.optional(Facts),
  since: z.optional(EpochMs),
  inARow: Count,
  between: Count,
  times: Count,
  news: z.optional(z.enum(['failed', 'fixed'])),
  isMore: z.boolean(),
  isOpen: z.boolean(),
  breaking: z.optional(Breaking),
  fixedBy: z.optional(z.string()),
  flaky: z.optional(
    z.pipe(
      z.object({ commit: z.optional(z.string()), test: z.optional(z.string()) }),
      z.transform((flaky) => ({ commit: undefined, test: undefined, ...flaky })),
    ),
  ),
  slower: z.optional(
    z.object({
      buildId: z.string(),
      before: z.string(),
      recentMs: Milliseconds,
      usualMs: Milliseconds,
      requested: z.array(z.string()),
    }),
  ),
  silent: z.optional(z.object({ everyMs: Milliseconds, dueAt: EpochMs })),
  branch: z.optional(z.string()),
  failingBranches: z.array(z.string()),
  strip: z.array(z.object({ buildId: z.string(), outcome: z.enum(['succeeded', 'failed']) })),
  storing: Count,
  durations: z.pipe(
    z.object({
      medianMs: z.optional(Milliseconds),
      todayMs: z.optional(Milliseconds),
      today: Count,
    }),
    z.transform((durations) => ({ medianMs: undefined, todayMs: undefined, ...durations })),
  ),
})

const KeptTile = z.pipe(
  z.object({
    key: z.string(),
    project: z.optional(z.string()),
    state: z.pipe(
      KeptState,
      z.transform((state): TileState => ({ ...nothing, ...state })),
    ),
    spell: z.object({ isFailing: z.boolean(), spell: z.string(), since: EpochMs }),
  }),
  z.transform((tile) => ({ project: undefined, ...tile })),
)

const KeptRecord = z.object({
  version: z.literal(version),
  wall: z.object({
    asOf: EpochMs,
    skew: z.number(),
    // The wall of all projects has no name.
    walls: z.array(z.extend(Wall, { name: z.string() })),
    isDemo: z.boolean(),
    tiles: z.array(KeptTile),
    claims: z.array(TileClaim),
  }),
})

/** Of the newest build only what its tile shows: of the rest there may be much. */
function shown({ state, ...tile }: KeptTile): KeptTile {
  const { newest, ...rest } = state
  if (newest === undefined) return { ...tile, state }
  const { buildId, receivedAt, buildTool, buildToolVersion, agentVersion, project } = newest
  return {
    ...tile,
    state: {
      ...rest,
      newest: { buildId, receivedAt, buildTool, buildToolVersion, agentVersion, project },
    },
  }
}

const databaseName = 'sightline-walls'
const storeName = 'walls'

/** Those of this browser, in its IndexedDB, which is opened each time anew: no tab is in another's way. */
export function keptWalls(factory: IDBFactory): KeptWalls {
  return createKeptWalls(textsIn(factory))
}

function textsIn(factory: IDBFactory): TextStorage {
  const within = async <T>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<T> | undefined,
  ): Promise<T | undefined> => {
    const opening = factory.open(databaseName, 1)
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(storeName)
    }
    const database = await resultOf(opening)
    try {
      // Strict: a power cut is what it is kept for.
      const transaction = database.transaction(storeName, mode, { durability: 'strict' })
      const request = work(transaction.objectStore(storeName))
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => {
          resolve()
        }
        transaction.onabort = () => {
          reject(transaction.error ?? new Error('The transaction was aborted.'))
        }
      })
      return request?.result
    } finally {
      database.close()
    }
  }
  return {
    get: (key) => within<unknown>('readonly', (store) => store.get(key)),
    change: async (put, drop) => {
      await within('readwrite', (store) => {
        for (const key of drop) store.delete(key)
        for (const [key, text] of put) store.put(text, key)
        return undefined
      })
    },
    keys: async () => {
      const keys = (await within('readonly', (store) => store.getAllKeys())) ?? []
      return keys.filter((key) => typeof key === 'string')
    },
    clear: async () => {
      await within('readwrite', (store) => store.clear())
    },
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result)
    }
    request.onerror = () => {
      reject(request.error ?? new Error('The request failed.'))
    }
  })
}
