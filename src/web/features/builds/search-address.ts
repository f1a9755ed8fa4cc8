import {
  choiceParam,
  type SearchParam,
  searchState,
  textParam,
  zoneParam,
} from '../../data/core/search-state.ts'
import { toColumnNames } from '../../domain/build-table/build-columns.tsx'

/** What the page shows, as its address has it. */
export interface SearchAddress {
  /** The query exactly as it was typed; empty for all builds. */
  readonly query: string
  /**
   * The IANA zone of the times in the query that are written without one, so that the link
   * means the same instants everywhere; undefined where there are none, or no zone is given.
   */
  readonly zone: string | undefined
  /** Columns of the link, in place of those of the device. */
  readonly columns: readonly string[] | undefined
  /** How often newer builds are added by themselves. */
  readonly refresh: RefreshChoice
}

/** The choices of `refresh`; the first is the usual one. */
export const refreshChoices = ['off', '10s', '30s', '1m', '5m'] as const
export type RefreshChoice = (typeof refreshChoices)[number]

const queryParam: SearchParam<string> = {
  ...textParam('q'),
  write: (query) => (query.trim() === '' ? [] : [['q', query]]),
}

const columnsParam: SearchParam<readonly string[] | undefined> = {
  names: ['column'],
  read: (search) => {
    const columns = toColumnNames(search.getAll('column'))
    return columns.length === 0 ? undefined : columns
  },
  write: (columns = []) => columns.map((column) => ['column', column] as const),
}

/** The address of the page; what cannot be read there is left out. */
export const searchAddress = searchState<SearchAddress>({
  query: queryParam,
  zone: zoneParam('zone'),
  columns: columnsParam,
  refresh: choiceParam('refresh', refreshChoices),
})
