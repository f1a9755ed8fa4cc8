import type { TileStatus } from '../../../facts/tile-state.ts'

/** Titles of the tiles that have changed sides. */
export interface TileTurns {
  readonly failed: readonly string[]
  readonly recovered: readonly string[]
}

interface Standing {
  readonly key: string
  readonly title: string
  readonly status: TileStatus
}

/** Statuses by key, as they were last believed. */
export type KnownStatuses = ReadonlyMap<string, TileStatus>

/**
 * Which tiles turned red or recovered since `before`. A tile that is seen for the first time has not
 * turned, and one whose outcome is not known has neither failed nor recovered.
 */
export function turnsSince(before: KnownStatuses, tiles: readonly Standing[]): TileTurns {
  const titlesOf = (has: (was: TileStatus, is: TileStatus) => boolean): string[] =>
    tiles.flatMap(({ key, title, status }) => {
      const was = before.get(key)
      return was !== undefined && has(was, status) ? [title] : []
    })
  return {
    failed: titlesOf((was, is) => isPassing(was) && is === 'failing'),
    recovered: titlesOf((was, is) => was === 'failing' && isPassing(is)),
  }
}

/** What is known of tiles after a look at them: where nothing is known, what was known before stays. */
export function knownAfter(before: KnownStatuses, tiles: readonly Standing[]): KnownStatuses {
  return new Map(
    tiles.flatMap(({ key, status }) => {
      const known = isPassing(status) || status === 'failing' ? status : before.get(key)
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

function isPassing(status: TileStatus): boolean {
  return status === 'healthy' || status === 'flaky'
}
