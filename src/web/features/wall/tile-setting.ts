import type { TileState } from '../../../facts/tile-state.ts'
import { countText } from '../../../protocol/count.ts'
import { timeOfDayText, type Zone } from '../../ui/format.ts'
import { fitPieces, type Piece, type SetPiece, type Setting } from './tile-fit.ts'
import {
  branchesText,
  causeText,
  commitsText,
  durationsText,
  messageText,
  rowText,
  silentText,
  slowerText,
  whoText,
} from './tile-text.ts'
import { textWidth } from './wall-device.ts'
import type { Detail } from './wall-layout.ts'

/** The room of a tile, and what its title is. */
export interface TileRoom {
  readonly title: string
  /** What stands beside it, if it isn't a line; it leaves the title two fifths of the room (`leastTitle`). */
  readonly beside?: readonly string[]
  readonly detail: Detail
  /** px */
  readonly width: number
  readonly height: number
  /** The size of the wall's text, and of the smallest that is read, px. */
  readonly text: number
  readonly smallest: number
}

/** What can be read of a tile, but for its title. */
export interface Texts {
  readonly word: string
  readonly since?: string | undefined
  readonly people?: string | undefined
  readonly cause?: string | undefined
  readonly message?: string | undefined
  readonly who?: string | undefined
  readonly commits?: string | undefined
  readonly branches?: string | undefined
  readonly row?: string | undefined
  readonly storing?: string | undefined
  readonly durations?: string | undefined
  readonly late?: string | undefined
  readonly watched: string | undefined
}

/** All that a tile says of its state, as long as it may get. */
export function textsOf(
  state: TileState,
  zone: Zone,
  detail: Detail,
): Omit<Texts, 'word' | 'watched'> {
  const { status, storing, since = 0, between } = state
  const row = status === 'failing' && between === 0 ? undefined : rowText(state)
  const cause = causeText(state)
  return {
    // As wide as it gets while the tile stands.
    since: widestSince(state, timeOfDayText(since, zone), detail === 'short'),
    cause: cause ?? row,
    message: messageText(state),
    who: whoText(state),
    commits: commitsText(state),
    branches: branchesText(state),
    row: cause === undefined ? undefined : row,
    storing: storing > 0 ? `${countText(storing)} newer with unknown outcome` : undefined,
    durations: durationsText(state),
    late: status === 'silent' ? undefined : silentText(state, state.silent?.dueAt ?? 0),
  }
}

/** What is said at the bottom, and shorter where there is less room. */
export function belowTexts({ row, storing, watched, durations, late }: Texts): readonly string[] {
  const has = late === undefined ? undefined : 'late'
  return [
    [row, has, storing, watched ? undefined : durations],
    [row, has, storing],
    [has, storing],
  ].map((parts) => {
    // A line ends between parts, or behind the comma of one that is longer than a line.
    const said = parts.flatMap((part) => part?.replaceAll(/(?<!,) /g, '\u00a0') ?? []).join('; ')
    return said === '' || watched === undefined ? `${said}${watched ?? ''}` : `${said}. ${watched}`
  })
}

/** A line of text below the title. */
export type Line = 'people' | 'cause' | 'message' | 'who' | 'commits' | 'branches' | 'below'

/** All sizes with each number of lines: one line before two, large before small. */
function settings(sizes: readonly number[], ...lines: readonly number[]): Setting[] {
  return lines.flatMap((count) => sizes.map((size) => ({ size, lines: count })))
}

/** What is read of a tile below its title, what matters most first. */
export function piecesOf(
  { strip, breaking }: TileState,
  texts: Texts,
  detail: Detail,
): Piece<Line | 'state' | 'strip'>[] {
  const { word, since, people, cause, message, who, commits, branches } = texts
  const [below = '', ...shorter] = belowTexts(texts)
  const isRich = detail === 'rich'
  /** Where there is much room, text is a step larger. */
  const large = (sizes: readonly number[]): readonly number[] =>
    isRich ? [...sizes.map((size) => size * 1.2), ...sizes] : sizes
  const state: Piece<'state'> = {
    key: 'state',
    // A line ends between the two only.
    text: [word, since]
      .flatMap((part) => part?.replaceAll(' ', '\u00a0') ?? [])
      .join(' ')
      .trim(),
    isBold: true,
    isUnbroken: true,
    settings:
      detail === 'short'
        ? settings([1, 0.9, 0.8], 1)
        : isRich
          ? [...settings([1.2, 1, 0.9], 1), ...settings([1.1, 0.9, 0.8, 0.68], 2)]
          : [...settings([0.9, 0.8], 1), ...settings([0.8, 0.68], 2)],
  }
  const line = (key: Line, text: string | undefined, ...all: Setting[]): Piece<Line> => ({
    key,
    text: text ?? '',
    settings: all,
  })
  const said = line('people', people, ...settings(large([0.9, 0.8]), 1, 2), small)
  if (detail === 'short') return [state, said]
  return [
    state,
    said,
    {
      ...line(
        'cause',
        cause,
        ...settings(isRich ? [1.2, 1.08, 1, 0.9] : [1, 0.9, 0.78], 1),
        ...settings(large([0.9, 0.8]), 2, 3),
        small,
      ),
      isBold: breaking !== undefined,
    },
    line(
      'message',
      message,
      ...settings(large([0.9]), 1, 2, 3),
      ...settings([0.8], 3, 4),
      ...settings([0.68], 1, 2, 3, 4, 5, 6),
    ),
    line('who', who, ...settings(large([0.9, 0.8]), 1, 2), small),
    line('branches', branches, ...settings(large([0.8]), 1), small),
    { key: 'strip', text: strip.length === 0 ? '' : '|', settings: [{ size: 0.72, lines: 1 }] },
    {
      // Why it is not up to date is said even where that is cut, and has more lines.
      ...(texts.watched === undefined
        ? {
            ...line('below', below, ...settings([0.8], 1, 2, 3), ...settings([0.68], 1, 2)),
            orElse: shorter,
          }
        : line('below', below, ...settings([0.8, 0.68], 1, 2, 3, 4, 5, 6))),
    },
    ...(isRich
      ? [
          {
            ...line('commits', commits, ...settings([0.8], 1, 2, 3), small),
            orElse: commits?.split(':', 1) ?? [],
          },
        ]
      : []),
  ]
}

