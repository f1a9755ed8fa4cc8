import { type RefObject, useMemo } from 'react'
import { type SetURLSearchParams, useNavigate, useSearchParams } from 'react-router'
import type { FeedRow } from '../../data/live/feed-state.ts'
import { writeTiles } from '../../domain/wall/tiles-in-link.ts'
import { copyText } from '../../ui/copy.tsx'
import { useKeys } from '../../ui/keys.tsx'
import { revealRow } from '../../ui/virtual-rows.ts'
import { toast } from '../../ui/toast.ts'
import { type Facet, type Filter, filterFromAddress, filterToAddress } from './filter.ts'
import type { FeedList } from './use-feed-list.ts'

/** What the keys of the feed act on. */
interface FeedParts {
  readonly list: FeedList
  readonly address: BuildAddress
  readonly filter: Filter
  readonly setFilter: (next: Filter) => void
  readonly scroller: RefObject<HTMLDivElement | null>
  /** The height of a row, px. */
  readonly height: number
  /** The build that is open, or else selected. */
  readonly current: FeedRow | undefined
  /** The query that is followed; empty where none is. */
  readonly followed: string
  readonly togglePause: () => void
  readonly close: () => void
}

/** The keys of the live feed (look.md, "Keyboard"). */
export function useFeedKeys(parts: FeedParts): void {
  const { list, address, current } = parts
  const navigate = useNavigate()
  const { rows, hold, view, commands } = list
  const selected = hold.selected === undefined ? undefined : rows.indexOf(hold.selected)

  /** Selects a row, brings it into sight, and shows its details if details are open. */
  function moveTo(index: number): void {
    let place = Math.min(Math.max(index, 0), rows.count - 1)
    // The oldest rows of the list may have been dropped since it was drawn.
    while (place > 0 && rowAt(place) === undefined) place--
    const row = rowAt(place)
    if (row === undefined) return
    commands.select(row.arrival)
    if (parts.scroller.current !== null) revealRow(parts.scroller.current, place, parts.height)
    if (address.opened !== undefined) address.open(row.build.buildId)
  }

  function rowAt(place: number): FeedRow | undefined {
    const arrival = rows.arrivalAt(place)
    return arrival === undefined ? undefined : view.row(arrival)
  }

  /** Without a selection it begins at the first row in sight. */
  function move(by: number): void {
    const top = Math.ceil((parts.scroller.current?.scrollTop ?? 0) / parts.height)
    moveTo(selected === undefined ? top : selected + by)
  }

  function followProject(): void {
    const project = current?.facts?.project ?? undefined
    if (project !== undefined) parts.setFilter({ ...parts.filter, project: [project] })
    else void toast('Select a build whose project is known, then press f to follow that project.')
  }

  /** The search language is not loaded with the feed, which needs none of it. */
  async function openAsTile(): Promise<void> {
    const { filterQuery } = await import('./feed-query.ts')
    const query = filterQuery(parts.filter, parts.followed)
    const tiles = writeTiles([{ title: query, query, pinned: false }])
    await navigate(query === '' ? '/wall' : `/wall?${new URLSearchParams({ tiles }).toString()}`)
  }

  useKeys('Live feed', [
    {
      keys: ['j', 'arrowdown'],
      label: 'Next build',
      run: () => {
        move(1)
      },
    },
    {
      keys: ['k', 'arrowup'],
      label: 'Previous build',
      run: () => {
        move(-1)
      },
    },
    {
      keys: ['home'],
      label: 'Newest build',
      run: () => {
        moveTo(0)
      },
    },
    {
      keys: ['end'],
      label: 'Oldest build',
      run: () => {
        moveTo(rows.count - 1)
      },
    },
    {
      keys: ['enter'],
      label: 'Open build',
      run: () => {
        if (current !== undefined) void navigate(`/builds/${current.build.buildId}`)
      },
    },
    {
      keys: ['space'],
      label: 'Show build details',
      run: () => {
        if (current !== undefined) address.open(current.build.buildId)
      },
    },
    { keys: ['escape'], label: 'Close', run: parts.close },
    { keys: ['p'], label: 'Pause or resume', isCommand: true, run: parts.togglePause },
    { keys: ['f'], label: "Follow the build's project", isCommand: true, run: followProject },
    {
      keys: ['w'],
      label: 'Add the current view to a wall',
      isCommand: true,
      run: () => void openAsTile(),
    },
    {
      keys: ['y'],
      label: 'Copy link to the current view',
      isCommand: true,
      run: () => {
        void copyLink(address.opened ?? current?.build.buildId, address)
      },
    },
  ])
}

/** Copies the address of this page, with a build opened where one is meant. */
export async function copyLink(
  buildId: string | undefined,
  { queryOf }: BuildAddress,
): Promise<void> {
  const link = new URL(location.href)
  if (buildId !== undefined) link.search = queryOf(buildId)
  if (await copyText(link.href)) await toast('Link copied.')
}

const parameter = 'build'

/** Which build is open, as the address says it (`?build=<id>`), and the addresses of others. */
interface BuildAddress {
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
