import { useCallback, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'

/** The parts of an attestation that are looked at one at a time. */
export const tabs = ['says', 'signatures', 'signed', 'payload', 'certificate'] as const
export type Tab = (typeof tabs)[number]

/** The ways to look at a payload. */
export const payloadViews = ['tree', 'text', 'hex'] as const
export type PayloadView = (typeof payloadViews)[number]

/** What is looked at of an attestation, as its address says it. */
interface ViewAddress {
  readonly tab: Tab
  /** Which of several attestations, from 0. */
  readonly item: number
  readonly view: PayloadView
  /** What is sought in the payload. */
  readonly search: string
  /** A digest that somebody named, such as "sha256:4f2f…"; compared with the subjects. */
  readonly digest: string
  /** How many different trusted keys must have signed, at least 1. */
  readonly needed: number
}

/** The most keys that can be asked for. */
export const mostNeeded = 9

/** Reads what is looked at from an address; what cannot be read there is as if not said. */
export function readViewAddress(search: URLSearchParams): ViewAddress {
  const item = Number(/^\d{1,5}$/.exec(search.get('item') ?? '')?.[0] ?? 1)
  return {
    tab: tabs.find((tab) => tab === search.get('tab')) ?? 'says',
    item: Math.max(0, item - 1),
    view: payloadViews.find((view) => view === search.get('view')) ?? 'tree',
    search: search.get('q') ?? '',
    digest: search.get('digest') ?? '',
    needed: Number(/^[1-9]$/.exec(search.get('needed') ?? '')?.[0] ?? 1),
  }
}

/** What of an address still means something once another attestation is given: what is asked of it. */
export function forAnother(search: URLSearchParams): URLSearchParams {
  const nothing = new URLSearchParams()
  const { needed } = readViewAddress(search)
  return writeViewAddress({ ...readViewAddress(nothing), needed }, nothing)
}

/** Writes what is looked at into an address, of which all else is kept; defaults are left out. */
export function writeViewAddress(view: ViewAddress, search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search)
  const put = (name: string, value: string): void => {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  put('tab', view.tab === 'says' ? '' : view.tab)
  put('item', view.item === 0 ? '' : String(view.item + 1))
  put('view', view.view === 'tree' ? '' : view.view)
  put('q', view.search)
  put('digest', view.digest)
  put('needed', view.needed === 1 ? '' : String(view.needed))
  return next
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
  const address = useMemo(() => readViewAddress(new URLSearchParams(search)), [search])
  const linkTo = useCallback<ViewAddressState['linkTo']>(
    (part) => {
      const before = new URLSearchParams(search)
      const next = writeViewAddress({ ...readViewAddress(before), ...part }, before)
      return { search: next.toString(), hash }
    },
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
