import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { BoardCell } from '../../../policy/board-row.ts'
import type { Board, BoardPlace } from '../../../policy/board.ts'
import { lastExpiry } from '../../../policy/waived-verdict.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { waiversQuery } from '../../data/scans/waivers.ts'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { useServices } from '../../data/core/services.ts'

/** A board is looked at for long, and has many packages: asked anew so seldom, ms. */
const refreshMs = 300_000

/** Waivers, and the moment at which they are to be counted. */
export interface BoardWaivers {
  readonly waivers: readonly Waiver[]
  /**
   * When the last of them expired that have, epoch ms by the clock of the proxy: until the next one
   * does, what counts then counts now.
   */
  readonly now: number
}

/** The waivers of the packages that fail; only those can count. One that expires is gone by itself. */
export function useWaivers(
  { packages }: Board,
  places: readonly BoardPlace[],
  cells: ReadonlyMap<string, BoardCell>,
): BoardWaivers {
  const { request } = useServices()
  const { proxyNow } = useServices().session
  const rows = new Set(
    places
      .filter(({ key }) => cells.get(key)?.known?.outcome.verdict === 'not-releasable')
      .map(({ row }) => row),
  )
  const paths = [...rows].flatMap((row) => {
    const one = packages[row]
    return one === undefined ? [] : [packagePath(one.address)]
  })
  const lists = useQueries({
    queries: [...new Set(paths)].map((path) => ({
      ...waiversQuery(request, path),
      staleTime: refreshMs,
      refetchInterval: refreshMs,
      retry: false,
    })),
    combine: combined,
  })
  const waivers = useMemo(() => lists.flat(), [lists])
  const now = useDerivedFromNow(() => lastExpiry(waivers, proxyNow()))
  return useMemo(() => ({ waivers, now }), [waivers, now])
}

function combined(
  results: readonly { readonly data: { readonly waivers: readonly Waiver[] } | undefined }[],
) {
  return results.map(({ data }) => data?.waivers ?? [])
}
