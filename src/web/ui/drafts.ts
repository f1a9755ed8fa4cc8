import { useEffect, useRef, useState } from 'react'
import * as z from 'zod/mini'

const key = 'sightline.drafts'
/** In the tab's storage: who left the page, while it is not known who comes back. */
export const leftByKey = 'sightline.left-by'
/** Browsers keep about 5 million characters; the rest is for others. */
const mostCharacters = 4_000_000

/** The part of sessionStorage that is used. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** What people are typing, so that it is still there when they come back from signing in elsewhere. */
export interface Drafts {
  /** What was typed under this name before the page at `path` was left; undefined for nothing. */
  readonly kept: (name: string, path: string) => unknown
  /** It is on the page again: the next one of this name begins anew. */
  readonly drop: (name: string) => void
  /**
   * Takes part in `keep` until the returned function is called; undefined is nothing to keep. With a `path` it is
   * there for whoever comes back to that from another page, until `drop`.
   */
  readonly put: (name: string, get: () => unknown, path?: string) => () => void
  /**
   * Keeps everything for this tab's next load of `path`, and what was left on other pages for theirs, but for what is
   * too long or holds a credential: for the person `by`, where it is known whose it is.
   */
  readonly keep: (path: string, by?: string) => void
  /** The same for what was left on other pages alone. */
  readonly keepLeft: (path: string, by?: string) => void
  /** Whose the drafts are that were left on other pages before this load; undefined where there are none. */
  readonly leftBefore: { readonly by: string | undefined } | undefined
}

const Values = z.record(z.string(), z.unknown())
/** `left` has what was left on other pages, by their paths, and `by` whose it is; an earlier release kept neither. */
const Kept = z.object({
  path: z.string(),
  by: z.optional(z.string()),
  drafts: Values,
  left: z._default(z.record(z.string(), Values), {}),
})

/** Drafts on `storage`; without one (undefined) nothing outlives the page. */
export function createDrafts(storage: DraftStorage | undefined): Drafts {
  const parts = new Map<string, () => unknown>()
  const { path: keptPath, by: before, drafts, left } = take(storage)

  function keep(typed: typeof parts, path: string, by: string | undefined): void {
    let room = mostCharacters
    const fitting = (values: Iterable<readonly [string, unknown]>): [string, unknown][] =>
      [...values].flatMap(([name, value]) => {
        if (holdsCredential(JSON.stringify(value ?? null))) return []
        room -= JSON.stringify(value ?? null).length
        return value === undefined || room < 0 ? [] : [[name, value]]
      })
    const here = fitting(Array.from(typed, ([name, get]) => [name, get()]))
    const elsewhere = Array.from(left, ([at, values]) => [at, fitting(values)] as const)
      .filter(([, values]) => values.length > 0)
      .map(([at, values]) => [at, Object.fromEntries(values)] as const)
    if (here.length + elsewhere.length === 0) return
    attempt(() => {
      const record = { drafts: Object.fromEntries(here), left: Object.fromEntries(elsewhere) }
      storage?.setItem(key, JSON.stringify({ path, by, ...record }))
      if (by !== undefined) storage?.setItem(leftByKey, by)
    })
  }

  return {
    leftBefore: left.size === 0 ? undefined : { by: before },
    kept: (name, path) =>
      left.get(path)?.get(name) ?? (path === keptPath ? drafts.get(name) : undefined),
    drop: (name) => {
      drafts.delete(name)
    },
    put: (name, get, path) => {
      parts.set(name, get)
      if (path !== undefined) left.get(path)?.delete(name)
      return () => {
        if (parts.get(name) === get) parts.delete(name)
        const value = path === undefined ? undefined : get()
        if (path === undefined || value === undefined) return
        left.set(path, (left.get(path) ?? new Map<string, unknown>()).set(name, value))
      }
    },
    keep: (path, by) => {
      keep(parts, path, by)
    },
    keepLeft: (path, by) => {
      keep(new Map(), path, by)
    },
  }
}

