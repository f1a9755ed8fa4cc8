import { createContext, useContext, useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { Wall } from '../../protocol/wall.ts'

const SavedQuery = z.object({ name: z.string(), query: z.string(), zone: z.optional(z.string()) })
export type SavedQuery = z.infer<typeof SavedQuery>

const SearchColumn = z.object({
  name: z.string(),
  width: z.number(),
  isFixed: z.optional(z.boolean()),
})

const DeviceKey = z.object({
  name: z.string(),
  /** A public key or certificate; never a private key. */
  pem: z.string(),
  /** The one signature algorithm that a JWK is for. */
  jwsAlgorithm: z.optional(z.string()),
  /** What signers call it, as it stood beside the key. */
  keyIds: z.optional(z.readonly(z.array(z.string()))),
})
export type DeviceKey = z.infer<typeof DeviceKey>

const RememberedPackage = z.object({
  address: z.object({
    type: z.string(),
    namespace: z.optional(z.string()),
    name: z.string(),
    version: z.string(),
  }),
  sha256: z.string(),
  repositoryUrl: z.string(),
  /** Names of policy scans that were evaluated on it, newest first. */
  scans: z.readonly(z.array(z.string())),
  /** Ids of builds that were published for it, or that its evidence named, newest first. */
  builds: z.optional(z.readonly(z.array(z.string()))),
})
export type RememberedPackage = z.infer<typeof RememberedPackage>

const RememberedRun = z.object({
  path: z.string(),
  sha256: z.string(),
  /** Runs that an older release kept have none, and are left out: they may be of another artifact. */
  repositoryUrl: z.string(),
  /** When the evaluation ended, epoch ms. */
  at: z.number(),
  policies: z.readonly(
    z.array(
      z.object({
        uri: z.string(),
        status: z.enum(['satisfied', 'unsatisfied', 'not-applicable', 'unknown']),
        /** Of how many attestations, and how many it applied to. */
        passed: z.number(),
        evaluated: z.number(),
      }),
    ),
  ),
})
export type RememberedRun = z.infer<typeof RememberedRun>

/** A list without the entries that cannot be read: one of them must not take the others along. */
function listOf<Entry extends z.core.$ZodType>(entry: Entry) {
  return z.pipe(
    z.array(z.unknown()),
    z.transform((values): readonly z.infer<Entry>[] =>
      values.flatMap((value) => {
        const read = z.safeParse(entry, value)
        return read.success ? [read.data] : []
      }),
    ),
  )
}

const PastedBoard = z.object({
  /** The last part of its address: `/board?kept=<id>`. */
  id: z.string(),
  title: z.string(),
  /** As it was pasted. */
  text: z.string(),
  scans: z.readonly(z.array(z.string())),
})
export type PastedBoard = z.infer<typeof PastedBoard>

const OpenedPlace = z.object({
  label: z.string(),
  /** What it is: "package", "board, 3 packages". */
  note: z.string(),
  /** Its address here. */
  to: z.string(),
})

/**
 * What a person chose on this device; it is nobody else's and never in a link. A choice that cannot
 * be read is as if it had not been made, and leaves the others alone.
 */
const DevicePreferences = z.object({
  version: z.literal(1),
  zone: z.catch(z.enum(['local', 'utc']), 'local'),
  scheme: z.catch(z.enum(['auto', 'light', 'dark']), 'auto'),
  /** Queries that were run, newest first; see query-editor/past-queries.ts. */
  pastQueries: z.catch(listOf(z.string()), []),
  /** Queries that were given a name, and the zone of their times where those have none. */
  savedQueries: z.catch(listOf(SavedQuery), []),
  /** The columns of search results, in order; undefined until some were chosen. */
  searchColumns: z.catch(z.optional(listOf(SearchColumn)), undefined),
  /** Public keys whose signatures are trusted on this device, in the order they were added. */
  trustedKeys: z.catch(z.optional(listOf(DeviceKey)), undefined),
  /** Packages that were looked at, newest first; see remembered-packages.ts. */
  packages: z.catch(z.optional(listOf(RememberedPackage)), undefined),
  /** How policy scans came out here, newest first; see remembered-runs.ts. */
  policyRuns: z.catch(z.optional(listOf(RememberedRun)), undefined),
  /** Walls that were put together on this device, in the order they were saved. */
  walls: z.catch(z.optional(listOf(Wall)), undefined),
  /** How walls are shown here, by name ('' for all projects); decoded by wall-link.ts, as the first load does without. */
  wallSettings: z.catch(z.optional(z.record(z.string(), z.unknown())), undefined),
  /** Release boards that were pasted here, newest first. */
  boards: z.catch(z.optional(listOf(PastedBoard)), undefined),
  /** What was opened from the command palette, newest first. */
  opened: z.catch(z.optional(listOf(OpenedPlace)), undefined),
  /** The pages of the demo whose tip was closed. */
  closedTips: z.catch(z.optional(listOf(z.string())), undefined),
})
export type DevicePreferences = z.infer<typeof DevicePreferences>

const defaults: DevicePreferences = {
  version: 1,
  zone: 'local',
  scheme: 'auto',
  pastQueries: [],
  savedQueries: [],
}
const key = 'sightline.preferences'

/** The part of localStorage that is used. */
export type PreferenceStorage = Pick<Storage, 'getItem' | 'setItem'>

/** Preferences as a store; what cannot be read or written is kept for this page only. */
export interface PreferenceStore {
  readonly subscribe: (listener: () => void) => () => void
  readonly get: () => DevicePreferences
  readonly change: (part: Partial<Omit<DevicePreferences, 'version'>>) => void
  /** Reads again: another tab wrote. */
  readonly reload: () => void
}

/** Preferences on `storage`, or in memory where a browser allows none (undefined). */
export function createPreferenceStore(storage: PreferenceStorage | undefined): PreferenceStore {
  const listeners = new Set<() => void>()
  let current = read(storage) ?? defaults

  function publish(next: DevicePreferences): void {
    current = next
    for (const listener of listeners) listener()
  }

  return {
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    get: () => current,
    change: (part) => {
      publish({ ...current, ...part })
      write(storage, current)
    },
    reload: () => {
      publish(read(storage) ?? current)
    },
  }
}

export const PreferenceContext = createContext<PreferenceStore | undefined>(undefined)

/** The store itself, for changes. Throws an Error outside a PreferenceContext. */
export function usePreferenceStore(): PreferenceStore {
  const store = useContext(PreferenceContext)
  if (store === undefined) throw new Error('no PreferenceContext')
  return store
}

/** What is preferred at this moment. */
export function usePreferences(): DevicePreferences {
  const store = usePreferenceStore()
  return useSyncExternalStore(store.subscribe, store.get)
}

function read(storage: PreferenceStorage | undefined): DevicePreferences | undefined {
  try {
    const text = storage?.getItem(key) ?? undefined
    return text === undefined ? undefined : DevicePreferences.safeParse(JSON.parse(text)).data
  } catch {
    // Written by something else, or storage is blocked: the defaults serve.
    return undefined
  }
}

function write(storage: PreferenceStorage | undefined, preferences: DevicePreferences): void {
  try {
    storage?.setItem(key, JSON.stringify(preferences))
  } catch {
    // Full or blocked: the choice holds until the page is closed.
  }
}
