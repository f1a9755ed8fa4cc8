import { useEffect, useState } from 'react'
import { useServices } from '../../data/core/services.ts'

/** How long after the last sign of a person the controls and the pointer are hidden, ms. */
const patienceMs = 5000
const signs = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const

/** Whether nobody has touched the screen for a while. */
export function useIdle(): boolean {
  const { clock } = useServices()
  const [isIdle, setIdle] = useState(false)
  useEffect(() => {
    let cancel = clock.after(patienceMs, rest)
    function rest(): void {
      setIdle(true)
    }
    function wake(): void {
      cancel()
      cancel = clock.after(patienceMs, rest)
      setIdle(false)
    }
    for (const sign of signs) document.addEventListener(sign, wake)
    return () => {
      cancel()
      for (const sign of signs) document.removeEventListener(sign, wake)
    }
  }, [clock])
  return isIdle
}
