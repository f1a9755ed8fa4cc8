import { useSyncExternalStore } from 'react'
import type { Clock } from '../../../protocol/clock.ts'

/** A value outside React that changes, as `useSyncExternalStore` reads it. */
export interface Readable<T> {
  /** Calls back after each change; returns what ends that. */
  readonly subscribe: (listener: () => void) => () => void
  /** The same value until it changes. */
  readonly getSnapshot: () => T
}

/** A readable value, for the one that changes it. */
export interface Store<T> extends Readable<T> {
  /** Replaces the value and notifies all listeners, in place of what was to be set soon. */
  readonly set: (next: T) => void
  /** Sets what `make` gives after so long, ms, unless something is to be set soon already. */
  readonly setSoon: (ms: number, make: () => T) => void
}

export interface StoreOptions {
  readonly clock: Clock
  /** Opens the source of the values for the first listener; what it returns closes the source. */
  readonly open?: () => () => void
  /** How long the source outlives its last listener, as pages change and React mounts twice, ms: 0. */
  readonly graceMs?: number
}

/** A store with this value, whose source is closed until somebody listens. */
export function createStore<T>(
  initial: T,
  { clock, open = () => doNothing, graceMs = 0 }: StoreOptions,
): Store<T> {
  const listeners = new Set<() => void>()
  let value = initial
  let close: (() => void) | undefined
  let cancelClose = doNothing
  let cancelSoon: (() => void) | undefined

  function set(next: T): void {
    cancelSoon?.()
    cancelSoon = undefined
    value = next
    // Who leaves meanwhile is not notified any more, and who comes has read the value.
    for (const listener of [...listeners]) if (listeners.has(listener)) listener()
  }

  function closeSource(): void {
    close?.()
    close = undefined
  }

  return {
    subscribe: (listener) => {
      // An entry of its own, as the same function may listen twice.
      const entry = (): void => {
        listener()
      }
      listeners.add(entry)
      cancelClose()
      close ??= open()
      return () => {
        if (!listeners.delete(entry) || listeners.size > 0) return
        if (graceMs === 0) closeSource()
        else cancelClose = clock.after(graceMs, closeSource)
      }
    },
    getSnapshot: () => value,
    set,
    setSoon: (ms, make) => {
      cancelSoon ??= clock.after(ms, () => {
        set(make())
      })
    },
  }
}

/** The value of a store, or what `select` makes of it; renders again only when that changes. */
export function useStore<T>(store: Readable<T>): T
export function useStore<T, S>(store: Readable<T>, select: (value: T) => S): S
export function useStore<T, S>(store: Readable<T>, select?: (value: T) => S): T | S {
  return useSyncExternalStore<T | S>(store.subscribe, () => {
    const value = store.getSnapshot()
    return select === undefined ? value : select(value)
  })
}

function doNothing(): void {
  // Nothing is open.
}
