import { memo, type ReactElement, type ReactNode } from 'react'
import { Link } from 'react-router'
import { tileLook } from '../../../facts/tile-order.ts'
import type { TileState } from '../../../facts/tile-state.ts'
import type { TileClaim } from '../../../protocol/claim.ts'
import { useStore } from '../../data/core/store.ts'
import type { TileView } from '../../data/wall/tile-board.ts'
import type { WallTiles } from '../../data/wall/wall-tiles.ts'
import { claimText, sleepText } from '../../domain/wall/claim-text.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { timeOfDayText } from '../../ui/format.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { Breakable, Frame, OutcomeStrip, styleOf } from './tile-frame.tsx'
import {
  belowTexts,
  fitted,
  type Line,
  piecesOf,
  qrPlace,
  type Texts,
  textsOf,
  type TileRoom,
} from './tile-setting.ts'
import { branchesPath, searchText, sinceText, storyPath, tileNames, wordText } from './tile-text.ts'
import css from './wall.module.css'

const QrCode = lazyPart(async () => (await import('./qr-code.tsx')).default, { isQuiet: true })

/** What a tile is shown with; all of it is the same from one flush to the next. */
export interface WallTileProps extends TileRoom {
  readonly tiles: WallTiles
  readonly tileKey: string
  readonly query: string
  /** The one that was named for it. */
  readonly branch?: string | undefined
  readonly pinned: boolean
  readonly mistake: string | undefined
  readonly group: string | undefined
  /** Who is on it, and until when it sleeps. */
  readonly claim: TileClaim | undefined
  readonly sleep: TileClaim | undefined
  /** Whether there is a code of the failing build, for a phone. */
  readonly hasQr: boolean
  /** What is shown may no longer be true: it is written in the past. */
  readonly isStale: boolean
  /** What to add to this browser's clock to get the proxy's, ms. */
  readonly skew: number
}

/** One tile: its status in color, shape and word, and as much of the rest as there is room for. */
export const WallTile = memo(function WallTile(props: WallTileProps): ReactElement | null {
  const { tiles, tileKey, mistake } = props
  const view = useStore(tiles.tile(tileKey))
  if (view === undefined) return null
  return mistake === undefined ? (
    <SoundTile {...props} view={view} />
  ) : (
    <Frame
      {...props}
      look="mistake"
      word="Invalid query"
      badge="Invalid query"
      qr={undefined}
      fitted={fitted(props, [])}
    >
      {props.detail !== 'line' && <p className={css.mistake}>{mistake}</p>}
    </Frame>
  )
})

function SoundTile({ view, ...props }: WallTileProps & { view: TileView }): ReactElement {
  const { zone } = usePreferences()
  const { state, search } = view
  const { detail, isStale, tiles, query, claim, sleep, skew } = props
  const isLoading = state.status === 'empty' && search.is === 'loading'
  const name = isLoading ? 'Loading…' : tileNames[state.status]
  const isTight = detail === 'short' || detail === 'line'
  const claimed = useDerivedFromNow((now) =>
    claim === undefined ? '' : claimText(claim, now + skew, zone),
  )
  const people = [
    ...(claimed === '' ? [] : [claimed]),
    ...(sleep === undefined ? [] : [sleepText(sleep, zone)]),
  ].join('. ')
  // A line has no room for both.
  const short = sleep !== undefined ? 'Asleep' : claim && `${claim.by} is on it`
  const word =
    detail === 'line' && short !== undefined
      ? short
      : isLoading
        ? name
        : wordText(state, isTight ? 'little' : 'much')
  const since = tiles.watchingSince()
  const texts: Texts = {
    word: inThePast(word, isStale),
    ...(detail === 'line' ? {} : { ...textsOf(state, zone, detail), people }),
    // Whoever is silent, the wall says so once for all tiles.
    watched: isStale
      ? undefined
      : searchText(search, since === undefined ? 'now' : timeOfDayText(since + skew, zone)),
  }
  const story = storyPath(state)
  const qr = props.hasQr && detail === 'rich' && !isStale ? state.breaking?.buildId : undefined
  const place = qr === undefined ? undefined : qrPlace(props)
  const pieces = detail === 'line' ? [] : piecesOf(state, texts, detail)
  const withWord = fitted(props, pieces, texts.word, place)
  // Which tile it is matters more than how often it has failed: color and shape say how it stands.
  const hasWord = detail !== 'line' || withWord.get('title')?.isCut !== true
  const settings = hasWord ? withWord : fitted(props, pieces, '', place)
  const line = (key: Line, all: string | undefined, to?: string): ReactNode => {
    const setting = settings.get(key)
    if (setting === undefined || all === undefined) return null
    const text = setting.inPlace ?? all
    return (
      <p key={key} className={css.piece} data-piece={key} title={all} {...styleOf(setting)}>
        {to === undefined ? (
          <Breakable text={text} />
        ) : (
          <Link to={to}>
            <Breakable text={text} />
          </Link>
        )}
      </p>
    )
  }
  return (
    <Frame
      {...props}
      look={tileLook({ ...state, people: sleep === undefined ? undefined : { sleep } })}
      word={[inThePast(name, isStale), people].filter((part) => part !== '').join(', ')}
      badge={hasWord ? texts.word : undefined}
      state={state}
      story={detail === 'line' ? story : undefined}
      fitted={settings}
      qr={qr === undefined ? undefined : qrPlace(props)}
    >
      {settings.has('state') && (
        <p className={css.state} {...styleOf(settings.get('state'))} title={texts.word}>
          <span className={css.word}>
            {story !== undefined && !settings.has('cause') ? (
              <Link to={story}>{texts.word}</Link>
            ) : (
              texts.word
            )}
          </span>{' '}
          <Since
            state={state}
            skew={props.skew}
            isShort={detail === 'short' || settings.get('state')?.isCut === true}
          />
        </p>
      )}
      {line('people', texts.people)}
      {line('cause', texts.cause, story)}
      {line('message', texts.message)}
      {line('who', texts.who)}
      {line('commits', texts.commits)}
      {settings.has('strip') && <OutcomeStrip strip={state.strip} />}
      {line('branches', texts.branches, branchesPath(query, state))}
      {line('below', belowTexts(texts)[0])}
      {qr !== undefined && <QrCode path={claimablePath(qr, query, props.branch)} />}
    </Frame>
  )
}

/** Of a longer query the code would have too many squares for a phone at some distance. */
const longestInCode = 100

/** The page of a build, on which the tile with this query is claimed, too. */
function claimablePath(buildId: string, query: string, branch: string | undefined): string {
  const tile = new URLSearchParams({ tile: query, ...(branch && { branch }) }).toString()
  return `/builds/${buildId}${tile.length > longestInCode ? '' : `?${tile}`}`
}

function inThePast(word: string, isStale: boolean): string {
  return isStale ? `Was ${word.charAt(0).toLowerCase()}${word.slice(1)}` : word
}

/** Since when it is so, or how slow or late it is. */
function Since({
  state,
  skew,
  isShort,
}: {
  state: TileState
  skew: number
  isShort: boolean
}): ReactElement | null {
  const { zone } = usePreferences()
  const text = useDerivedFromNow((now) =>
    sinceText(state, now + skew, zone, isShort ? 'little' : 'much'),
  )
  return text === '' ? null : <span className={css.since}>{text}</span>
}
