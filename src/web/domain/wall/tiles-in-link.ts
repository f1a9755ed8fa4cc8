import { cutText } from '../../../protocol/untrusted-text.ts'
import {
  longestTileBranch,
  longestTileQuery,
  longestTileTitle,
  mostTiles,
  type WallTile,
} from '../../../protocol/wall.ts'

const separator = ';'
const between = '~'
const pin = '!'
const escape = '\\'

/**
 * Writes tiles as a link has them: `title~query;title~query~branch`, or the query alone where it is its
 * own title, `!` before one that is pinned. A backslash stands before what is meant as itself.
 */
export function writeTiles(tiles: readonly WallTile[]): string {
  return tiles
    .map(({ title, query, pinned, branch }) => {
      const named = title === query && branch === undefined ? '' : `${escaped(title)}${between}`
      const text = `${named}${escaped(query)}${branch === undefined ? '' : `${between}${escaped(branch)}`}`
      return pinned ? `${pin}${text}` : text.startsWith(pin) ? `${escape}${text}` : text
    })
    .join(separator)
}

/** Reads what `writeTiles` wrote, and as much as can be of what it did not. Never throws. */
export function readTiles(text: string): {
  readonly tiles: readonly WallTile[]
  readonly ignored: readonly string[]
} {
  const tiles: WallTile[] = []
  const ignored: string[] = []
  let place = 0
  let beyond = 0
  for (const part of splitAt(text, separator)) {
    if (part.trim() === '') continue
    place += 1
    if (tiles.length === mostTiles) {
      beyond += 1
      continue
    }
    const read = readTile(part)
    if (typeof read === 'string') ignored.push(`Tile ${place} in the link ${read}`)
    else tiles.push(read)
  }
  if (beyond > 0) {
    ignored.push(
      `The link has ${place} tiles. The first ${mostTiles} are shown; ${beyond} are omitted.`,
    )
  }
  return { tiles, ignored: shortened(ignored) }
}

/** The tile, or why it is none, going on from "Tile 3 of the link". */
function readTile(part: string): WallTile | string {
  const pinned = part.startsWith(pin)
  const [first = '', ...rest] = splitAt(pinned ? part.slice(1) : part, between)
  const query = plain(rest[0] ?? first).trim()
  const title = rest.length === 0 ? query : plain(first).trim()
  const branch = plain(rest.slice(1).join(between)).trim()
  if (query === '') return 'has no query. Use title~query.'
  if (query.length > longestTileQuery)
    return `has a query longer than ${longestTileQuery} characters.`
  if (branch.length > longestTileBranch)
    return `has a branch longer than ${longestTileBranch} characters.`
  return {
    title: cutText(title === '' ? query : title, longestTileTitle).trimEnd(),
    query,
    pinned,
    ...(branch === '' ? {} : { branch }),
  }
}

const mostSentences = 3

function shortened(sentences: readonly string[]): string[] {
  const more = sentences.length - mostSentences
  return more <= 0
    ? [...sentences]
    : [...sentences.slice(0, mostSentences), `${more} more parts are omitted.`]
}

function escaped(text: string): string {
  return text.replace(/[\\;~]/g, `${escape}$&`)
}

function plain(text: string): string {
  return text.replace(/\\([\s\S])/g, '$1')
}

/** Parts between separators that have no backslash before them; backslashes are kept. */
function splitAt(text: string, mark: string): string[] {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === escape) at += 1
    else if (text[at] === mark) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}
