import { createContext, useContext } from 'react'
import type { Clock } from '../../../protocol/clock.ts'
import type { ScreenCredential } from '../wall/screen-credential.ts'

/** What the entry alone makes: time, randomness, and ways to the network. */
export interface World {
  readonly clock: Clock
  readonly random: () => number
  readonly fetch: typeof fetch
  readonly isOnline: () => boolean
  /** What lets this device in as a screen, where it is one. */
  readonly screen: ScreenCredential
}

/** The world that the entry (web/app) made. */
export const WorldContext = createContext<World | undefined>(undefined)

/** The page's world, for stores that a screen makes. Throws an Error outside a WorldContext. */
export function useWorld(): World {
  const world = useContext(WorldContext)
  if (world === undefined) throw new Error('useWorld needs a WorldContext above it')
  return world
}
