import { useCallback, useMemo, useState } from 'react'
import type { FoundBuild } from '../../data/builds/build-pages.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import type { RowCommands } from '../../domain/build-table/build-table.tsx'
import { insightAddress } from './search-address.ts'

/** What a reader does with the list: where the keys are, what is chosen, which is open. */
export interface ListState extends Required<RowCommands> {
  /** The place of the row that keys act on. */
  readonly current: number | undefined
  readonly chosen: ReadonlySet<string>
  readonly choose: (buildId: string) => void
  readonly chooseNone: () => void
  /** The id of the build whose details are open, as the address has it. */
  readonly opened: string | undefined
  /** That build; undefined while the list doesn't have it. */
  readonly openedBuild: FoundBuild | undefined
  /** Closes the details, or else lets go of the current row. */
  readonly close: () => void
}

interface Looking {
  readonly key: string
  readonly current: string | undefined
  readonly selection: Selection
}

/** The state of the list of one search; another `key` begins anew. */
export function useListState(key: string, found: readonly FoundBuild[]): ListState {
  const [{ build: opened }, changeAddress] = useSearchState(insightAddress)
  const [state, setState] = useState(() => nothingLookedAt(key))
  if (state.key !== key) setState(nothingLookedAt(key))
  const change = useCallback((part: (now: Looking) => Partial<Looking>) => {
    setState((now) => ({ ...now, ...part(now) }))
  }, [])
  const commands = useMemo(
    () => ({
      onCurrent: (index: number) => {
        change(() => ({ current: found[index]?.facts.buildId }))
      },
      onSelect: (buildId: string, isRange: boolean) => {
        change(({ selection }) => ({
          selection: isRange
            ? extended(
                selection,
                buildId,
                found.map(({ facts }) => facts.buildId),
              )
            : toggled(selection, buildId),
        }))
      },
      onOpen: (index: number) => {
        const buildId = found[index]?.facts.buildId
        change(() => ({ current: buildId }))
        // The next build takes the place of the one that is open in the history.
        changeAddress({ build: buildId }, opened !== undefined)
      },
      chooseNone: () => {
        change(() => ({ selection: nothingChosen }))
      },
      close: () => {
        if (opened === undefined) change(() => ({ current: undefined }))
        else changeAddress({ build: undefined })
      },
    }),
    [change, changeAddress, found, opened],
  )
  const currentId = state.current ?? opened
  const current = useMemo(() => placeOf(found, currentId), [found, currentId])
  return {
    ...commands,
    current,
    chosen: state.selection.chosen,
    choose: (buildId) => {
      commands.onSelect(buildId, false)
    },
    opened,
    openedBuild: found.find(({ facts }) => facts.buildId === opened),
  }
}

function placeOf(found: readonly FoundBuild[], buildId: string | undefined): number | undefined {
  if (buildId === undefined) return undefined
  const place = found.findIndex(({ facts }) => facts.buildId === buildId)
  return place === -1 ? undefined : place
}

function nothingLookedAt(key: string): Looking {
  return { key, current: undefined, selection: nothingChosen }
}

/** The builds that were chosen, and the one that a range begins at. */
interface Selection {
  readonly chosen: ReadonlySet<string>
  readonly anchor: string | undefined
}

export const nothingChosen: Selection = { chosen: new Set(), anchor: undefined }

/** One more build chosen, or one less. */
export function toggled({ chosen }: Selection, id: string): Selection {
  const next = new Set(chosen)
  if (!next.delete(id)) next.add(id)
  return { chosen: next, anchor: id }
}

/** All builds from the one that was toggled last to `id`, in the order of the list; chosen, too. */
export function extended(selection: Selection, id: string, order: readonly string[]): Selection {
  const from = selection.anchor === undefined ? -1 : order.indexOf(selection.anchor)
  const to = order.indexOf(id)
  if (from === -1 || to === -1) return toggled(selection, id)
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { chosen: new Set([...selection.chosen, ...range]), anchor: id }
}
