import { type CSSProperties, Fragment, memo, type ReactElement, type ReactNode } from 'react'
import { Link } from 'react-router'
import { tileLook, type TileLook } from '../../../facts/tile-order.ts'
import type { Outcome, TileState } from '../../../facts/tile-state.ts'
import type { TileClaim } from '../../../protocol/claim.ts'
import { useStore } from '../../data/core/store.ts'
import { type TileView, unreadOf } from '../../data/wall/tile-board.ts'
import type { WallTiles } from '../../data/wall/wall-tiles.ts'
import { claimText, sleepText } from '../../domain/wall/claim-text.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { timeOfDayText } from '../../ui/format.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { countText } from '../../../protocol/count.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import {
  belowTexts,
  fitted,
  leastTitle,
  type Line,
  piecesOf,
  qrPlace,
  type Settings,
  type Texts,
  textsOf,
  type TileRoom,
  titleWidth,
} from './tile-setting.ts'
import {
  branchesPath,
  branchText,
  inThePast,
  lastText,
  buildsLink,
  nameText,
  searchText,
  sinceText,
  storyPath,
  tileTones,
  wordText,
} from './tile-text.ts'
import css from './wall.module.css'
import { lineParts, type SetPiece } from './tile-fit.ts'

const QrCode = lazyPart(async () => (await import('./qr-code.tsx')).default, { isQuiet: true })

/** What a tile is shown with; all of it is the same from one flush to the next. */
interface WallTileProps extends TileRoom {
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
  /** What the wall shows may no longer be true: it is written in the past. */
  readonly isStale: boolean
  /** What to add to this browser's clock to get the proxy's, ms. */
  readonly skew: number
}

/** One tile: its status in color, shape and word, and as much of the rest as there is room for. */
export const WallTile = memo(function WallTile(props: WallTileProps): ReactElement | null {
  const { tiles, tileKey, mistake } = props
  const view = useStore(tiles.tile(tileKey))
  if (view === undefined) return null
  if (mistake === undefined) {
    const beside = besideTexts(props, view.state)
    return <SoundTile {...props} beside={beside} view={view} />
  }
  const beside = besideTexts(props)
  return (
    <Frame
      {...props}
      beside={beside}
      look="mistake"
      word="Invalid query"
      badge="Invalid query"
      qr={undefined}
      fitted={fitted({ ...props, beside }, [])}
    >
      {props.detail !== 'line' && <p className={css.mistake}>{mistake}</p>}
    </Frame>
  )
})

