import { useQueries } from '@tanstack/react-query'
import { type ReactElement, useEffect, useMemo } from 'react'
import type { BoardCell } from '../../../policy/board-row.ts'
import type { Board, BoardPlace } from '../../../policy/board.ts'
import { policyName } from '../../../policy/policy-group.ts'
import { lastExpiry, type WaivedScan } from '../../../policy/waived-verdict.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import {
  useEndWaiver,
  useGiveWaiver,
  waiverRefusal,
  waiversQuery,
} from '../../data/scans/waivers.ts'
import { WaiverDialog, WaiverEndDialog } from '../../domain/waiver/waiver-dialog.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { useServices, useSessionUser } from '../../data/core/services.ts'

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

/** Asks what a wish needs, and fulfils it; over when the proxy has it and the board counts it. */
export function WaiverWishDialog({
  wish,
  onClose,
}: {
  wish: WaiverWish
  onClose: () => void
}): ReactElement {
  const { from } = wish
  useEffect(
    () => () => {
      // A dialog that is taken away, as after it was sent, gives the focus to nobody.
      from.focus()
    },
    [from],
  )
  return wish.is === 'give' ? (
    <Giving wish={wish} onClose={onClose} />
  ) : (
    <Ending wish={wish} onClose={onClose} />
  )
}

function Giving({
  wish: { policyUri, scan, of, longestMs },
  onClose,
}: {
  wish: Extract<WaiverWish, { is: 'give' }>
  onClose: () => void
}): ReactElement {
  const give = useGiveWaiver()
  const user = useSessionUser()
  const { proxyNow } = useServices().session
  return (
    <WaiverDialog
      policy={policyName(policyUri).name}
      of={of}
      initial={{ reason: '', person: user?.name ?? '' }}
      longestMs={longestMs}
      now={proxyNow}
      refusal={give.error === null ? undefined : waiverRefusal(give.error)}
      isSending={give.isPending}
      onGive={(given) => {
        give.mutate({ ...scan, ...given, policyUri, carriedFrom: null }, { onSuccess: onClose })
      }}
      onClose={onClose}
    />
  )
}

function Ending({
  wish: { policyUri, waiver },
  onClose,
}: {
  wish: Extract<WaiverWish, { is: 'end' }>
  onClose: () => void
}): ReactElement {
  const end = useEndWaiver()
  return (
    <WaiverEndDialog
      policy={policyName(policyUri).name}
      waiver={waiver}
      refusal={end.error === null ? undefined : waiverRefusal(end.error)}
      isSending={end.isPending}
      onEnd={() => {
        end.mutate(waiver.id, { onSuccess: onClose })
      }}
      onClose={onClose}
    />
  )
}

/** What somebody wants to do about the waiver of a policy in a cell. */
export type WaiverWish = {
  readonly policyUri: string
  /** What was pressed: the focus goes back there. */
  readonly from: HTMLElement
} & (
  | {
      readonly is: 'give'
      readonly scan: WaivedScan
      /** The package and the scan, in words. */
      readonly of: string
      /** The longest that a waiver may last, ms. */
      readonly longestMs: number
    }
  | { readonly is: 'end'; readonly waiver: Waiver }
)
