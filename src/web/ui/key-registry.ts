import { createContext, useContext, useEffect, useId } from 'react'

/** A key that does something on this page, and the words for it in the list of keys. */
export interface KeyBinding {
  /** As in key-stroke.ts: "j", "g f", "mod+k". The first is the one that is shown. */
  readonly keys: readonly [string, ...string[]]
  readonly label: string
  /** Whether it makes sense from the command palette, too. */
  readonly isCommand?: true
  readonly run: () => void
}

/** Bindings under the heading they are listed with. */
export interface KeyGroup {
  readonly heading: string
  readonly bindings: readonly KeyBinding[]
}

/** What keys do at this moment: screens put theirs in while they are shown. */
export interface KeyRegistry {
  readonly put: (owner: string, group: KeyGroup) => void
  readonly remove: (owner: string) => void
  readonly groups: () => readonly KeyGroup[]
}

/** An empty registry. */
export function createKeyRegistry(): KeyRegistry {
  const groups = new Map<string, KeyGroup>()
  return {
    put: (owner, group) => {
      groups.set(owner, group)
    },
    remove: (owner) => {
      groups.delete(owner)
    },
    groups: () => [...groups.values()],
  }
}

/** The registry of the page. */
export const KeyContext = createContext<KeyRegistry | undefined>(undefined)

/** The page's registry. Throws an Error outside a KeyContext. */
export function useKeyRegistry(): KeyRegistry {
  const registry = useContext(KeyContext)
  if (registry === undefined) throw new Error('useKeyRegistry needs a KeyContext above it')
  return registry
}

/** Makes keys work, and be listed under "?", while the calling component is shown. */
export function useKeys(heading: string, bindings: readonly KeyBinding[]): void {
  const registry = useKeyRegistry()
  const owner = useId()
  // Without a list of dependencies on purpose: `run` closes over what was last rendered.
  useEffect(() => {
    registry.put(owner, { heading, bindings })
  })
  useEffect(
    () => () => {
      registry.remove(owner)
    },
    [registry, owner],
  )
}
