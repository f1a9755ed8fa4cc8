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
export function widestText(width: number, detail: Detail): number {
  return Math.floor(width / needs[detail].width)
}

/** What stands between tiles whose text has this size, px. */
export function gapOf(text: number): number {
  return Math.round(text * gapShare)
}

const gapShare = 0.35

/** How many tiles stand side by side at this size of text; 0 where not even one does. */
export function columnsAt(width: number, detail: Detail, text: number): number {
  const gap = gapOf(text)
  return Math.floor((width + gap) / (needs[detail].width * text + gap))
}

/** How many rows of tiles have room in a height; 0 where not even one does. */
export function rowsAt(height: number, detail: Detail, text: number): number {
  const gap = gapOf(text)
  return Math.max(0, Math.floor((height + gap) / (heightOf(detail, text) + gap)))
}

/** The height that so many tiles need, px: Infinity where a tile would be wider than the screen. */
export function gridHeight(width: number, count: number, detail: Detail, text: number): number {
  if (count === 0) return 0
  const columns = columnsAt(width, detail, text)
  if (columns === 0) return Infinity
  const rows = Math.ceil(count / columns)
  return rows * needs[detail].height * text + (rows - 1) * gapOf(text)
}

/** Rows are filled evenly: nine tiles where four fit in a row stand three by three. */
export function evenGrid(width: number, count: number, detail: Detail, text: number): Grid {
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
export function stretched(of: Grid, spare: number): Grid {
  const higher = of.tileHeight + Math.max(0, Math.floor(spare / of.rows))
  return { ...of, tileHeight: Math.min(higher, Math.floor(of.tileHeight * mostStretch)) }
}
