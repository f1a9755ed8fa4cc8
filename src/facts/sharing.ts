import { ownText } from './own-text.ts'

/** Keeps one copy of what is the same many times over: class names, words, uses of the cache. */
export interface Sharing<T> {
  /** The place of the value with this key, from 0; `make` is called for a new key only. */
  readonly place: (key: string, make: (key: string) => T) => number
  /** The value at a place. Throws a RangeError where there is none. */
  readonly at: (place: number) => T
}

/** An empty collection. */
export function createSharing<T>(): Sharing<T> {
  const places = new Map<string, number>()
  const values: T[] = []
  return {
    place: (key, make) => {
      const known = places.get(key)
      if (known !== undefined) return known
      const own = ownText(key)
      places.set(own, values.length)
      return values.push(make(own)) - 1
    },
    at: (place) => {
      const value = values[place]
      if (value === undefined) throw new RangeError(`nothing is shared at ${place}`)
      return value
    },
  }
}
