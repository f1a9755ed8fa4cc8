import { useState } from 'react'
import { useDerivedFromNow, useTicker } from '../../ui/time.tsx'

/** How settings name the wall of all projects, whose own name is empty. */
const allProjects = '*'

/** The names of the walls that take turns, this one first; '' is the wall of all projects. */
export function wallsInTurn(name: string, rotate: readonly string[]): readonly string[] {
  const names = rotate.map((other) => (other === allProjects ? '' : other))
  const at = names.indexOf(name)
  return [...new Set(at === -1 ? [name, ...names] : [...names.slice(at), ...names.slice(0, at)])]
}

/** The same names as settings have them. */
export function namesInSettings(names: readonly string[]): readonly string[] {
  return names.map((name) => (name === '' ? allProjects : name))
}

/**
 * Which wall is shown in a turn, the first is 0: those with something red take turns where there are
 * any, so that a single one stays; all others without.
 */
export function wallOfTurn(reds: readonly boolean[], turn: number): number {
  const all = [...reds.keys()]
  const red = all.filter((index) => reds[index])
  const turning = red.length > 0 ? red : all
  return turning[turn % turning.length] ?? 0
}

/**
 * What the wall that is shown says of its turn: "wall 2 of 3"; undefined where it hangs alone. `isStale`:
 * what is red may no longer be.
 */
export function turnText(
  reds: readonly boolean[],
  shown: number,
  isStale: boolean,
): string | undefined {
  if (reds.length <= 1) return undefined
  const isHeld = reds.filter(Boolean).length === 1 && reds[shown] === true
  const held = isHeld ? `, held: something on it ${isStale ? 'was' : 'is'} failing` : ''
  return `wall ${shown + 1} of ${reds.length}${held}`
}

/** Which of the walls is shown now: each for so many seconds, from the first on, which is `home`. */
export function useWallInTurn(reds: readonly boolean[], seconds: number, home: string): number {
  const ticker = useTicker()
  const [begun, setBegun] = useState(() => ({ home, at: ticker.now() }))
  if (begun.home !== home) setBegun({ home, at: ticker.now() })
  const turn = useDerivedFromNow((now) => Math.floor((now - begun.at) / (seconds * 1000)))
  return wallOfTurn(reds, Math.max(0, turn))
}
