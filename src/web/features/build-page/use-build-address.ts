import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { type BuildAddress, readAddress, writeAddress } from './build-address.ts'

/** Changes what is looked at; `replace` where it is no step that anybody would go back from. */
export type ChangeAddress = (change: Partial<BuildAddress>, replace?: boolean) => void

/** What is looked at, as the address says it, and the way to change it. */
export function useBuildAddress(): readonly [BuildAddress, ChangeAddress] {
  const [search, setSearch] = useSearchParams()
  const address = useMemo(() => readAddress(search), [search])
  const change = useCallback<ChangeAddress>(
    (part, replace = false) => {
      setSearch((now) => writeAddress({ ...readAddress(now), ...part }, now), {
        replace,
        // A box that was ticked must not spring back until a transition is over.
        flushSync: true,
      })
    },
    [setSearch],
  )
  return [address, change]
}
