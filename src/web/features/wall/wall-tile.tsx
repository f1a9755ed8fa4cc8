import { memo, type ReactElement, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { Outcome, TileState } from '../../../facts/tile-state.ts'
import { countText } from '../../../protocol/count.ts'
import { useStore } from '../../data/core/store.ts'
import type { WallTiles } from '../../data/wall/wall-tiles.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { agoText, timeOfDayText } from '../../ui/format.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import {
  branchesText,
  branchText,
  causeText,
  durationsText,
  rowText,
  searchText,
  tileNames,
  tileTones,
} from './tile-text.ts'
import type { Detail } from './wall-layout.ts'
import css from './wall.module.css'
import type { TileView } from '../../data/wall/tile-board.ts'

/** What a tile is shown with; all of it is the same from one flush to the next. */
export interface WallTileProps {
  readonly tiles: WallTiles
  readonly tileKey: string
  readonly title: string
  readonly query: string
  readonly pinned: boolean
  readonly mistake: string | undefined
  readonly group: string | undefined
  readonly detail: Detail
  /** Its longer lines have room for a second one. */
  readonly isRoomy: boolean
  /** What is shown may no longer be true: it is written in the past. */
  readonly isStale: boolean
  /** What to add to this browser's clock to get the proxy's, ms. */
  readonly skew: number
}

/** One tile: its status in colour, shape and word, and as much of the rest as there is room for. */
export const WallTile = memo(function WallTile(props: WallTileProps): ReactElement | null {
  const { tiles, tileKey, mistake } = props
  const view = useStore(tiles.tile(tileKey))
  if (view === undefined) return null
  return mistake === undefined ? (
    <SoundTile {...props} view={view} />
  ) : (
    <Frame {...props} status="mistake" word="Invalid query">
      {props.detail !== 'line' && <p className={css.mistake}>{mistake}</p>}
    </Frame>
  )
})

function SoundTile({ view, ...props }: WallTileProps & { view: TileView }): ReactElement {
  const { state } = view
  const { detail, isStale } = props
  const isLoading = state.status === 'empty' && view.search.is === 'loading'
  const name = isLoading ? 'Loading…' : tileNames[state.status]
  const word = isStale ? `Was ${name.toLowerCase()}` : name
  return (
    <Frame {...props} status={state.status} word={word} state={state}>
      {detail !== 'line' && (
        <p className={css.state}>
          <span className={css.word}>{word}</span>
          <Since state={state} skew={props.skew} isShort={detail === 'short'} />
        </p>
      )}
      {detail === 'full' && <Lines {...props} view={view} />}
    </Frame>
  )
}

function Lines({
  view,
  tiles,
  isRoomy,
  isStale,
}: Pick<WallTileProps, 'tiles' | 'isRoomy' | 'isStale'> & { view: TileView }): ReactElement {
  const { zone } = usePreferences()
  const { state, search } = view
  const since = tiles.watchingSince()
  // Whoever is silent, the wall says so once for all tiles.
  const watched = isStale
    ? undefined
    : searchText(search, since === undefined ? 'now' : timeOfDayText(since, zone))
  const storing = state.storing > 0 ? `${state.storing} still being stored` : undefined
  const row = rowText(state)
  const cause = causeText(state)
  const before = [cause === undefined ? undefined : row, branchesText(state), storing].filter(
    (part) => part !== undefined,
  )
  const room = isRoomy ? 'lines' : before.length > 0 ? 'rest' : 'line'
  const durations = before.length > 1 && !isRoomy ? undefined : durationsText(state, room)
  return (
    <>
      <p className={css.cause}>{cause ?? row}</p>
      {state.strip.length > 0 && <OutcomeStrip strip={state.strip} />}
      <p className={css.below}>
        {[...before, watched ?? durations].filter((part) => part !== undefined).join('\u00a0· ')}
      </p>
    </>
  )
}

const dayMs = 24 * 60 * 60 * 1000

/** Since when it is so: "since 09:12, 24 min", "since before 09:12", or only for how long. */
function Since({
  state: { since, isOpen },
  skew,
  isShort,
}: {
  state: TileState
  skew: number
  isShort: boolean
}): ReactElement | null {
  const { zone } = usePreferences()
  const text = useDerivedFromNow((now) => {
    if (since === undefined) return ''
    const ageMs = now + skew - since
    const age = agoText(ageMs).replace(' ago', '')
    const isNew = age === 'just now'
    if (isShort) return isOpen && !isNew ? `over ${age}` : age
    // The time of another day would be taken for one of today.
    if (ageMs >= dayMs) return isOpen ? `for over ${age}` : `for ${age}`
    const time = timeOfDayText(since - skew, zone)
    if (isOpen) return `since before ${time}`
    // Of what has just happened the time of day says how long ago it was.
    return isNew ? `since ${time}` : `since ${time}, ${age}`
  })
  return since === undefined ? null : <span className={css.since}>{text}</span>
}

function Frame({
  title,
  query,
  pinned,
  group,
  detail,
  isRoomy,
  status,
  word,
  state,
  children,
}: WallTileProps & {
  status: TileState['status'] | 'mistake'
  word: string
  state?: TileState
  children?: ReactNode
}): ReactElement {
  const buildId = state?.newest?.buildId
  const branch = state && branchText(state)
  return (
    <article
      className={css.tile}
      data-status={status}
      data-detail={detail}
      data-roomy={isRoomy || undefined}
      data-build-id={buildId}
      aria-label={`${title}: ${word}${buildId === undefined ? '' : `, build ${buildId}`}`}
    >
      <p className={css.head}>
        <StatusShape tone={status === 'mistake' ? 'waiting' : tileTones[status]} />
        <Link
          className={css.wallTileTitle}
          to={`/builds?${new URLSearchParams({ q: query }).toString()}`}
          title={query}
          dir="auto"
        >
          {title}
        </Link>
        {group !== undefined && detail === 'full' && <span className={css.group}>{group}</span>}
        {branch !== undefined && detail !== 'line' && <span className={css.group}>{branch}</span>}
        {pinned && detail !== 'line' && <span className={css.group}>pinned</span>}
        {detail === 'line' && <span className={css.word}>{word}</span>}
      </p>
      {children}
    </article>
  )
}

const places = 20

/**
 * The last outcomes, the newest on the right: failures are full bars, successes half as high, so that
 * shapes differ as well. Two paths, however many there are.
 */
function OutcomeStrip({ strip }: { strip: readonly Outcome[] }): ReactElement {
  const failed = strip.filter(({ outcome }) => outcome === 'failed').length
  const label = `Last ${countText(strip.length)}: ${countText(failed)} failed`
  return (
    <svg
      className={css.strip}
      viewBox={`0 0 ${places * 10 - 2} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={bars(strip, 'succeeded')} />
      <path className={css.stripBad} d={bars(strip, 'failed')} />
    </svg>
  )
}

function bars(strip: readonly Outcome[], wanted: Outcome['outcome']): string {
  const top = wanted === 'failed' ? 0 : 10
  return strip
    .map(({ outcome }, index) => {
      const x = (places - strip.length + index) * 10
      return outcome === wanted ? `M${x} ${top}h8V20h-8z` : ''
    })
    .join('')
}
