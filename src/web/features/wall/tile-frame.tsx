import { type CSSProperties, Fragment, type ReactElement, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { TileLook } from '../../../facts/tile-order.ts'
import type { Outcome, TileState } from '../../../facts/tile-state.ts'
import { countText } from '../../../protocol/count.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { lineParts, type SetPiece } from './tile-fit.ts'
import type { Settings, TileRoom } from './tile-setting.ts'
import { branchText, tileTones } from './tile-text.ts'
import css from './wall.module.css'

/** The box of a tile with its title, and what is around its text. */
export function Frame({
  title,
  query,
  pinned,
  group,
  detail,
  look,
  word,
  badge,
  state,
  story,
  fitted: all,
  qr,
  children,
}: Pick<TileRoom, 'title' | 'detail'> & {
  query: string
  pinned: boolean
  group: string | undefined
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
  const branch = state && branchText(state)
  const beside = [detail === 'rich' || detail === 'full' ? group : undefined, branch].filter(
    (part) => part !== undefined,
  )
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
          to={`/builds?${new URLSearchParams({ q: query }).toString()}`}
          title={all.get('title')?.isCut ? `${title}\n${query}` : query}
          dir="auto"
          {...styleOf(all.get('title'))}
        >
          <Breakable text={title} />
        </Link>
        {detail === 'line'
          ? badge !== undefined && (
              <span className={css.word} title={badge}>
                {story === undefined ? badge : <Link to={story}>{badge}</Link>}
              </span>
            )
          : [...beside, ...(pinned ? ['pinned'] : [])].map((text) => (
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
export function Breakable({ text }: { text: string }): ReactElement {
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
export function styleOf(setting: SetPiece | undefined): {
  readonly style?: CSSProperties
  readonly 'data-cut'?: true
} {
  if (setting === undefined) return {}
  return {
    style: { fontSize: `${setting.size}em`, WebkitLineClamp: setting.lines },
    ...(setting.isCut && { 'data-cut': true }),
  }
}

/** The shape of a look: flaky, slower and silent differ in more than their color. */
function TileShape({ look }: { look: TileLook | 'mistake' }): ReactElement {
  if (look !== 'slower' && look !== 'silent') return <StatusShape tone={tileTones[look]} />
  return (
    <svg className={css.mark} viewBox="0 0 16 16" aria-hidden="true">
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
export function OutcomeStrip({ strip }: { strip: readonly Outcome[] }): ReactElement {
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
