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

/**
 * What is tried, best first, and how much larger than the least readable size the text has to be
 * for it: people need to see what is well, too, but not at the cost of what is not.
 */
const attempts: readonly {
  readonly prominent: Detail
  readonly quiet: Detail | 'fold'
  readonly least: number
}[] = [
  { prominent: 'rich', quiet: 'full', least: 1.4 },
  { prominent: 'full', quiet: 'full', least: 1.4 },
  { prominent: 'rich', quiet: 'short', least: 1.4 },
  { prominent: 'full', quiet: 'short', least: 1.3 },
  { prominent: 'rich', quiet: 'line', least: 1.3 },
  { prominent: 'full', quiet: 'line', least: 1.2 },
  { prominent: 'full', quiet: 'line', least: 1 },
  { prominent: 'short', quiet: 'short', least: 1.2 },
  { prominent: 'short', quiet: 'line', least: 1 },
  { prominent: 'full', quiet: 'fold', least: 1 },
  { prominent: 'short', quiet: 'fold', least: 1 },
  { prominent: 'line', quiet: 'line', least: 1 },
  { prominent: 'line', quiet: 'fold', least: 1 },
]

/** Of the full-HD screen that sizes are measured by. */
const hdHeight = 1080

/**
 * The smallest text that is still read, px: one sixtieth of the shorter side of a screen, at
 * which capitals cover five minutes of arc when a screen of 55 inches is seen from five meters. Of what
 * a screen has beyond full HD less than half: it is larger, and sharper, and shows more.
 * Never under 12, which is for screens in the hand.
 */
export function smallestText(width: number, height: number): number {
  // Turned upright it is as far away.
  const side = Math.min(Math.max(width, height) * (9 / 16), width, height)
  const beyond = Math.max(0, side - hdHeight)
  return Math.max(12, Math.round((side - beyond) / 60 + beyond / 108))
}

/** No text is larger than this share of the screen's smaller side: five tiles are no poster. */
function largestOn({ width, height }: LayoutRequest): number {
  const side = Math.min(width, height)
  const beyond = Math.max(0, side - hdHeight)
  return Math.floor((side - beyond) / 14 + beyond / 22)
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
    const found = bestText(request, { prominent, quiet }, smallest * least)
    if (found !== undefined) return arranged(request, found.plan, found.text)
  }
  return paged(request, smallest)
}

/** What is shown of tiles, and whether their grids have rows of one length. */
interface Plan {
  readonly prominent: Detail
  readonly quiet: Detail | 'fold'
  readonly areEven?: { readonly prominent: boolean; readonly quiet: boolean }
}

/** Rows of one length are worth so much of the size of the text: ten tiles stand five by two. */
const evenWorth = 0.8

const evenness = [
  { prominent: true, quiet: true },
  { prominent: true, quiet: false },
  { prominent: false, quiet: true },
]

