import {
  choiceParam,
  optionalParam,
  type SearchParam,
  searchState,
  textParam,
  zoneParam,
} from '../../data/core/search-state.ts'
import { toColumnNames } from '../../domain/build-table/build-columns.tsx'
import { type BuildGrouping, buildGroupings } from '../../../protocol/insight.ts'

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

/** How the builds of a query are shown: as they are, by what they share, or over time. */
export const buildViews = ['list', 'groups', 'trends'] as const
export type BuildView = (typeof buildViews)[number]

/** By what groups can be sorted. */
const groupOrders = ['failed', 'builds', 'share', 'first', 'last'] as const
export type GroupOrder = (typeof groupOrders)[number]

/** What of a view the address has, besides the query. */
interface InsightAddress {
  readonly view: BuildView
  /** By what builds are grouped; undefined where nothing, or nothing known, is named. */
  readonly by: BuildGrouping | undefined
  readonly order: GroupOrder
  /** The key of the failure whose builds are shown; empty for those whose failure isn't known. */
  readonly failure: string | undefined
  /** The id of the build whose details are open. */
  readonly build: string | undefined
}

const byParam: SearchParam<BuildGrouping | undefined> = {
  names: ['by'],
  read: (search) => buildGroupings.find((grouping) => grouping === search.get('by')),
  write: (by) => [['by', by ?? '']],
}

const failureParam: SearchParam<string | undefined> = {
  ...optionalParam('failure'),
  read: (search) => search.get('failure')?.slice(0, 5_000),
  // One that isn't known is written as a blank, as empty values are left out.
  write: (key) => (key === undefined ? [] : [['failure', key === '' ? ' ' : key]]),
}

/** The address of the views of a query. */
export const insightAddress = searchState<InsightAddress>({
  view: choiceParam('view', buildViews),
  by: byParam,
  order: choiceParam('order', groupOrders),
  failure: failureParam,
  build: optionalParam('build'),
})

/** What groups are by where the address doesn't say. */
export const usualGrouping: BuildGrouping = 'project'

/** By what trends can be compared. */
export function trendGrouping({ by }: InsightAddress): 'project' | 'branch' | undefined {
  return by === 'project' || by === 'branch' ? by : undefined
}
