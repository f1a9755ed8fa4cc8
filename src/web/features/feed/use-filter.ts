import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { Filter } from './facets.ts'
import { filterFromAddress, filterToAddress } from './filter-address.ts'

/** The filter of the address, and the way to change it; every change is a step in the history. */
export function useFilter(): readonly [Filter, (next: Filter) => void] {
  const [search, setSearch] = useSearchParams()
  const filter = useMemo(() => filterFromAddress(search), [search])
  return [
    filter,
    (next) => {
      setSearch((now) => filterToAddress(next, now))
    },
  ]
}
