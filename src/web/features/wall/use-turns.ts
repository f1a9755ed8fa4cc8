import { useEffect, useRef } from 'react'
import type { WallSettings } from '../../ui/device-preferences.ts'
import { type KnownStatuses, knownAfter, turnsSince, turnsText } from './tile-turns.ts'
import { notifyOnce, playTone, speak } from './tell-turns.ts'
import type { PlacedTile } from './wall-set.ts'

/**
 * Tells people of tiles that turn red or recover, in the ways that were switched on. Only what is
 * believed counts: while a side is silent nothing turns.
 */
export function useTurns(
  placed: readonly PlacedTile[],
  isBelieved: boolean,
  { sound, speech, notify }: Pick<WallSettings, 'sound' | 'speech' | 'notify'>,
): void {
  const known = useRef<KnownStatuses>(new Map())
  useEffect(() => {
    if (!isBelieved) return
    const turns = turnsSince(known.current, placed)
    known.current = knownAfter(known.current, placed)
    const text = turnsText(turns)
    if (text === '') return
    if (sound) playTone(turns.failed.length > 0 ? 'failed' : 'recovered')
    if (speech) speak(text)
    if (notify) void notifyOnce(text)
  }, [placed, isBelieved, sound, speech, notify])
}
