/**
 * Where builds are being stored that are announced but not known yet. Who follows a search goes no
 * further than that, so that such a build is found once it is known.
 */
export interface Underway {
  /** Holds searches back before a position until the function that is answered is called. */
  readonly hold: (position: number) => () => void
  /** The first position that is held back. */
  readonly first: () => number | undefined
}

/** Nothing is underway in the beginning. */
export function createUnderway(): Underway {
  const held = new Set<{ readonly position: number }>()
  return {
    hold: (position) => {
      const entry = { position }
      held.add(entry)
      return () => {
        held.delete(entry)
      }
    },
    first: () =>
      held.size === 0 ? undefined : Math.min(...[...held].map(({ position }) => position)),
  }
}
