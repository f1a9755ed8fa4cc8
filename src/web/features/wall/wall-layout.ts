/** What has to find room, px and counts. */
export interface LayoutRequest {
  readonly width: number
  readonly height: number
  /** Tiles that need somebody's attention, or all of them where all are to look alike. */
  readonly prominent: number
  /** Tiles that may shrink: healthy, or nothing known. */
  readonly quiet: number
  /** Whether quiet tiles are shown, counted in one line, or whichever leaves enough room. */
  readonly quietTiles: 'auto' | 'show' | 'fold'
  /** The smallest text that is read here, px: of the whole screen, though the tiles have but a part. */
  readonly smallest: number
}

/** Where everything goes. All lengths are px. */
export interface WallLayout {
  /** The one size of text of all tiles. */
  readonly text: number
  readonly gap: number
  readonly prominent: Grid | undefined
  /** Undefined where there are none, or where they are folded. */
  readonly quiet: Grid | undefined
  readonly isFolded: boolean
  readonly pages: number
}

/** The line that says how many are folded, and the one that says which page it is. */
const foldHeight = 2.2
const markHeight = 1.7
/** No text is larger than this share of the screen's smaller side: five tiles are no poster. */
const largestShare = 1 / 14

/**
 * What is tried, best first, and how much larger than the least readable size the text has to be
 * for it: people need to see what is well, too, but not at the cost of what is not.
 */
const attempts: readonly {
  readonly prominent: Detail
  readonly quiet: Detail | 'fold'
  readonly least: number
}[] = [
  { prominent: 'full', quiet: 'full', least: 1.6 },
  { prominent: 'full', quiet: 'short', least: 1.4 },
  { prominent: 'full', quiet: 'line', least: 1.2 },
  { prominent: 'short', quiet: 'short', least: 1.2 },
  { prominent: 'full', quiet: 'line', least: 1 },
  { prominent: 'short', quiet: 'line', least: 1 },
  { prominent: 'full', quiet: 'fold', least: 1 },
  { prominent: 'short', quiet: 'fold', least: 1 },
  { prominent: 'line', quiet: 'line', least: 1 },
  { prominent: 'line', quiet: 'fold', least: 1 },
]

/**
 * The smallest text that is still read, px: one sixtieth of the height of a landscape screen, at
 * which capitals cover five minutes of arc when a screen of 55 inches is seen from five metres;
 * never under 12, which is for screens in the hand.
 */
export function smallestText(width: number, height: number): number {
  return Math.max(12, Math.round(Math.min(width * (9 / 16), height) / 60))
}

/**
 * Finds room for all tiles without scrolling: the richest arrangement whose text is readable, and in
 * it the largest text; where none fits, pages at the smallest text. Nothing overlaps, and nothing
 * is wider or higher than the screen.
 */
export function layOutWall(request: LayoutRequest): WallLayout {
  const { smallest } = request
  for (const { prominent, quiet, least } of attempts) {
    if (!isWanted(quiet, request)) continue
    const text = largestThatFits(request, prominent, quiet, smallest * least)
    if (text !== undefined) return arranged(request, prominent, quiet, text)
  }
  return paged(request, smallest)
}

function isWanted(
  detail: Detail | 'fold',
  { quietTiles, quiet, prominent }: LayoutRequest,
): boolean {
  if (quiet === 0) return true
  if (detail !== 'fold') return quietTiles !== 'fold'
  // Where all is well there is nothing else to show: rather pages than a number alone.
  return quietTiles === 'fold' || (quietTiles === 'auto' && prominent > 0)
}

function largestThatFits(
  request: LayoutRequest,
  prominent: Detail,
  quiet: Detail | 'fold',
  least: number,
): number | undefined {
  const fits = (text: number): boolean =>
    heightNeeded(request, prominent, quiet, text) <= request.height
  const low = Math.ceil(least)
  return fits(low) ? largestText(request, low, fits) : undefined
}

