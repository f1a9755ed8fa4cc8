import { type ReactElement, type ReactNode, useMemo, useState } from 'react'
import { RowWaiversContext, type WaiverWish } from './waiver-context.ts'
import { WaiverEnding, WaiverGiving } from './waiver-wishes.tsx'
import type { WaiverState } from './waiver-state.ts'

/** Lets the rows within it show waivers, and asks what is needed when somebody wants to change one. */
export function WaiverScope({
  state,
  of,
  children,
}: {
  state: WaiverState
  /** The package and the scan, in words. */
  of: string
  children: ReactNode
}): ReactElement {
  const [wish, setWish] = useState<WaiverWish>()
  const { inForce, elsewhere, mayWaive } = state
  const rows = useMemo(
    () => ({ waived: inForce, elsewhere, onWish: mayWaive ? setWish : undefined }),
    [inForce, elsewhere, mayWaive],
  )
  function close(): void {
    setWish(undefined)
  }
  return (
    <RowWaiversContext value={rows}>
      {children}
      {wish?.is === 'give' && <WaiverGiving wish={wish} state={state} of={of} onClose={close} />}
      {wish?.is === 'end' && <WaiverEnding wish={wish} onClose={close} />}
    </RowWaiversContext>
  )
}