function SoundTile({ view, ...props }: WallTileProps & { view: TileView }): ReactElement {
  const { zone } = usePreferences()
  const { state, search } = view
  const { detail, isStale, tiles, query, claim, sleep, skew } = props
  const isPast = isStale || view.isKept
  const name = nameText(view)
  const past = (text: string): string => (isPast ? inThePast(text) : text)
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
      : state.status === 'empty'
        ? name
        : wordText(state, isTight ? 'little' : 'much')
  const since = tiles.watchingSince()
  const texts: Texts = {
    word: past(word),
    ...(detail === 'line' ? {} : { ...textsOf(state, zone, detail), people }),
    // Whoever is silent, the wall says so once for all tiles.
    watched: isStale
      ? undefined
      : searchText(search, since === undefined ? 'now' : timeOfDayText(since + skew, zone)),
  }
  const story = storyPath(state)
  const qr = props.hasQr && detail === 'rich' && !isPast ? state.breaking?.buildId : undefined
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
      look={tileLook({
        ...state,
        unread: unreadOf(view),
        people: sleep === undefined ? undefined : { sleep },
      })}
      word={[past(name), people].filter((part) => part !== '').join(', ')}
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
            isOver={view.isKept && !isStale}
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

/** Since when it is so, or how slow or late it is; where that `isOver` for all that is known, how long ago it was. */
function Since({
  state,
  skew,
  isOver,
  isShort,
}: {
  state: TileState
  skew: number
  isOver: boolean
  isShort: boolean
}): ReactElement | null {
  const { zone } = usePreferences()
  const text = useDerivedFromNow((now) =>
    isOver
      ? lastText(state, now + skew)
      : sinceText(state, now + skew, zone, isShort ? 'little' : 'much'),
  )
  return text === '' ? null : <span className={css.since}>{text}</span>
}

/** What is said beside the title, but of a line. */
function besideTexts(
  { detail, group, pinned }: WallTileProps,
  state?: TileState,
): readonly string[] {
  return [
    detail === 'rich' || detail === 'full' ? group : undefined,
    state && branchText(state),
    pinned ? 'pinned' : undefined,
  ].filter((text) => text !== undefined)
}

/** The box of a tile with its title, and what is around its text. */
function Frame({
  title,
  query,
  beside = [],
  detail,
  look,
  word,
  badge,
  state,
  story,
  fitted: all,
  qr,
  children,
}: Pick<TileRoom, 'title' | 'beside' | 'detail'> & {
  query: string
  look: TileLook | 'mistake'
  /** The name of its status, and what is written of it. */
  word: string
  badge: string | undefined
  state?: TileState
  story?: string | undefined
  fitted: Settings
  qr: 'beside' | 'below' | undefined
  children?: ReactNode
}): ReactElement {
  const buildId = state?.newest?.buildId
  // What stands beside it takes no room that it needs, but for a share of all.
  const least =
    detail === 'line' ? undefined : `min(${titleWidth(title).toFixed(2)}em, ${leastTitle * 100}%)`
  return (
    <article
      className={css.tile}
      data-status={state?.status ?? 'mistake'}
      data-look={look}
      data-detail={detail}
      data-qr={qr}
      data-build-id={buildId}
      aria-label={`${title}: ${word}${buildId === undefined ? '' : `, build ${buildId}`}`}
    >
      <p className={css.head}>
        <TileShape look={look} />
        <Link
          className={css.wallTileTitle}
          to={buildsLink(query)}
          title={all.get('title')?.isCut ? `${title}\n${query}` : query}
          aria-label={all.get('title')?.inPlace === undefined ? undefined : title}
          dir="auto"
          {...styleOf(all.get('title'), least)}
        >
          <Breakable text={all.get('title')?.inPlace ?? title} />
        </Link>
        {detail === 'line'
          ? badge !== undefined && (
              <span className={css.word} title={badge}>
                {story === undefined ? badge : <Link to={story}>{badge}</Link>}
              </span>
            )
          : beside.map((text) => (
              <span key={text} className={css.group} title={text}>
                {text}
              </span>
            ))}
      </p>
      {children}
    </article>
  )
}

/** A text that breaks where its names have a seam. */
function Breakable({ text }: { text: string }): ReactElement {
  return (
    <>
      {lineParts(text).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && !part.startsWith(' ') && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  )
}

/** The style of a piece, and whether its end is out of sight until it is pointed at or focused. */
function styleOf(
  setting: SetPiece | undefined,
  minWidth?: string,
): {
  readonly style?: CSSProperties
  readonly 'data-cut'?: true
} {
  if (setting === undefined) return {}
  return {
    style: { fontSize: `${setting.size}em`, WebkitLineClamp: setting.lines, minWidth },
    ...(setting.isCut && { 'data-cut': true }),
  }
}

/** The shape of a look: flaky, slower and silent differ in more than their color. */
function TileShape({ look }: { look: TileLook | 'mistake' }): ReactElement {
  if (look !== 'slower' && look !== 'silent') return <StatusShape tone={tileTones[look]} />
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      fill="none"
      stroke="var(--tone-ink)"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {look === 'slower' ? (
        <path d="M8 2.5a5.5 5.5 0 1 1-.01 0M8 5v3.2l2.2 1.6" />
      ) : (
        <path d="M2.5 8h.01M8 8h.01M13.5 8h.01" />
      )}
    </svg>
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
      <path fill="var(--bad)" d={bars(strip, 'failed')} />
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
