import { useState } from 'react'
import { useDerivedFromNow, useTicker } from '../../ui/time.tsx'
import { wallOfTurn } from './wall-rotation.ts'

/** Which of the walls is shown now: each for so many seconds, from the first on, which is `home`. */
export function useWallInTurn(reds: readonly boolean[], seconds: number, home: string): number {
  const ticker = useTicker()
  const [begun, setBegun] = useState(() => ({ home, at: ticker.now() }))
  if (begun.home !== home) setBegun({ home, at: ticker.now() })
  const turn = useDerivedFromNow((now) => Math.floor((now - begun.at) / (seconds * 1000)))
  return wallOfTurn(reds, Math.max(0, turn))
}
