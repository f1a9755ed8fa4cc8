import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import {
  type CacheUse,
  type ExecutionOutcome,
  executionOutcomes,
} from '../../../facts/execution.ts'
import { type Change, changes } from '../../../facts/comparison.ts'
import { type CaseOutcome, caseOutcomes } from '../../../facts/test-cases.ts'

/** The parts of the page that are looked at one at a time. */
export const tabs = ['timeline', 'tests', 'environment', 'events'] as const
export type Tab = (typeof tabs)[number]

/** Which executions the timeline is about. */
export const scopes = ['work', 'tests', 'all'] as const
export type Scope = (typeof scopes)[number]

/** The uses of the cache that can be chosen. */
export const cacheKinds = [
  'loaded',
  'stored',
  'missed',
  'up-to-date',
  'not-needed',
  'not-cacheable',
  'unknown',
] as const satisfies readonly CacheUse['kind'][]

/** What is looked at of a build, as its address says it; an empty list narrows nothing. */
export interface BuildAddress {
  readonly tab: Tab
  readonly order: 'start' | 'duration'
  readonly scope: Scope
  readonly search: string
  readonly outcomes: readonly ExecutionOutcome[]
  readonly cache: readonly CacheUse['kind'][]
  /** The stretch of time that is looked at, ms since the build's first execution. */
  readonly zoom: Zoom | undefined
  readonly cases: readonly CaseOutcome[]
  readonly eventTypes: readonly string[]
  /** The build that it is compared with. */
  readonly compare: string | undefined
  readonly changes: readonly Change[]
}

/** A stretch of time; `from` is less than `to`. */
export interface Zoom {
  readonly from: number
  readonly to: number
}

/** Reads what is looked at from an address; what cannot be read there is as if not said. */
export function readAddress(search: URLSearchParams): BuildAddress {
  return {
    tab: oneOf(tabs, search.get('tab')) ?? 'timeline',
    order: search.get('order') === 'duration' ? 'duration' : 'start',
    scope: oneOf(scopes, search.get('scope')) ?? 'work',
    search: search.get('q') ?? '',
    outcomes: allOf(executionOutcomes, search.getAll('outcome')),
    cache: allOf(cacheKinds, search.getAll('cache')),
    zoom: readZoom(search.get('zoom')),
    cases: allOf(caseOutcomes, search.getAll('case')),
    eventTypes: [...new Set(search.getAll('type').filter((type) => /^\w{1,100}$/.test(type)))],
    compare: search.get('compare') ?? undefined,
    changes: allOf(changes, search.getAll('change')),
  }
}

/** Writes what is looked at into an address, of which all else is kept; defaults are left out. */
export function writeAddress(address: BuildAddress, search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search)
  const put = (name: string, ...values: readonly (string | undefined)[]): void => {
    next.delete(name)
    for (const value of values) if (value !== undefined && value !== '') next.append(name, value)
  }
  const { zoom } = address
  put('tab', address.tab === 'timeline' ? undefined : address.tab)
  put('order', address.order === 'start' ? undefined : address.order)
  put('scope', address.scope === 'work' ? undefined : address.scope)
  put('q', address.search)
  put('outcome', ...address.outcomes)
  put('cache', ...address.cache)
  put('zoom', zoom && `${Math.round(zoom.from)}-${Math.round(zoom.to)}`)
  put('case', ...address.cases)
  put('type', ...address.eventTypes)
  put('compare', address.compare)
  put('change', ...address.changes)
  return next
}

/** The list with a value in it, or no more. */
export function toggled<T>(list: readonly T[], value: T): readonly T[] {
  return list.includes(value) ? list.filter((other) => other !== value) : [...list, value]
}

function readZoom(text: string | null): Zoom | undefined {
  const [, from, to] = /^(\d{1,12})-(\d{1,12})$/.exec(text ?? '') ?? []
  const zoom = { from: Number(from), to: Number(to) }
  return zoom.from < zoom.to ? zoom : undefined
}

function oneOf<T extends string>(known: readonly T[], text: string | null): T | undefined {
  return known.find((value) => value === text)
}

function allOf<T extends string>(known: readonly T[], texts: readonly string[]): readonly T[] {
  return known.filter((value) => texts.includes(value))
}

/** Changes what is looked at; `replace` where it is no step that anybody would go back from. */
export type ChangeAddress = (change: Partial<BuildAddress>, replace?: boolean) => void

/** What is looked at, as the address says it, and the way to change it. */
export function useBuildAddress(): readonly [BuildAddress, ChangeAddress] {
  const [search, setSearch] = useSearchParams()
  const address = useMemo(() => readAddress(search), [search])
  const change = useCallback<ChangeAddress>(
    (part, replace = false) => {
      setSearch((now) => writeAddress({ ...readAddress(now), ...part }, now), {
        replace,
        // A box that was ticked must not spring back until a transition is over.
        flushSync: true,
      })
    },
    [setSearch],
  )
  return [address, change]
}
