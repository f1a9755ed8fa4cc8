import { useEffect, useRef } from 'react'
import { type TileSpell, turnBetween } from '../../../facts/tile-state.ts'
import { iconPath } from '../../ui/base-path.ts'
import type { WallSettings } from './wall-link.ts'
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
  const known = useRef<KnownSpells>(new Map())
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

/** Titles of the tiles that have changed sides. */
export interface TileTurns {
  readonly failed: readonly string[]
  readonly recovered: readonly string[]
}

type Standing = Pick<PlacedTile, 'key' | 'title' | 'status' | 'spell'>

/** Spells by key, as they were last believed. */
export type KnownSpells = ReadonlyMap<string, TileSpell>

/**
 * Which tiles failed or recovered since `before`. A tile that is seen for the first time has not
 * turned, and one of which nothing is known has neither failed nor recovered.
 */
export function turnsSince(before: KnownSpells, tiles: readonly Standing[]): TileTurns {
  const titlesOf = (turn: 'failed' | 'recovered'): string[] =>
    tiles.flatMap(({ key, title, spell }) => {
      const was = before.get(key)
      return was !== undefined && turnBetween(was, spell) === turn ? [title] : []
    })
  return { failed: titlesOf('failed'), recovered: titlesOf('recovered') }
}

/** What is known of tiles after a look at them: where nothing is known, what was known before stays. */
export function knownAfter(before: KnownSpells, tiles: readonly Standing[]): KnownSpells {
  return new Map(
    tiles.flatMap(({ key, status, spell }) => {
      const isKnown = status !== 'unknown' && status !== 'empty'
      const known = isKnown ? spell : before.get(key)
      return known === undefined ? [] : [[key, known] as const]
    }),
  )
}

/** What a turn sounds like: "checkout and core are failing. web has recovered." */
export function turnsText({ failed, recovered }: TileTurns): string {
  return [
    failed.length === 0 ? '' : `${listed(failed)} ${failed.length === 1 ? 'is' : 'are'} failing.`,
    recovered.length === 0
      ? ''
      : `${listed(recovered)} ${recovered.length === 1 ? 'has' : 'have'} recovered.`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

const named = 3

function listed(titles: readonly string[]): string {
  const rest = titles.length - named
  const names = [...titles.slice(0, named), ...(rest > 0 ? [`${rest} more`] : [])]
  return names.length === 1
    ? (names[0] ?? '')
    : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
}

/** Two soft tones: falling when something fails, rising when it recovers. */
export function playTone(turn: 'failed' | 'recovered'): void {
  const audio = new AudioContext()
  const [first, second] = turn === 'failed' ? [440, 330] : [440, 587]
  for (const [index, frequency] of [first, second].entries()) {
    const at = audio.currentTime + index * toneSeconds
    const tone = audio.createOscillator()
    const volume = audio.createGain()
    tone.frequency.value = frequency
    volume.gain.setValueAtTime(0.2, at)
    volume.gain.linearRampToValueAtTime(0, at + toneSeconds)
    tone.connect(volume).connect(audio.destination)
    tone.start(at)
    tone.stop(at + toneSeconds)
    if (index === 1) {
      tone.onended = () => {
        void audio.close()
      }
    }
  }
}

const toneSeconds = 0.35

/** Reads a sentence out; an older one that still waits is dropped. */
function speak(text: string): void {
  if (!('speechSynthesis' in window)) return
  speechSynthesis.cancel()
  speechSynthesis.speak(new SpeechSynthesisUtterance(text))
}

/**
 * A notification of the browser, once for all tabs of it that show the same turn: whoever gets the
 * lock of its text first shows it, and keeps it until the others have seen it, too.
 */
async function notifyOnce(text: string): Promise<void> {
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  if (!('locks' in navigator)) {
    show(text)
    return
  }
  await navigator.locks.request(`sightline-turn ${text}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return
    show(text)
    await new Promise((resolve) => setTimeout(resolve, sameTurnMs))
  })
}

/** Tabs see the same turn within so long, ms: builds reach them together, flushes and looks apart. */
const sameTurnMs = 5000

function show(text: string): void {
  // The tag makes one of what still comes twice, as from two walls with the same tile.
  new Notification('Sightline wall', { body: text, tag: text, icon: iconPath('quiet') })
}
