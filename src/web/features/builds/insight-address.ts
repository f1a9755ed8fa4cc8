import { type BuildGrouping, buildGroupings } from '../../../protocol/insight.ts'
import {
  choiceParam,
  optionalParam,
  searchState,
  type SearchParam,
} from '../../data/core/search-state.ts'

/** How the builds of a query are shown: as they are, by what they share, or over time. */
export const buildViews = ['list', 'groups', 'trends'] as const
export type BuildView = (typeof buildViews)[number]

/** By what groups can be sorted. */
export const groupOrders = ['failed', 'builds', 'share', 'first', 'last'] as const
export type GroupOrder = (typeof groupOrders)[number]

/** What of a view the address has, besides the query. */
export interface InsightAddress {
  readonly view: BuildView
  /** By what builds are grouped; undefined where nothing, or nothing known, is named. */
  readonly by: BuildGrouping | undefined
  readonly order: GroupOrder
  /** The key of the failure whose builds are shown; empty for those whose failure isn't known. */
  readonly failure: string | undefined
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
})

/** What groups are by where the address doesn't say. */
export const usualGrouping: BuildGrouping = 'project'

/** By what trends can be compared. */
export function trendGrouping({ by }: InsightAddress): 'project' | 'branch' | undefined {
  return by === 'project' || by === 'branch' ? by : undefined
}
