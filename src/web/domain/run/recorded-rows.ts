import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type BoardRow, boardRows, emptyCell } from '../../../policy/board-row.ts'
import { type Board, type BoardPlace, boardPlaces } from '../../../policy/board.ts'
import { lastExpiry } from '../../../policy/waived-verdict.ts'
import { packageNameOf, packagePath } from '../../../protocol/package-address.ts'
import type { Waiver, WaiverList } from '../../../protocol/waiver.ts'
import { readRecorded } from '../../data/board/board-requests.ts'
import { useServices } from '../../data/core/services.ts'
import type { PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { useAllWaivers } from '../../data/scans/waivers.ts'
import { useDerivedFromNow } from '../../ui/time.tsx'

/** How packages stand by what the proxy has recorded of them. */
export interface RecordedRows {
  /** In the order of the board; undefined until results and waivers are known. */
  readonly rows: readonly BoardRow[] | undefined
  /** Why the results can't be read: a plain sentence. */
  readonly fault: string | undefined
  readonly retry: () => unknown
}

/** The rows of a board by what anybody's evaluations came to, read again each minute; nothing is evaluated. */
export function useRecordedRows(board: Board): RecordedRows {
  const { request, session, clock } = useServices()
  const places = useMemo(() => boardPlaces(board), [board])
  const {
    data,
    error,
    refetch: retry,
  } = useQuery({
    queryKey: ['recorded-rows', places.map(({ key }) => key).join()],
    enabled: places.length > 0,
    // Not with each change: a whole release that is evaluated makes hundreds of them.
    refetchInterval: 60_000,
    queryFn: async ({ signal }) => {
      const questions = boardQuestions(board, places)
      const found = await readRecorded(request, session.proxyNow, [...questions.values()], signal)
      const now = clock.now()
      const known = new Map(
        found.map(({ question, agoMs, outcome }) => [question, { at: now - agoMs, outcome }]),
      )
      return new Map(
        [...questions].flatMap(([key, question]) => {
          const one = known.get(question)
          return one === undefined ? [] : [[key, { ...emptyCell, known: one }] as const]
        }),
      )
    },
  })
  const waivers = useBoardWaivers(board)
  const areWaiversKnown = waivers.list !== undefined || waivers.fault !== undefined
  const rows = useMemo(
    () => (data && areWaiversKnown ? boardRows(board, places, data, waivers) : undefined),
    [board, places, data, areWaiversKnown, waivers],
  )
  // What was read before stands while it can't be read again.
  return { rows, fault: data === undefined ? error?.message : undefined, retry }
}

/** What is to be evaluated for each cell of a board, by its key. */
export function boardQuestions(
  { packages }: Board,
  places: readonly BoardPlace[],
): ReadonlyMap<string, PolicyScanQuestion> {
  return new Map(
    places.flatMap(({ key, row, scan }) => {
      const one = packages[row]
      if (one === undefined) return []
      const { address, sha256, repositoryUrl } = one
      return [[key, { address, sha256, repositoryUrl, scan }] as const]
    }),
  )
}

/** Waivers, and the moment at which they are to be counted. */
export interface BoardWaivers {
  readonly waivers: readonly Waiver[]
  /**
   * When the last of them expired that have, epoch ms by the clock of the proxy: until the next one
   * does, what counts then counts now.
   */
  readonly now: number
  /** Undefined until they are known. */
  readonly list: WaiverList | undefined
  /** Why they cannot be read, or not any more: a plain sentence. */
  readonly fault: string | undefined
  readonly retry: () => unknown
}

/** The waivers of all versions of the packages. One that expires is gone by itself. */
export function useBoardWaivers({ packages }: Board): BoardWaivers {
  const { data, error, refetch: retry } = useAllWaivers()
  const { proxyNow } = useServices().session
  const names = useMemo(
    () => new Set(packages.map(({ address }) => packageNameOf(packagePath(address)))),
    [packages],
  )
  const waivers = useMemo(
    () => data?.waivers.filter((one) => names.has(packageNameOf(one.packagePath))) ?? [],
    [data, names],
  )
  const now = useDerivedFromNow(() => lastExpiry(waivers, proxyNow()))
  const fault = error?.message
  return useMemo(
    () => ({ waivers, now, list: data, fault, retry }),
    [waivers, now, data, fault, retry],
  )
}
