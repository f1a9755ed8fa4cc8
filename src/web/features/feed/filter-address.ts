import { facets, type Filter } from './facets.ts'

/** Reads a filter from an address such as `?tool=gradle&outcome=failed`; values may repeat. */
export function filterFromAddress(search: URLSearchParams): Filter {
  return Object.fromEntries(
    facets.flatMap((facet) => {
      const values = [...new Set(search.getAll(facet).filter((value) => value !== ''))]
      return values.length === 0 ? [] : [[facet, values]]
    }),
  )
}

/** Writes a filter into an address, of which everything else is kept. */
export function filterToAddress(filter: Filter, search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const facet of facets) {
    next.delete(facet)
    for (const value of filter[facet] ?? []) next.append(facet, value)
  }
  return next
}
