import { useCallback, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import {
  choiceParam,
  numberParam,
  type SearchParam,
  searchState,
  textParam,
} from '../../data/core/search-state.ts'

/** The parts of an attestation that are looked at one at a time. */
export const tabs = ['says', 'signatures', 'signed', 'payload', 'certificate'] as const
export type Tab = (typeof tabs)[number]

/** The ways to look at a payload. */
export const payloadViews = ['tree', 'text', 'hex'] as const
export type PayloadView = (typeof payloadViews)[number]

/** What is looked at of an attestation, as its address says it. */
export interface ViewAddress {
  readonly tab: Tab
  /** Which of several attestations, from 0. */
  readonly item: number
  readonly view: PayloadView
  /** What is sought in the payload. */
  readonly search: string
  /** A digest to compare the subjects with, such as "sha256:4f2f…". */
  readonly digest: string
  /** How many different trusted keys must have signed, at least 1. */
  readonly needed: number
  /** What it is compared with: the path of a stored attestation, or which of the same input, from 1; empty for neither. */
  readonly compare: string
}

/** The most keys that can be required. */
export const mostNeeded = 9

const position = numberParam('item', { least: 1, most: 99_999, usual: 1 })

/** From 1 in the address, from 0 here. */
const itemParam: SearchParam<number> = {
  names: position.names,
  read: (search) => position.read(search) - 1,
  write: (item) => position.write(item + 1),
}

/** The address of an attestation; what cannot be read there is the default. */
export const viewAddress = searchState<ViewAddress>({
  tab: choiceParam('tab', tabs),
  item: itemParam,
  view: choiceParam('view', payloadViews),
  search: textParam('q'),
  digest: textParam('digest'),
  needed: numberParam('needed', { least: 1, most: mostNeeded, usual: 1 }),
  compare: textParam('compare'),
})

/** What of an address still means something once another attestation is given: what is asked of it. */
export function forAnother(search: URLSearchParams): URLSearchParams {
  const { needed } = viewAddress.read(search)
  return viewAddress.update(new URLSearchParams(), { needed })
}

/** What is looked at, the way to change it, and the address of a change for a link. */
export interface ViewAddressState {
  readonly address: ViewAddress
  /** Takes the place of what was looked at: nobody goes back through letters typed. */
  readonly change: (part: Partial<ViewAddress>) => void
  /** Where a link leads that changes this; it keeps the fragment, which may hold the envelope. */
  readonly linkTo: (part: Partial<ViewAddress>) => {
    readonly search: string
    readonly hash: string
  }
}

/** What is looked at of an attestation, as the address says it. */
export function useViewAddress(): ViewAddressState {
  const { search, hash } = useLocation()
  const navigate = useNavigate()
  const address = useMemo(() => viewAddress.read(new URLSearchParams(search)), [search])
  const linkTo = useCallback<ViewAddressState['linkTo']>(
    (part) => ({
      search: viewAddress.update(new URLSearchParams(search), part).toString(),
      hash,
    }),
    [search, hash],
  )
  const change = useCallback<ViewAddressState['change']>(
    (part) => {
      void navigate(linkTo(part), { replace: true, preventScrollReset: true })
    },
    [navigate, linkTo],
  )
  return useMemo(() => ({ address, change, linkTo }), [address, change, linkTo])
}