/** What is still read where there is no room for more. */
const small: Setting = { size: 0.68, lines: 1 }

const titleSettings: Record<Detail, readonly Setting[]> = {
  rich: [...settings([1.5, 1.3, 1.1], 1), ...settings([1.15, 1, 0.88], 2, 3)],
  full: [
    ...settings([1.1, 0.95, 0.85], 1),
    ...settings([1, 0.88], 2),
    ...settings([0.8, 0.68], 2, 3),
  ],
  short: [...settings([1, 0.85, 0.75], 1), ...settings([0.68], 2)],
  line: [...settings([1, 0.85], 1), ...settings([0.75], 1, 2)],
}

/** The mark before a title, the edges of a tile, and what stands beside a title, in sizes of the wall's text. */
const markWidth = 1.4
const edges = 1.6
/** The QR code with the gap before it. */
const qrSize = 6
/** Above and below the text. */
const paddings: Record<Detail, number> = { rich: 0.8, full: 0.8, short: 0.5, line: 0 }

/** A narrow tile has its code below its text. */
export function qrPlace({ width, text }: Pick<TileRoom, 'width' | 'text'>): 'beside' | 'below' {
  return width >= 18 * text ? 'beside' : 'below'
}
const besideSize = 0.75
const besideGap = 0.4
/** However small a screen is, no text is smaller, px (wall.module.css). */
const leastText = 12

/** How what is shown of a tile is set. */
export type Settings = ReadonlyMap<'title' | Line | 'state' | 'strip', SetPiece>

/** Of the room of a title and what stands beside it the share that a long title has at least. */
export const leastTitle = 0.4

/** How wide a title is on one line, in sizes of its own text. */
export function titleWidth(title: string): number {
  // Browsers measure text to a fraction of a pixel.
  return textWidth(title, true) * 1.03
}

/** How the title and the lines below it are set in the room that the tile has. */
export function fitted(
  props: TileRoom,
  pieces: readonly Piece<Line | 'state' | 'strip'>[],
  word = 'Invalid query',
  qr?: 'beside' | 'below',
): Settings {
  const { detail, width, height, text, smallest, title, beside = [] } = props
  const isLine = detail === 'line'
  const size = Math.max(besideSize, leastText / text)
  const room = width - (edges + (qr === 'beside' ? qrSize : 0)) * text
  const besideWidth = isLine
    ? word === ''
      ? 0
      : size * textWidth(word, true) + besideGap
    : beside.reduce((all, one) => all + size * textWidth(one, false) + besideGap, 0)
  return fitPieces<'title' | Line | 'state' | 'strip'>(
    [
      {
        key: 'title',
        text: title,
        isBold: true,
        hasEnd: true,
        beside: isLine
          ? markWidth + besideWidth
          : Math.min(
              markWidth + besideWidth,
              Math.max(markWidth, ((1 - leastTitle) * room) / text),
            ),
        settings: titleSettings[detail],
      },
      ...pieces,
    ],
    {
      width: room,
      height: height - (paddings[detail] + (qr === 'below' ? qrSize : 0)) * text - 2,
      text,
      // Of what is smaller than the wall's text there is but little to read.
      least: Math.max(leastText, smallest * 0.75),
      lineHeight: isLine ? 1.1 : 1.25,
    },
    textWidth,
  )
}

/** A text as wide as what `Since` writes for as long as the tile stands; `time` is the time of day since when. */
function widestSince(state: TileState, time: string, isShort: boolean): string {
  if (state.status === 'slower') return slowerText(state, isShort ? 'little' : 'much') ?? ''
  if (state.status === 'silent') return isShort ? '59 min late' : '59 min late, usually hourly'
  if (isShort) return state.since === undefined ? '' : 'over 59 min'
  if (state.since === undefined) return ''
  if (state.news !== undefined) return `at ${time}, 59 min ago`
  return state.isOpen ? 'for over 59 min' : `since ${time}, 59 min`
}