/** Whether a user or password stands in an address, percent-encoded or not, or an access token. */
function holdsCredential(text: string): boolean {
  const plain = text.replace(/%(?:3a|2f|40)/gi, (code) => decodeURIComponent(code))
  return /:\/\/[^/?#\s"]*@|\bslt_/.test(plain)
}

/** Once: what is loaded after that is another visit. */
function take(storage: DraftStorage | undefined): {
  readonly path?: string
  readonly by?: string | undefined
  readonly drafts: Map<string, unknown>
  /** What was typed on pages that were left for others of this program, by their paths. */
  readonly left: Map<string, Map<string, unknown>>
} {
  try {
    const text = storage?.getItem(key) ?? 'null'
    storage?.removeItem(key)
    const { path, by, drafts, left } = Kept.parse(JSON.parse(text))
    const others = Object.entries(left).map(
      ([at, values]) => [at, new Map(Object.entries(values))] as const,
    )
    return { path, by, drafts: new Map(Object.entries(drafts)), left: new Map(others) }
  } catch {
    // Nothing, something else, or storage is blocked.
    return { drafts: new Map(), left: new Map() }
  }
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // Full or blocked: what was typed lives as long as the page.
  }
}

let drafts: Drafts | undefined

function pageDrafts(): Drafts {
  if (drafts !== undefined) return drafts
  drafts = createDrafts(tabStorage())
  const { leftBefore } = drafts
  if (leftBefore !== undefined) keepOnceLeft(() => leftBefore.by)
  return drafts
}

/** A browser that is told to keep nothing throws at the mere mention. */
function tabStorage(): DraftStorage | undefined {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

let keepLeft: (() => void) | undefined

/** What was left on a page that outlives it is kept from then on, whatever page this tab is closed or loaded anew from. */
function keepOnceLeft(by: () => string | undefined): void {
  if (keepLeft !== undefined) removeEventListener('pagehide', keepLeft)
  keepLeft = () => {
    pageDrafts().keepLeft(location.pathname, by())
  }
  addEventListener('pagehide', keepLeft)
}

/** Keeps what is being typed on this page for its next load in this tab, as `Drafts.keep`. */
export function keepDrafts(by: string | undefined): void {
  pageDrafts().keep(location.pathname, by)
}

/** Makes a draft outlive a look at another page, and a reload: for the person that `by` gives, undefined while unknown. */
interface DraftOptions {
  readonly outlivesPage?: { readonly by: () => string | undefined }
}

/**
 * What was typed here before somebody had to sign in elsewhere, once; undefined where nothing was.
 * From now on `get` says what is typed, undefined for nothing.
 */
export function useDraft<T>(
  name: string,
  schema: z.ZodMiniType<T>,
  get: () => T | undefined,
  { outlivesPage }: DraftOptions = {},
): T | undefined {
  const [kept] = useState(() => {
    const read = z.safeParse(schema, pageDrafts().kept(name, location.pathname))
    return read.success ? read.data : undefined
  })
  const newest = useRef({ get, by: outlivesPage?.by })
  useEffect(() => {
    newest.current = { get, by: outlivesPage?.by }
  })
  const isLasting = outlivesPage !== undefined
  useEffect(() => {
    pageDrafts().drop(name)
    const path = isLasting ? location.pathname : undefined
    return pageDrafts().put(name, () => newest.current.get(), path)
  }, [name, isLasting])
  useEffect(() => {
    if (!isLasting) return
    const keep = (): void => {
      keepDrafts(newest.current.by?.())
    }
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('pagehide', keep)
      keepOnceLeft(() => newest.current.by?.())
    }
  }, [isLasting])
  return kept
}

/** Like `useState`, for what people type: it is still there when they come back from signing in; options as for `useDraft`. */
export function useDraftState<T>(
  name: string,
  schema: z.ZodMiniType<T>,
  initial: T | (() => T),
  options: DraftOptions = {},
): [T, React.Dispatch<React.SetStateAction<T>>] {
  const newest = useRef<T>(undefined)
  const kept = useDraft(name, schema, () => newest.current, options)
  const [value, setValue] = useState<T>(kept === undefined ? initial : () => kept)
  useEffect(() => {
    newest.current = value
  })
  return [value, setValue]
}

/** Whether this browser has room to store so many characters more: none where storage is blocked or full. */
export function canStore(characters = 1000): boolean {
  try {
    localStorage.setItem('sightline.probe', 'x'.repeat(characters))
    localStorage.removeItem('sightline.probe')
    return true
  } catch {
    return false
  }
}

/** Lets the browser ask before the page goes, with work that is under way and that nobody else knows of. */
export function useAskBeforeLeaving(isAsking: boolean): void {
  useEffect(() => {
    if (!isAsking) return undefined
    const ask = (event: BeforeUnloadEvent): void => {
      event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => {
      window.removeEventListener('beforeunload', ask)
    }
  }, [isAsking])
}
