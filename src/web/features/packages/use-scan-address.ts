import { useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { readScanAddress, type ScanAddress, writeScanAddress } from './scan-address.ts'

/**
 * Changes what is looked at, starting from the address of that moment; `replace` where it is no step
 * that anybody would go back from.
 */
export type ChangeScanAddress = (
  change: Partial<ScanAddress> | ((now: ScanAddress) => Partial<ScanAddress>),
  replace?: boolean,
) => void

/** What is looked at, as the address says it, and the way to change it, which stays the same. */
export function useScanAddress(): readonly [ScanAddress, ChangeScanAddress] {
  const [search, setSearch] = useSearchParams()
  const address = useMemo(() => readScanAddress(search), [search])
  // Policies that are still drawn by an older address may be pressed: nothing since then is lost.
  const latest = useRef(setSearch)
  useLayoutEffect(() => {
    latest.current = setSearch
  }, [setSearch])
  const change = useCallback<ChangeScanAddress>((part, replace = false) => {
    latest.current(
      (search) => {
        const now = readScanAddress(search)
        return writeScanAddress(
          { ...now, ...(typeof part === 'function' ? part(now) : part) },
          search,
        )
      },
      {
        replace,
        // A box that was ticked must not spring back until a transition is over.
        flushSync: true,
      },
    )
  }, [])
  return [address, change]
}