function bestText(
  request: LayoutRequest,
  details: Plan,
  least: number,
): { readonly plan: Plan; readonly text: number } | undefined {
  const largest = largestThatFits(request, details, least)
  if (largest === undefined) return undefined
  for (const areEven of evenness) {
    const plan = { ...details, areEven }
    const text = largestThatFits(request, plan, Math.max(least, largest * evenWorth))
    if (text !== undefined) return { plan, text }
  }
  return { plan: details, text: largest }
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

function largestThatFits(request: LayoutRequest, plan: Plan, least: number): number | undefined {
  const fits = (text: number): boolean => heightNeeded(request, plan, text) <= request.height
  const low = Math.ceil(least)
  return fits(low) ? largestText(request, low, fits) : undefined
}

/** The largest text from `least` on that fits, whole px; `least` where no larger one does. */
function largestText(
  request: LayoutRequest,
  least: number,
  fits: (text: number) => boolean,
): number {
  let low = least
  let high = Math.max(low, largestOn(request))
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** Infinity where a tile would be wider than the screen. */
function heightNeeded(request: LayoutRequest, plan: Plan, text: number): number {
  const above = shapeOf(request, plan, 'prominent', text)?.height ?? 0
  const below =
    plan.quiet === 'fold'
      ? request.quiet === 0
        ? 0
        : foldHeight * text
      : (shapeOf(request, plan, 'quiet', text)?.height ?? 0)
  return above + below + (above > 0 && below > 0 ? gapOf(text) : 0)
}

/** Everything on one page: what height is left over goes to the tiles, the prominent ones first. */
function arranged(request: LayoutRequest, plan: Plan, text: number): WallLayout {
  const { width, height, quiet } = request
  const spare = height - heightNeeded(request, plan, text)
  const prominentShape = shapeOf(request, plan, 'prominent', text)
  const quietShape = shapeOf(request, plan, 'quiet', text)
  const ofProminent = prominentShape && gridOf(prominentShape, width, text)
  const ofQuiet = quietShape && gridOf(quietShape, width, text)
  return {
    text,
    gap: gapOf(text),
    prominent: ofProminent && stretched(ofProminent, spare),
    quiet: ofQuiet && (ofProminent === undefined ? stretched(ofQuiet, spare) : ofQuiet),
    isFolded: plan.quiet === 'fold' && quiet > 0,
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
  const least = Math.max(1, Math.min(smallest, widestText(width)))
  const most = columnsAt(width, line.width, least) * Math.max(1, linesAt(roomAt(least), least))
  const pages = Math.max(1, Math.ceil(count / Math.max(1, most)))
  const onEach = Math.ceil(count / pages)
  const text = largestText(
    request,
    least,
    (larger) => columnsAt(width, line.width, larger) * linesAt(roomAt(larger), larger) >= onEach,
  )
  const gap = gapOf(text)
  const only = gridOf(bestShape({ width, count: onEach, detail: 'line', text }), width, text)
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

/** How much of a tile is shown: all there is to say, what matters of it, two lines, or one. */
export type Detail = 'rich' | 'full' | 'short' | 'line'

/** Tiles in rows, px. */
export interface Grid {
  readonly detail: Detail
  readonly columns: number
  readonly rows: number
  /** Of a row that has as many tiles as there are columns. */
  readonly tileWidth: number
  readonly tileHeight: number
}

/** Where a tile stands in its grid, px. */
export interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
}

/**
 * The places of so many tiles in a grid that is `width` px wide. No place is empty: where the last row would have fewer tiles,
 * the first rows have one less, and wider ones.
 */
export function placesOf(
  { columns, tileHeight }: Grid,
  count: number,
  { width, gap }: { readonly width: number; readonly gap: number },
): Place[] {
  const rows = Math.ceil(count / columns)
  const wider = rows * Math.ceil(count / rows) - count
  const most = Math.ceil(count / rows)
  const places: Place[] = []
  for (let row = 0; row < rows; row++) {
    const inRow = row < wider ? most - 1 : most
    // To the pixel: rows of different lengths end at one edge.
    const edge = (index: number): number => Math.round((index * (width + gap)) / inRow)
    for (let index = 0; index < inRow; index++) {
      const x = edge(index)
      places.push({ x, y: row * (tileHeight + gap), width: edge(index + 1) - gap - x })
    }
  }
  return places
}

/** What a tile needs, in sizes of its text: the least width, and the height. Where it is narrower, its lines wrap. */
const needs: Record<Detail, readonly { readonly width: number; readonly height: number }[]> = {
  rich: [
    { width: 18, height: 12 },
    { width: 13, height: 16 },
  ],
  full: [
    { width: 15, height: 8 },
    { width: 13, height: 9.2 },
    { width: 11, height: 11 },
  ],
  short: [{ width: 12, height: 3.6 }],
  // Half of it is the title: what cannot be told apart need not be shown.
  line: [{ width: 14, height: 1.9 }],
}

/** The least width, or height, of a line, in sizes of its text. */
const line = { width: 14, height: 1.9 } as const

/** The largest text at which a line still has room in this width, px; under 1 where none is. */
function widestText(width: number): number {
  return Math.floor(width / line.width)
}

/** What stands between tiles whose text has this size, px. */
function gapOf(text: number): number {
  return Math.round(text * gapShare)
}

const gapShare = 0.35

/** How many tiles of a width, in sizes of their text, stand side by side; 0 where not even one does. */
function columnsAt(width: number, tileWidth: number, text: number): number {
  const gap = gapOf(text)
  return Math.floor((width + gap) / (tileWidth * text + gap))
}

/** How many lines have room in a height, one below the other; 0 where not even one does. */
function linesAt(height: number, text: number): number {
  const gap = gapOf(text)
  return Math.max(0, Math.floor((height + gap) / (Math.floor(line.height * text) + gap)))
}

/** How tiles stand at one size of text. */
interface Shape {
  readonly detail: Detail
  readonly count: number
  readonly columns: number
  readonly rows: number
  readonly tileHeight: number
  /** Of all rows, px; Infinity where a tile would be wider than the screen. */
  readonly height: number
}

/** Undefined where there are no tiles of this kind, or where they are folded. */
function shapeOf(
  { width, prominent, quiet }: LayoutRequest,
  plan: Plan,
  kind: 'prominent' | 'quiet',
  text: number,
): Shape | undefined {
  const detail = plan[kind]
  const count = kind === 'prominent' ? prominent : quiet
  if (detail === 'fold' || count === 0) return undefined
  return bestShape({ width, count, detail, text, isEven: plan.areEven?.[kind] })
}

/** The lowest grid; with `isEven` of those whose rows have one length. */
function bestShape({
  width,
  count,
  detail,
  text,
  isEven = false,
}: {
  width: number
  count: number
  detail: Detail
  text: number
  isEven?: boolean | undefined
}): Shape {
  const shapes = needs[detail].map((need): Shape => {
    const most = columnsAt(width, need.width, text)
    const tileHeight = Math.floor(need.height * text)
    let rows = Math.ceil(count / Math.max(1, most))
    while (isEven && count % rows !== 0) rows += 1
    const needed = rows * need.height * text + (rows - 1) * gapOf(text)
    const height = most === 0 ? Infinity : needed
    return { detail, count, columns: Math.ceil(count / rows), rows, tileHeight, height }
  })
  return shapes.reduce((best, other) => (other.height < best.height ? other : best))
}

function gridOf({ detail, columns, rows, tileHeight }: Shape, width: number, text: number): Grid {
  const gap = gapOf(text)
  const tileWidth = Math.floor((width - (columns - 1) * gap) / columns)
  return { detail, columns, rows, tileWidth, tileHeight }
}

/** At most so much higher than it needs: a lone tile that fills a screen says no more. */
const mostStretch = 2.4

/** The grid with so much more height, px, as far as tiles are the better for it. */
function stretched(of: Grid, spare: number): Grid {
  const higher = of.tileHeight + Math.max(0, Math.floor(spare / of.rows))
  return { ...of, tileHeight: Math.min(higher, Math.floor(of.tileHeight * mostStretch)) }
}
