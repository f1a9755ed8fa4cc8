import {
  startTransition,
  useCallback,
  useLayoutEffect,
  useMemo,
  useOptimistic,
  useRef,
} from 'react'
import { useSearchParams } from 'react-router'
import { isTimeZone } from '../../../protocol/clock.ts'

export interface SearchParam<T> {
  /** The parameters that are its own. */
  readonly names: readonly string[]
  /** Reads it; what is absent or unreadable becomes the default. */
  readonly read: (search: URLSearchParams) => T
  /** Its parameters, in order; none for the default. Empty values are left out. */
  readonly write: (value: T) => readonly (readonly [name: string, value: string])[]
}

/** A state that an address holds. */
export interface SearchState<S> {
  readonly read: (search: URLSearchParams) => S
  /** The address with this state in it. Other parameters are kept, and the default is left out. */
  readonly write: (state: S, search?: URLSearchParams) => URLSearchParams
  /** The address with a part of its state replaced. */
  readonly update: (search: URLSearchParams, change: Partial<S>) => URLSearchParams
}

/**
 * A codec between the query of an address and a state, made of one param for each part of the state:
 *
 * ```ts
 * const boardView = searchState({
 *   onlyFailing: flagParam('show', 'failing'),
 *   text: textParam('q'),
 *   order: choiceParam('order', ['worst', 'written']), // the first is the default
 *   kinds: listParam('kind'),
 * })
 * boardView.read(new URLSearchParams('show=failing&order=moon'))
 * // { onlyFailing: true, text: '', order: 'worst', kinds: [] }
 * const [view, change] = useSearchState(boardView)
 * change({ text: 'log4j' }, true)
 * ```
 */
export function searchState<S extends object>(params: {
  readonly [K in keyof S]: SearchParam<S[K]>
}): SearchState<S> {
  function isWhole(state: Partial<S>): state is S {
    return Object.keys(params).every((key) => key in state)
  }

  function read(search: URLSearchParams): S {
    const state: Partial<S> = {}
    for (const key in params) state[key] = params[key].read(search)
    if (!isWhole(state)) throw new Error('a part of the state was not read')
    return state
  }

  function write(state: S, search = new URLSearchParams()): URLSearchParams {
    const next = new URLSearchParams(search)
    for (const key in params) {
      const { names, write } = params[key]
      for (const name of names) next.delete(name)
      for (const [name, value] of write(state[key])) if (value !== '') next.append(name, value)
    }
    return next
  }

  return {
    read,
    write,
    update: (search, change) => write({ ...read(search), ...change }, search),
  }
}

/** Changes parts of a state; `replace` where it is no step that anyone would go back from. */
export type ChangeSearch<S> = (
  change: Partial<S> | ((now: S) => Partial<S>),
  replace?: boolean,
) => void

/** What the page's address holds, and the way to change it, which stays the same. */
export function useSearchState<S>(state: SearchState<S>): readonly [S, ChangeSearch<S>] {
  const [search, setSearch] = useSearchParams()
  // The router shows a new address in a transition: a box that was ticked must not spring back until then.
  const [shown, show] = useOptimistic(search)
  const value = useMemo(() => state.read(shown), [state, shown])
  // What is still drawn by an older address may be pressed: nothing since then is lost.
  const latest = useRef({ shown, setSearch })
  useLayoutEffect(() => {
    latest.current = { shown, setSearch }
  }, [shown, setSearch])
  const change = useCallback<ChangeSearch<S>>(
    (part, replace = false) => {
      const { shown: now, setSearch: set } = latest.current
      const next = state.update(now, typeof part === 'function' ? part(state.read(now)) : part)
      latest.current = { shown: next, setSearch: set }
      startTransition(() => {
        show(next)
        set(next, { replace })
      })
    },
    [state, show],
  )
  return [value, change]
}

/** A text; empty by default. */
export function textParam(name: string): SearchParam<string> {
  return {
    names: [name],
    read: (search) => search.get(name) ?? '',
    write: (text) => [[name, text]],
  }
}

/** A text that may be absent; one that is empty or not accepted is. */
export function optionalParam(
  name: string,
  isAccepted: (text: string) => boolean = () => true,
): SearchParam<string | undefined> {
  return {
    names: [name],
    read: (search) => {
      const text = search.get(name) ?? ''
      return text !== '' && isAccepted(text) ? text : undefined
    },
    write: (text) => [[name, text ?? '']],
  }
}

/** The IANA name of a time zone that this browser knows; undefined by default. */
export function zoneParam(name: string): SearchParam<string | undefined> {
  return optionalParam(name, isTimeZone)
}

/** True where the parameter has this value; false by default. */
export function flagParam(name: string, value = 'yes'): SearchParam<boolean> {
  return {
    names: [name],
    read: (search) => search.get(name) === value,
    write: (isOn) => (isOn ? [[name, value]] : []),
  }
}

/** One of several words, by default the first. */
export function choiceParam<const T extends string>(
  name: string,
  choices: readonly [T, ...T[]],
): SearchParam<T> {
  const [usual] = choices
  return {
    names: [name],
    read: (search) => choices.find((choice) => choice === search.get(name)) ?? usual,
    write: (choice) => (choice === usual ? [] : [[name, choice]]),
  }
}

/** Some of several words, in the order of `choices`; none by default. */
export function choicesParam<const T extends string>(
  name: string,
  choices: readonly T[],
): SearchParam<readonly T[]> {
  return {
    names: [name],
    read: (search) => choices.filter((choice) => search.getAll(name).includes(choice)),
    write: (chosen) => chosen.map((choice) => [name, choice] as const),
  }
}

/** A list of texts, each once; none by default. */
export function listParam(
  name: string,
  isAccepted: (text: string) => boolean = () => true,
): SearchParam<readonly string[]> {
  return {
    names: [name],
    read: (search) => [
      ...new Set(search.getAll(name).filter((text) => text !== '' && isAccepted(text))),
    ],
    write: (texts) => texts.map((text) => [name, text] as const),
  }
}

/** A whole number from `least` up to `most`; `usual` by default. */
export function numberParam(
  name: string,
  { least, most, usual }: { readonly least: number; readonly most: number; readonly usual: number },
): SearchParam<number> {
  return {
    names: [name],
    read: (search) => {
      const text = search.get(name) ?? ''
      const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN
      return number >= least && number <= most ? number : usual
    },
    write: (number) => (number === usual ? [] : [[name, String(number)]]),
  }
}

/** The same list with a value added, or without it where it was there. */
export function toggled<T>(list: readonly T[], value: T): readonly T[] {
  return list.includes(value) ? list.filter((other) => other !== value) : [...list, value]
}
