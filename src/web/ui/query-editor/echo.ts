/**
 * Tells what comes back from the holder of a text apart from what the holder changed: a slow one
 * gives back what was typed three letters ago, and that must not undo the three letters.
 */
export interface Echo {
  /** The text is told. */
  readonly say: (text: string) => void
  /** Whether this text, which is given, was told before and comes back only now. */
  readonly isEcho: (text: string) => boolean
}

/** Has told nothing yet. */
export function createEcho(): Echo {
  let told: readonly string[] = []
  return {
    say: (text) => {
      told = [...told, text].slice(-most)
    },
    isEcho: (text) => {
      const at = told.lastIndexOf(text)
      // What was told before it will not come back any more, and nor will anything after a change.
      told = at < 0 ? [] : told.slice(at + 1)
      return at >= 0
    },
  }
}

/** Nobody is that slow. */
const most = 100
