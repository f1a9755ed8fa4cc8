import { createContext, useContext, useSyncExternalStore } from 'react'
import { z } from 'zod'

/** What a person chose on this device; it is nobody else's and never in a link. */
const DevicePreferences = z.object({
  version: z.literal(1),
  zone: z.enum(['local', 'utc']),
  scheme: z.enum(['auto', 'light', 'dark']),
})
export type DevicePreferences = z.infer<typeof DevicePreferences>

const defaults: DevicePreferences = { version: 1, zone: 'local', scheme: 'auto' }
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

/** The preferences that the entry made. */
export const PreferenceContext = createContext<PreferenceStore | undefined>(undefined)

/** The store itself, for changes. Throws an Error outside a PreferenceContext. */
export function usePreferenceStore(): PreferenceStore {
  const store = useContext(PreferenceContext)
  if (store === undefined) throw new Error('usePreferenceStore needs a PreferenceContext above it')
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
