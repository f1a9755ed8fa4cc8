import { type ComponentType, createElement, lazy, type ReactElement, useState } from 'react'

/** A component whose code is loaded with its first use, or before. */
export interface Loadable {
  readonly Page: ComponentType
  /** Begins to load it; resolves when it can be shown at once. */
  readonly load: () => Promise<unknown>
}

/**
 * As `lazy` of React, but what is loaded already is shown at once. A lazy component always suspends
 * first, and once a fallback was shown React holds back what follows for 300 ms.
 */
export function loadable(load: () => Promise<ComponentType>): Loadable {
  let loaded: ComponentType | undefined
  const start = async (): Promise<ComponentType> => (loaded = await load())
  let later = begin()

  function begin(): ComponentType {
    return lazy(async () => {
      try {
        return { default: await start() }
      } catch (error) {
        // Opened once more it is loaded anew.
        later = begin()
        throw error
      }
    })
  }

  return {
    Page: function Page(): ReactElement {
      const [Content] = useState<ComponentType>(() => loaded ?? later)
      return createElement(Content)
    },
    load: start,
  }
}
