import type { RefObject } from 'react'
import { useNavigate } from 'react-router'
import type { FeedRow } from '../../data/live/feed-state.ts'
import { headHeight } from '../../domain/build-table/build-table.tsx'
import { copyText } from '../../ui/copy.tsx'
import { useKeys } from '../../ui/keys.tsx'
import { revealRow } from '../../ui/virtual-rows.ts'
import { toast } from '../../ui/toast.ts'
import type { FeedAddressState } from './feed-address.ts'
import { longestValue } from './filter.ts'
import type { FeedList } from './use-feed-list.ts'

/** What the keys of the feed act on. */
interface FeedParts {
  readonly list: FeedList
  readonly address: FeedAddressState
  readonly scroller: RefObject<HTMLDivElement | null>
  /** The height of a row, px. */
  readonly height: number
  /** The build that is open, or else selected. */
  readonly current: FeedRow | undefined
  readonly openArrival: (arrival: number) => void
  readonly togglePause: () => void
  readonly close: () => void
}

/** The keys of the live feed (look.md, "Keyboard"); returns what goes to the row at a place of the list. */
export function useFeedKeys(parts: FeedParts): (index: number) => void {
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
    if (parts.scroller.current !== null)
      revealRow(parts.scroller.current, place, parts.height, headHeight)
    if (address.build !== undefined) address.change({ build: row.build.buildId }, true)
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
    if (project !== undefined && project.length <= longestValue)
      address.change({ filter: { ...address.filter, project: [project] } })
    else void toast('Select a build with a known project, then press f to follow it.')
  }

  /** The search language is not loaded with the feed, which needs none of it. */
  async function openAsTile(): Promise<void> {
    const { tileAddress } = await import('./feed-query.ts')
    await navigate(tileAddress(address.filter, address.followed?.text))
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
        if (current !== undefined) parts.openArrival(current.arrival)
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
        void copyLink(address, current?.build.buildId)
      },
    },
  ])
  return moveTo
}

/** Copies the address of this page, with a build opened where one is meant. */
export async function copyLink(
  address: FeedAddressState,
  build: string | undefined,
): Promise<void> {
  const link = new URL(location.href)
  link.search = address.queryOf({ build: address.build ?? build })
  if (await copyText(link.href)) await toast('Link copied.')
}
