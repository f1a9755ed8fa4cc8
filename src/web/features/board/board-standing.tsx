import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { boardRows, emptyCell } from '../../../policy/board-row.ts'
import { type Board, type BoardPlace, boardPlaces } from '../../../policy/board.ts'
import { lastExpiry } from '../../../policy/waived-verdict.ts'
import { packageNameOf, packagePath } from '../../../protocol/package-address.ts'
import type { Waiver, WaiverList } from '../../../protocol/waiver.ts'
import { readRecorded } from '../../data/board/board-requests.ts'
import { useServices } from '../../data/core/services.ts'
import type { PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { useAllWaivers } from '../../data/scans/waivers.ts'
import { RetryNotice } from '../../ui/problem.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { RelativeTime, useDerivedFromNow } from '../../ui/time.tsx'
import { boardVerdict, oldestResult } from './board-headline.tsx'

/** How a board stands by what the proxy has recorded of it: nothing is evaluated for that. */
export function BoardStanding({ name, board }: { name: string; board: Board }): ReactElement {
  const { request, session, clock } = useServices()
  const places = useMemo(() => boardPlaces(board), [board])
  const { data, error, refetch } = useQuery({
    queryKey: ['board-standing', name, places.map(({ key }) => key).join()],
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
  const rows = useMemo(
    () => data && boardRows(board, places, data, waivers),
    [board, places, data, waivers],
  )
  if (rows === undefined && error !== null) {
    return (
      <RetryNotice
        sentence={`Recorded results aren't available. ${error.message}`}
        onRetry={() => void refetch()}
      />
    )
  }
  const areWaiversKnown = waivers.list !== undefined || waivers.fault !== undefined
  if (data === undefined || rows === undefined || !areWaiversKnown)
    return <p role="status">Loading recorded results…</p>
  const { text, tone } = boardVerdict(rows)
  const oldest = oldestResult(data)
  return (
    <>
      <Group gap={6} wrap="nowrap" align="flex-start" c={`var(--${tone}-ink)`}>
        <Group h="1lh">
          <StatusShape tone={tone} />
        </Group>
        <span>{text}</span>
      </Group>
      {oldest !== undefined && (
        <Text inherit c="dimmed">
          Oldest result <RelativeTime at={oldest} />
        </Text>
      )}
    </>
  )
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
