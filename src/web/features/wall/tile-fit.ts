/** One text of a tile, and how it may be set. */
export interface Piece<Key extends string = string> {
  readonly key: Key
  readonly text: string
  readonly isBold?: boolean
  /** Its lines end at blanks alone: what is longer than a line between two of them is cut. */
  readonly isUnbroken?: boolean
  /** Both of its ends tell it from others: where it can't be whole its middle is left out. */
  readonly hasEnd?: boolean
  /** What stands beside it on its first line, in sizes of the wall's text. */
  readonly beside?: number
  /** How it is set, what is best first; all of a piece with one size and one line at least. */
  readonly settings: readonly Setting[]
  /** Shown whole or not at all: what else could be said in its place, the longest first. */
  readonly orElse?: readonly string[]
}

/** A size, in sizes of the wall's text, and a number of lines. */
export interface Setting {
  readonly size: number
  readonly lines: number
}

/** How a piece is set. */
export interface SetPiece extends Setting {
  /** Even so it is longer than its room. */
  readonly isCut: boolean
  /** What is said in its place. */
  readonly inPlace?: string
}

/** The room of a tile, px. */
export interface Room {
  readonly width: number
  readonly height: number
  /** The size of the wall's text. */
  readonly text: number
  /** No text is smaller. */
  readonly least: number
  /** In sizes of its own text. */
  readonly lineHeight: number
}

/** The width of a text at a size of 1 px, px. */
export type Measure = (text: string, isBold: boolean) => number

/** Between two pieces, in sizes of the wall's text. */
export const pieceGap = 0.2
/** Browsers measure text to a fraction of a pixel, and break lines at a few more places. */
const tolerance = 0.97

/**
 * Finds out how the pieces of a tile are set. Each has a line, in their order, while there are lines; then as much as it takes to be
 * whole, however small; then those with `orElse` that fit; and what is left makes them larger. A piece for which there is no line
 * is not among the result; one that can't be whole gets as many lines as are left, and is cut.
 */
export function fitPieces<Key extends string>(
  pieces: readonly Piece<Key>[],
  { width, height, text, least, lineHeight }: Room,
  measure: Measure,
): ReadonlyMap<Key, SetPiece> {
  const heightOf = ({ size, lines }: Setting): number => size * lines * lineHeight + pieceGap
  const lowestOf = (settings: readonly Setting[]): number => Math.min(...settings.map(heightOf))
  let spare = height / text + pieceGap
  const takes = (height: number): boolean => {
    if (height > spare) return false
    spare -= height
    return true
  }
  const fit = (piece: Piece<Key>): Fit<Key> => {
    const settings = piece.settings.map(({ size, lines }) => ({
      size: Math.max(size, least / text),
      lines,
    }))
    const isUnbroken = piece.isUnbroken === true
    const parts = (isUnbroken ? piece.text.split(/(?= )/) : lineParts(piece.text)).map((part) => ({
      width: measure(part, piece.isBold === true),
      alone: measure(part.trimStart(), piece.isBold === true),
    }))
    const line = width * tolerance - (piece.beside ?? 0) * text
    const longest = isUnbroken ? Math.max(...parts.map(({ alone }) => alone)) : 0
    const whole = settings.filter(
      ({ size, lines }) =>
        longest * size * text <= line && linesOf(parts, size * text, line) <= lines,
    )
    return { piece, settings, whole, height: lowestOf(settings) }
  }
  const shortened = (piece: Piece<Key>, setting: Setting): string => {
    const letters = piece.text.match(/./gsu) ?? []
    const left = (count: number): string =>
      `${letters.slice(0, Math.ceil(count / 2)).join('')}…${letters.slice(letters.length - Math.floor(count / 2)).join('')}`
    const fits = (count: number): boolean =>
      fit({ ...piece, text: left(count), settings: [setting] }).whole.length > 0
    let low = 0
    let high = letters.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (fits(middle)) low = middle
      else high = middle - 1
    }
    return left(low)
  }
  const shown = new Map<Key, Fit<Key>>()
  for (const piece of pieces) {
    if (piece.text === '' || piece.orElse !== undefined) continue
    const one = fit(piece)
    if (takes(one.height)) shown.set(piece.key, one)
  }
  for (const [key, one] of shown) {
    const whole = lowestOf(one.whole)
    if (takes(whole - one.height)) shown.set(key, { ...one, settings: one.whole, height: whole })
  }
  for (const piece of pieces) {
    for (const said of piece.orElse === undefined ? [] : [piece.text, ...piece.orElse]) {
      const { whole } = fit({ ...piece, text: said })
      const height = lowestOf(whole)
      if (said === '' || !takes(height)) continue
      const inPlace = said === piece.text ? {} : { inPlace: said }
      shown.set(piece.key, { piece, settings: whole, whole, height, ...inPlace })
      break
    }
  }
  const chosen = new Map<Key, SetPiece>()
  for (const { key } of pieces) {
    const one = shown.get(key)
    if (one === undefined) continue
    const { settings, whole, height, inPlace } = one
    const affordable = settings.filter((setting) => heightOf(setting) - height <= spare)
    const best =
      affordable.find((setting) => whole.includes(setting)) ??
      affordable.toSorted((a, b) => b.lines / b.size - a.lines / a.size)[0]
    if (best === undefined) continue
    spare -= heightOf(best) - height
    const isCut = !whole.includes(best)
    const said = isCut && one.piece.hasEnd === true ? shortened(one.piece, best) : inPlace
    chosen.set(key, { ...best, isCut, ...(said === undefined ? {} : { inPlace: said }) })
  }
  return chosen
}

/** A piece that is shown: how it may be set, how it is whole, and the height that is kept for it. */
interface Fit<Key extends string> {
  readonly piece: Piece<Key>
  readonly settings: readonly Setting[]
  readonly whole: readonly Setting[]
  readonly height: number
  readonly inPlace?: string
}

/** The parts of a text between which a line may end: words, and of names what is between dots, slashes, hyphens or capitals; no time of day is parted. */
export function lineParts(text: string): readonly string[] {
  return (
    text.match(/ *[^ ]+?(?:(?!(?<=\d):\d)[-./:_]+(?=\w)|(?<=[a-z0-9])(?=[A-Z])|(?= )|$)/g) ?? []
  )
}

/** How many lines parts take that are so wide at a size of 1 px; one that alone is too long is broken anywhere. */
function linesOf(
  parts: readonly { readonly width: number; readonly alone: number }[],
  size: number,
  line: number,
): number {
  if (line <= 0) return Infinity
  let lines = 1
  let used = 0
  for (const part of parts) {
    if (used + part.width * size <= line) {
      used += part.width * size
      continue
    }
    if (used > 0) lines += 1
    const alone = part.alone * size
    const more = Math.max(0, Math.ceil(alone / line) - 1)
    lines += more
    used = alone - more * line
  }
  return lines
}
