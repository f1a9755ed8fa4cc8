import { useLocation, useNavigate, useSearchParams } from 'react-router'
import type { Wall } from '../../../protocol/wall.ts'
import { usePreferenceStore } from '../../ui/device-preferences.ts'
import { canStore } from '../../ui/drafts.ts'
import { wallLink, wallPath, type WallSettings, writeSettings } from './wall-link.ts'
import type { PlacedTile } from './wall-set.ts'
import type { WallChoice } from './wall-choice.ts'

/** What can be done to a wall. */
export interface WallCommands {
  /** Shows these tiles, by putting them into the address. */
  readonly show: (wall: Wall) => void
  /** Keeps the wall on this device, under its name. */
  readonly save: (wall: Wall) => void
  /** Forgets what was saved under this name. */
  readonly forget: () => void
  /** Shows the wall otherwise: said by the link where that says it already, else kept here. */
  readonly setSettings: (settings: WallSettings) => void
}

/** The wall that is shown. */
interface ShownWall {
  readonly name: string
  readonly wall: Wall
  readonly choice: WallChoice
}

/** The commands of a wall. */
export function useWallCommands({ name, wall: shown, choice }: ShownWall): WallCommands {
  const { settings } = choice
  const { hash } = useLocation()
  const store = usePreferenceStore()
  const navigate = useNavigate()
  const [search, setSearch] = useSearchParams()
  const others = () => (store.get().walls ?? []).filter((wall) => wall.name !== name)
  return {
    show: (wall) => void navigate(wallLink(wall, settings)),
    save: (wall) => {
      const kept = (store.get().walls ?? []).filter((other) => other.name !== wall.name)
      const known = store.get().wallSettings ?? {}
      store.change({
        walls: [...kept, wall],
        wallSettings: { ...known, [wall.name]: settings },
      })
      // Where nothing is stored, its link keeps it.
      void navigate(canStore() ? wallPath(wall.name) : wallLink(wall, settings))
    },
    forget: () => {
      store.change({ walls: others() })
    },
    setSettings: (next) => {
      if (hash !== '') {
        void navigate(wallLink(shown, next), { replace: true })
        return
      }
      if (search.has('settings')) {
        setSearch(
          (now) => {
            const changed = new URLSearchParams(now)
            changed.set('settings', writeSettings(next))
            return changed
          },
          { replace: true },
        )
        return
      }
      store.change({ wallSettings: { ...store.get().wallSettings, [name]: next } })
    },
  }
}

/** What every panel is given. */
export interface PanelProps {
  /** The wall that is shown, and its name; '' is the wall of all projects. */
  readonly name: string
  readonly wall: Wall
  /** The one that was opened: with others it takes turns with, it may be another. */
  readonly home: Wall
  readonly choice: WallChoice
  /** The tiles that are shown at this moment. */
  readonly placed: readonly PlacedTile[]
  /** The key of the tile at which it was opened. */
  readonly tile?: string | undefined
  readonly onClose: () => void
}

/** What can be opened above a wall. */
export type WallPanel = 'people' | 'settings' | 'share' | 'screens' | 'keys'
