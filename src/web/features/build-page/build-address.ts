import {
  type CacheUse,
  type ExecutionOutcome,
  executionOutcomes,
} from '../../../facts/execution.ts'
import { type Change, changes } from '../../../facts/comparison.ts'
import { type CaseOutcome, caseOutcomes } from '../../../facts/test-cases.ts'
import {
  type ChangeSearch,
  choiceParam,
  choicesParam,
  listParam,
  optionalParam,
  type SearchParam,
  searchState,
  textParam,
} from '../../data/core/search-state.ts'

/** The parts of the page that are looked at one at a time. */
export const tabs = ['timeline', 'tests', 'environment', 'events'] as const
export type Tab = (typeof tabs)[number]

/** Which executions the timeline is about. */
export const scopes = ['work', 'tests', 'all'] as const
export type Scope = (typeof scopes)[number]

const orders = ['outcome', 'start', 'duration'] as const

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

/** What is looked at of a build, as its address has it; an empty list narrows nothing. */
export interface BuildAddress {
  /** The one that suits the build where none is named. */
  readonly tab: Tab | undefined
  readonly order: (typeof orders)[number]
  readonly scope: Scope
  readonly search: string
  readonly outcomes: readonly ExecutionOutcome[]
  readonly cache: readonly CacheUse['kind'][]
  /** The stretch of time that is looked at, ms since the build's first execution. */
  readonly zoom: Zoom | undefined
  readonly cases: readonly CaseOutcome[]
  /** The row that is open in the tab, by its key (build-event-messages.ts). */
  readonly row: string | undefined
  readonly eventTypes: readonly string[]
  /** The build that it is compared with, by its id, or `lastSuccess`. */
  readonly compare: string | undefined
  readonly changes: readonly Change[]
  /** The query of the wall's tile at which its QR code was read, and the branch that this stands for. */
  readonly tile: string | undefined
  readonly branch: string | undefined
}

/** A stretch of time; `from` is less than `to`. */
export interface Zoom {
  readonly from: number
  readonly to: number
}

const zoomParam: SearchParam<Zoom | undefined> = {
  names: ['zoom'],
  read: (search) => {
    const [, from, to] = /^(\d{1,12})-(\d{1,12})$/.exec(search.get('zoom') ?? '') ?? []
    const zoom = { from: Number(from), to: Number(to) }
    return zoom.from < zoom.to ? zoom : undefined
  },
  write: (zoom) =>
    zoom === undefined ? [] : [['zoom', `${Math.round(zoom.from)}-${Math.round(zoom.to)}`]],
}

const tabParam: SearchParam<Tab | undefined> = {
  names: ['tab'],
  read: (search) => tabs.find((tab) => tab === search.get('tab')),
  write: (tab) => [['tab', tab ?? '']],
}

/** In place of an id: the last success of the same work on the same branch. */
export const lastSuccess = 'last-success'

/** The address of the page. */
export const buildAddress = searchState<BuildAddress>({
  tab: tabParam,
  order: choiceParam('order', orders),
  scope: choiceParam('scope', scopes),
  search: textParam('q'),
  outcomes: choicesParam('outcome', executionOutcomes),
  cache: choicesParam('cache', cacheKinds),
  zoom: zoomParam,
  cases: choicesParam('case', caseOutcomes),
  row: optionalParam('row'),
  eventTypes: listParam('type', (type) => /^\w{1,100}$/.test(type)),
  compare: optionalParam('compare'),
  changes: choicesParam('change', changes),
  tile: optionalParam('tile'),
  branch: optionalParam('branch'),
})

/** Changes what is looked at; `replace` where it is no step that anyone would go back from. */
export type ChangeAddress = ChangeSearch<BuildAddress>
