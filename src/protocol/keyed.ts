/** Things by a key, in the order in which they came: `Map.groupBy`, which browsers of 2023 don't have. */
export function groupedBy<Thing, Key>(
  things: Iterable<Thing>,
  keyOf: (thing: Thing) => Key,
): Map<Key, Thing[]> {
  const groups = new Map<Key, Thing[]>()
  for (const thing of things) {
    const key = keyOf(thing)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [thing])
    else group.push(thing)
  }
  return groups
}

/** Keeps the values that were wanted last, by their key, at most so many. */
export function createKeeper<Value>(most: number) {
  const kept = new Map<string, Value>()
  return {
    /** The value of this key, which is made where it isn't kept. */
    open: (key: string, make: () => Value): Value => {
      const value = kept.get(key) ?? make()
      // The newest is last, so the first is the one unused for longest.
      kept.delete(key)
      kept.set(key, value)
      const [oldest] = kept.keys()
      if (kept.size > most && oldest !== undefined) kept.delete(oldest)
      return value
    },
    /** The one that was wanted last at the end. */
    all: (): readonly Value[] => [...kept.values()],
    forget: (key: string): void => {
      kept.delete(key)
    },
  }
}
