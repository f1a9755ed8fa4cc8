import { useCallback, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { readViewAddress, type ViewAddress, writeViewAddress } from './view-address.ts'

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
