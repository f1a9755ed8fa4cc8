import { useEffect, useRef, useState } from 'react'
import type { TileClaim } from '../../../protocol/claim.ts'
import type { Wall } from '../../../protocol/wall.ts'
import { isInFront } from '../../data/core/response.ts'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import type { KeptWall } from '../../data/wall/kept-walls.ts'
import type { WallTiles } from '../../data/wall/wall-tiles.ts'

/** Where nothing is heard for so long, what was kept is read, ms. */
const patienceMs = 2500

/**
 * What this device kept of the wall at an address, for the person or screen that it is of; null where that is nothing, undefined
 * until it is needed, which is at once where `isNeeded`. Forgotten once nobody is signed in any more.
 */
export function useKeptWall(address: string, isNeeded: boolean): KeptWall | null | undefined {
  const { clock, session, screen } = useServices()
  const [found, setFound] = useState<{ readonly address: string; readonly wall: KeptWall | null }>()
  const isRefused = useStore(
    session.state,
    (state) => state.is === 'signed-out' && !isInFront(state.fault),
  )
  useEffect(() => {
    if (isRefused) void loadKeptWalls().then(({ walls }) => walls.forget())
  }, [isRefused])
  useEffect(() => {
    if (isRefused) return
    let isGone = false
    const cancel = clock.after(isNeeded ? 0 : patienceMs, () => {
      void loadKeptWalls().then(async ({ walls, ownerOf }) => {
        const isOwner = (owner: string): boolean => {
          const { session: own } = session.state.getSnapshot()
          const device = screen.get()
          if (own !== undefined) return owner === ownerOf(own)
          // Whom a cookie lets in is not known before the proxy says so.
          return owner.startsWith('person ') || (device && ownerOf(device)) === owner
        }
        const wall = await walls.read(address, isOwner)
        if (!isGone) setFound({ address, wall: wall ?? null })
      })
    })
    return () => {
      isGone = true
      cancel()
    }
  }, [address, clock, isNeeded, isRefused, screen, session])
  if (isRefused) return null
  return found?.address === address ? found.wall : undefined
}

/** What of a wall is kept while it is shown. */
interface ShownWall {
  readonly address: string
  readonly walls: readonly Wall[]
  readonly isDemo: boolean
  readonly tiles: WallTiles
  readonly claims: readonly TileClaim[]
  /** What to add to this browser's clock to get the proxy's, ms. */
  readonly skew: number
}

/** Soon after the first state, then whenever tiles have changed, and now and then without. */
const firstMs = 3000
const changedMs = 20_000
const unchangedMs = 300_000

/** Keeps a wall on this device while it is live: what is shown, soon after it changes. */
export function useKeepWall(shown: ShownWall, isBelieved: boolean): void {
  const { clock, session } = useServices()
  const latest = useRef(shown)
  useEffect(() => {
    latest.current = shown
  })
  useEffect(() => {
    if (!isBelieved) return
    let keptAt = -Infinity
    let before: readonly unknown[] = []
    function keep(): void {
      const { address, walls, isDemo, tiles, claims, skew } = latest.current
      const known = session.state.getSnapshot()
      const state = [address, walls, claims, tiles.getSnapshot()]
      const isSame = state.every((one, index) => one === before[index])
      if (known.is !== 'signed-in' || (isSame && clock.now() - keptAt < unchangedMs)) return
      before = state
      keptAt = clock.now()
      const wall = { asOf: keptAt + skew, skew, walls, isDemo, tiles: tiles.toKeep(), claims }
      void loadKeptWalls().then(({ walls: kept, ownerOf }) =>
        kept.write(address, ownerOf(known.session), wall),
      )
    }
    let cancel = clock.after(firstMs, function again() {
      keep()
      cancel = clock.after(changedMs, again)
    })
    addEventListener('pagehide', keep)
    return () => {
      cancel()
      removeEventListener('pagehide', keep)
    }
  }, [isBelieved, clock, session])
}

/** Loaded once a wall stands, or has nothing else to show. */
async function loadKeptWalls() {
  const { keptWalls, ownerOf } = await import('../../data/wall/kept-walls.ts')
  return { walls: keptWalls(indexedDB), ownerOf }
}