/** The largest text from `least` on that fits, whole px; `least` where no larger one does. */
function largestText(
  { width, height }: LayoutRequest,
  least: number,
  fits: (text: number) => boolean,
): number {
  let low = least
  let high = Math.max(low, Math.floor(Math.min(width, height) * largestShare))
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** Infinity where a tile would be wider than the screen. */
function heightNeeded(
  { width, prominent, quiet }: LayoutRequest,
  prominentDetail: Detail,
  quietDetail: Detail | 'fold',
  text: number,
): number {
  const above = gridHeight(width, prominent, prominentDetail, text)
  const below =
    quietDetail === 'fold'
      ? quiet === 0
        ? 0
        : foldHeight * text
      : gridHeight(width, quiet, quietDetail, text)
  return above + below + (above > 0 && below > 0 ? gapOf(text) : 0)
}

/** Everything on one page: what height is left over goes to the tiles, the prominent ones first. */
function arranged(
  request: LayoutRequest,
  prominentDetail: Detail,
  quietDetail: Detail | 'fold',
  text: number,
): WallLayout {
  const { width, height, prominent, quiet } = request
  const spare = height - heightNeeded(request, prominentDetail, quietDetail, text)
  const ofProminent =
    prominent === 0 ? undefined : evenGrid(width, prominent, prominentDetail, text)
  const isFolded = quietDetail === 'fold' && quiet > 0
  const ofQuiet =
    quietDetail === 'fold' || quiet === 0 ? undefined : evenGrid(width, quiet, quietDetail, text)
  return {
    text,
    gap: gapOf(text),
    prominent: ofProminent && stretched(ofProminent, spare),
    quiet: ofQuiet && (ofProminent === undefined ? stretched(ofQuiet, spare) : ofQuiet),
    isFolded,
    pages: 1,
  }
}

/**
 * One line a tile, on as few pages as the least readable text allows, and on each about as many tiles
 * at the largest text that has room for them; where there is something prominent, all that is quiet
 * is folded.
 */
function paged(request: LayoutRequest, smallest: number): WallLayout {
  const { width, height, prominent, quiet, quietTiles } = request
  const isFolded = quiet > 0 && prominent > 0 && quietTiles !== 'show'
  const count = isFolded || quiet === 0 ? prominent : prominent + quiet
  const roomAt = (text: number): number =>
    height - markHeight * text - (isFolded ? foldHeight * text + gapOf(text) : 0)
  // A screen narrower than one line needs: the text gives way, never the edge.
  const least = Math.max(1, Math.min(smallest, widestText(width, 'line')))
  const most = columnsAt(width, 'line', least) * Math.max(1, rowsAt(roomAt(least), 'line', least))
  const pages = Math.max(1, Math.ceil(count / Math.max(1, most)))
  const onEach = Math.ceil(count / pages)
  const text = largestText(
    request,
    least,
    (larger) => columnsAt(width, 'line', larger) * rowsAt(roomAt(larger), 'line', larger) >= onEach,
  )
  const gap = gapOf(text)
  const only = evenGrid(width, onEach, 'line', text)
  const spare = roomAt(text) - only.rows * (only.tileHeight + gap) + gap
  const { tileHeight, ...rest } = stretched(only, spare)
  return {
    text,
    gap,
    prominent: { ...rest, tileHeight: Math.min(tileHeight, Math.max(1, Math.floor(height))) },
    quiet: undefined,
    isFolded,
    pages,
  }
}

/** How much of a tile is shown: all lines, the two that matter, or one. */
export type Detail = 'full' | 'short' | 'line'

/** Tiles of one size in rows and columns, px. */
export interface Grid {
  readonly detail: Detail
  readonly columns: number
  readonly rows: number
  readonly tileWidth: number
  readonly tileHeight: number
}

/** What a tile needs, in sizes of its text: the least width, and the height. */
const needs: Record<Detail, { readonly width: number; readonly height: number }> = {
  full: { width: 15, height: 8 },
  short: { width: 12, height: 3.6 },
  // Half of it is the title: what cannot be told apart need not be shown.
  line: { width: 14, height: 1.9 },
}

/** The largest text at which a single tile still has room in this width, px; under 1 where none is. */
function widestText(width: number, detail: Detail): number {
  return Math.floor(width / needs[detail].width)
}

/** What stands between tiles whose text has this size, px. */
function gapOf(text: number): number {
  return Math.round(text * gapShare)
}

const gapShare = 0.35

/** How many tiles stand side by side at this size of text; 0 where not even one does. */
function columnsAt(width: number, detail: Detail, text: number): number {
  const gap = gapOf(text)
  return Math.floor((width + gap) / (needs[detail].width * text + gap))
}

/** How many rows of tiles have room in a height; 0 where not even one does. */
function rowsAt(height: number, detail: Detail, text: number): number {
  const gap = gapOf(text)
  return Math.max(0, Math.floor((height + gap) / (heightOf(detail, text) + gap)))
}

/** The height that so many tiles need, px: Infinity where a tile would be wider than the screen. */
function gridHeight(width: number, count: number, detail: Detail, text: number): number {
  if (count === 0) return 0
  const columns = columnsAt(width, detail, text)
  if (columns === 0) return Infinity
  const rows = Math.ceil(count / columns)
  return rows * needs[detail].height * text + (rows - 1) * gapOf(text)
}

/** Rows are filled evenly: nine tiles where four fit in a row stand three by three. */
function evenGrid(width: number, count: number, detail: Detail, text: number): Grid {
  const gap = gapOf(text)
  const rows = Math.ceil(count / Math.max(1, columnsAt(width, detail, text)))
  const columns = Math.ceil(count / rows)
  return {
    detail,
    columns,
    rows,
    tileWidth: Math.floor((width - (columns - 1) * gap) / columns),
    tileHeight: heightOf(detail, text),
  }
}

function heightOf(detail: Detail, text: number): number {
  return Math.floor(needs[detail].height * text)
}

/** Whether tiles are so high that two of their lines may take two each. */
export function hasRoomToWrap({ detail, tileHeight }: Grid, text: number): boolean {
  return detail === 'full' && tileHeight >= wrappedHeight * text
}

const wrappedHeight = 9.65

/** At most so much higher than it needs: a lone tile that fills a screen says no more. */
const mostStretch = 2.4

/** The grid with so much more height, px, as far as tiles are the better for it. */
function stretched(of: Grid, spare: number): Grid {
  const higher = of.tileHeight + Math.max(0, Math.floor(spare / of.rows))
  return { ...of, tileHeight: Math.min(higher, Math.floor(of.tileHeight * mostStretch)) }
}
