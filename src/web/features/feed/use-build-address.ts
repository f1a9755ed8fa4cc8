import { useMemo } from 'react'
import { type SetURLSearchParams, useSearchParams } from 'react-router'
import type { Facet } from './facets.ts'
import { filterFromAddress, filterToAddress } from './filter-address.ts'

const parameter = 'build'

/** Which build is open, as the address says it (`?build=<id>`), and the addresses of others. */
export interface BuildAddress {
  readonly opened: string | undefined
  /** The query that opens a build and keeps the filter. */
  readonly queryOf: (buildId: string) => string
  /** The query that narrows one facet to one value and keeps all else. */
  readonly narrowTo: (facet: Facet, value: string) => string
  /** Opens a build; while one is open the next one takes its place in the history. */
  readonly open: (buildId: string) => void
  readonly close: () => void
}

/** Reads and changes the address. */
export function useBuildAddress(): BuildAddress {
  const [search, setSearch] = useSearchParams()
  return useMemo(() => buildAddress(search, setSearch), [search, setSearch])
}

function buildAddress(search: URLSearchParams, setSearch: SetURLSearchParams): BuildAddress {
  const opened = search.get(parameter) ?? undefined
  return {
    opened,
    queryOf: (buildId) => withBuild(search, buildId).toString(),
    narrowTo: (facet, value) =>
      filterToAddress({ ...filterFromAddress(search), [facet]: [value] }, search).toString(),
    open: (buildId) => {
      setSearch((now) => withBuild(now, buildId), { replace: opened !== undefined })
    },
    close: () => {
      setSearch((now) => withBuild(now, undefined))
    },
  }
}

function withBuild(search: URLSearchParams, buildId: string | undefined): URLSearchParams {
  const next = new URLSearchParams(search)
  if (buildId === undefined) next.delete(parameter)
  else next.set(parameter, buildId)
  return next
}
