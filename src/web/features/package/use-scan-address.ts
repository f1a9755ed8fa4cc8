import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { readScanAddress, type ScanAddress, writeScanAddress } from './scan-address.ts'

/** Changes what is looked at; `replace` where it is no step that anybody would go back from. */
export type ChangeScanAddress = (change: Partial<ScanAddress>, replace?: boolean) => void

/** What is looked at, as the address says it, and the way to change it. */
export function useScanAddress(): readonly [ScanAddress, ChangeScanAddress] {
  const [search, setSearch] = useSearchParams()
  const address = useMemo(() => readScanAddress(search), [search])
  const change = useCallback<ChangeScanAddress>(
    (part, replace = false) => {
      setSearch((now) => writeScanAddress({ ...readScanAddress(now), ...part }, now), {
        replace,
        // A box that was ticked must not spring back until a transition is over.
        flushSync: true,
      })
    },
    [setSearch],
  )
  return [address, change]
}
