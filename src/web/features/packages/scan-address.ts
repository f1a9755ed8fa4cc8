import { useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import { useSearchParams } from 'react-router'
import type { PolicyFilter } from '../../../policy/policy-filter.ts'
import type { PolicyStatus } from '../../../protocol/policy-result.ts'

export const statuses = [
  'unsatisfied',
  'unknown',
  'satisfied',
  'not-applicable',
] as const satisfies readonly PolicyStatus[]

/** What policies are put together by: how they came out, what changed, their kind, or a label. */
export type Grouping = 'status' | 'change' | 'kind' | `label:${string}`

/** What is looked at of a scan, as its address says it; an empty list narrows nothing. */
export interface ScanAddress {
  readonly statuses: readonly PolicyStatus[]
  readonly kinds: readonly string[]
  /** Label and value; several values of one label widen, several labels narrow. */
  readonly labels: readonly (readonly [name: string, value: string])[]
  readonly text: string
  /** Only policies that are waived. */
  readonly isWaived: boolean
  readonly by: Grouping
  /** The version of the package that it is compared with, and its artifact. */
  readonly other:
    | { readonly version: string; readonly sha256: string; readonly repositoryUrl: string }
    | undefined
}

/** Reads it; what cannot be read is as if not said. */
export function readScanAddress(search: URLSearchParams): ScanAddress {
  const version = search.get('with') ?? ''
  const sha256 = search.get('with-sha256') ?? ''
  return {
    statuses: statuses.filter((status) => search.getAll('status').includes(status)),
    kinds: [...new Set(search.getAll('kind'))],
    labels: search.getAll('label').flatMap(readLabel),
    text: search.get('q') ?? '',
    isWaived: search.get('waived') === 'yes',
    by: readGrouping(search.get('by') ?? ''),
    other:
      version === '' || sha256 === ''
        ? undefined
        : { version, sha256, repositoryUrl: search.get('with-repository') ?? '' },
  }
}

/** Writes it into an address, of which all else is kept; what narrows nothing is left out. */
export function writeScanAddress(address: ScanAddress, search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search)
  const put = (name: string, values: readonly (string | undefined)[]): void => {
    next.delete(name)
    for (const value of values) if (value !== undefined && value !== '') next.append(name, value)
  }
  put('status', address.statuses)
  put('kind', address.kinds)
  put(
    'label',
    address.labels.map(([name, value]) => `${escaped(name)}=${value}`),
  )
  put('q', [address.text])
  put('waived', [address.isWaived ? 'yes' : undefined])
  put('by', [address.by === 'status' ? undefined : address.by])
  put('with', [address.other?.version])
  put('with-sha256', [address.other?.sha256])
  put('with-repository', [address.other?.repositoryUrl])
  return next
}

/** The part of it that narrows the policies. */
export function policyFilter({ statuses, kinds, labels, text }: ScanAddress): PolicyFilter {
  const byName = new Map<string, Set<string>>()
  for (const [name, value] of labels) {
    byName.set(name, (byName.get(name) ?? new Set<string>()).add(value))
  }
  return { statuses: new Set(statuses), kinds: new Set(kinds), labels: byName, text }
}

/** Whether it narrows anything. */
export function isNarrowed({ statuses, kinds, labels, text, isWaived }: ScanAddress): boolean {
  return isWaived || statuses.length + kinds.length + labels.length > 0 || text.trim() !== ''
}

/** The address with a value of a label chosen, or no more. */
export function toggledLabel(address: ScanAddress, name: string, value: string): ScanAddress {
  const others = address.labels.filter((label) => label[0] !== name || label[1] !== value)
  const labels =
    others.length < address.labels.length ? others : [...others, [name, value] as const]
  return { ...address, labels }
}

/** The list with a value in it, or no more. */
export function toggled<T>(list: readonly T[], value: T): readonly T[] {
  return list.includes(value) ? list.filter((other) => other !== value) : [...list, value]
}

function readGrouping(text: string): Grouping {
  if (text === 'kind' || text === 'change') return text
  return text.startsWith('label:') && text.length > 6 ? `label:${text.slice(6)}` : 'status'
}

function readLabel(text: string): readonly (readonly [string, string])[] {
  const equals = text.indexOf('=')
  if (equals < 1) return []
  const name = text.slice(0, equals).replaceAll('%3D', '=').replaceAll('%25', '%')
  return [[name, text.slice(equals + 1)]]
}

/** Names of labels hold anything, also what parts them from their value here. */
function escaped(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('=', '%3D')
}

/**
 * Changes what is looked at, starting from the address of that moment; `replace` where it is no step
 * that anybody would go back from.
 */
export type ChangeScanAddress = (
  change: Partial<ScanAddress> | ((now: ScanAddress) => Partial<ScanAddress>),
  replace?: boolean,
) => void

/** What is looked at, as the address says it, and the way to change it, which stays the same. */
export function useScanAddress(): readonly [ScanAddress, ChangeScanAddress] {
  const [search, setSearch] = useSearchParams()
  const address = useMemo(() => readScanAddress(search), [search])
  // Policies that are still drawn by an older address may be pressed: nothing since then is lost.
  const latest = useRef(setSearch)
  useLayoutEffect(() => {
    latest.current = setSearch
  }, [setSearch])
  const change = useCallback<ChangeScanAddress>((part, replace = false) => {
    latest.current(
      (search) => {
        const now = readScanAddress(search)
        return writeScanAddress(
          { ...now, ...(typeof part === 'function' ? part(now) : part) },
          search,
        )
      },
      {
        replace,
        // A box that was ticked must not spring back until a transition is over.
        flushSync: true,
      },
    )
  }, [])
  return [address, change]
}
