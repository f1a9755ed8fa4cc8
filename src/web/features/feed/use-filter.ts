import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { Filter } from './facets.ts'
import { filterFromAddress, filterToAddress } from './filter-address.ts'

/** The filter of the address, and the way to change it; every change is a step in the history. */
export function useFilter(): readonly [Filter, (next: Filter) => void] {
  const [search, setSearch] = useSearchParams()
  // The same filter while only the rest of the address changes, such as the build that is open.
  const key = filterToAddress(filterFromAddress(search), new URLSearchParams()).toString()
  const filter = useMemo(() => filterFromAddress(new URLSearchParams(key)), [key])
  return [
    filter,
    (next) => {
      setSearch((now) => filterToAddress(next, now))
    },
  ]
}
