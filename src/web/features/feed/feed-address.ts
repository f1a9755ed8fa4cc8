import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import {
  type ChangeSearch,
  optionalParam,
  type SearchParam,
  searchState,
  useSearchState,
  zoneParam,
} from '../../data/core/search-state.ts'
import { facets, type Filter } from './filter.ts'

/** What the feed shows, as its address has it. */
export interface FeedAddress {
  /** Values may repeat: `?tool=gradle&tool=maven&outcome=failed`. */
  readonly filter: Filter
  /** The query that is followed. */
  readonly followed: FollowedQuery | undefined
  /** The id of the build whose details are open. */
  readonly build: string | undefined
}

/** A query as an address has it. */
export interface FollowedQuery {
  readonly text: string
  /** The IANA time zone of its times that name none; undefined if it has no such times. */
  readonly zone: string | undefined
}

const filterParam: SearchParam<Filter> = {
  names: facets,
  read: (search) =>
    Object.fromEntries(
      facets.flatMap((facet) => {
        const values = [...new Set(search.getAll(facet).filter((value) => value !== ''))]
        return values.length === 0 ? [] : [[facet, values]]
      }),
    ),
  write: (filter) =>
    facets.flatMap((facet) => (filter[facet] ?? []).map((value) => [facet, value] as const)),
}

const followedParam: SearchParam<FollowedQuery | undefined> = {
  names: ['q', 'zone'],
  read: (search) => {
    const text = search.get('q') ?? ''
    return text.trim() === '' ? undefined : { text, zone: zoneParam('zone').read(search) }
  },
  write: (followed) =>
    followed === undefined
      ? []
      : [
          ['q', followed.text],
          ['zone', followed.zone ?? ''],
        ],
}

/** The address of the feed; what cannot be read there is left out. */
export const feedAddress = searchState<FeedAddress>({
  filter: filterParam,
  followed: followedParam,
  build: optionalParam('build'),
})

/** The state of the page's address, and the addresses of others like it. */
export interface FeedAddressState extends FeedAddress {
  readonly change: ChangeSearch<FeedAddress>
  /** The query of an address that differs in these parts. */
  readonly queryOf: (change: Partial<FeedAddress>) => string
}

/** Reads and changes the address. The filter is the same object until it is another one. */
export function useFeedAddress(): FeedAddressState {
  const [search] = useSearchParams()
  const [state, change] = useSearchState(feedAddress)
  const key = searchState({ filter: filterParam }).write(state).toString()
  const filter = useMemo(() => filterParam.read(new URLSearchParams(key)), [key])
  return useMemo(
    () => ({
      ...state,
      filter,
      change,
      queryOf: (part) => feedAddress.update(search, part).toString(),
    }),
    [state, filter, change, search],
  )
}
