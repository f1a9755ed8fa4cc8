import { Button } from '@mantine/core'
import { type ReactElement, useMemo, useRef } from 'react'
import { Link } from 'react-router'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import type { LiveTiles } from './wall-tiles.ts'
import { allHealthyText, type TileOrigin } from '../../../facts/tile-order.ts'
import { countText } from '../../../protocol/count.ts'
import { foldedTexts } from './tile-text.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import type { WallSettings } from './wall-link.ts'
import { useSize } from './wall-device.ts'
import { type Grid, layOutWall, placesOf } from './wall-layout.ts'
import { type PlacedTile, tilesOfPage, turningPages, type WallSet } from './wall-set.ts'
import { ofProjects, WallLoading } from './wall-loading.tsx'
import { WallTile } from './wall-tile.tsx'
import css from './wall.module.css'

interface BodyProps {
  readonly live: Pick<LiveTiles, 'tiles' | 'standings'>
  readonly set: WallSet
  readonly origin: TileOrigin
  readonly settings: WallSettings
  /** The tiles have found their places: what is known of them has come, or did not come in time. */
  readonly isSettled: boolean
  /** Builds may come as soon as somebody responds. */
  readonly isWaiting: boolean
  readonly isStale: boolean
  readonly skew: number
  /** The smallest text that is read on this screen, px. */
  readonly smallest: number
  /** Shows who is on a failing tile; left out where nobody here may say so. */
  readonly onPeople?: ((key: string) => void) | undefined
}

/** The tiles, in as much room as there is. */
export function WallBody(props: BodyProps): ReactElement {
  const { set, origin, isSettled, isWaiting, isStale } = props
  const area = useRef<HTMLDivElement>(null)
  const size = useSize(area)
  const { prominent, quiet } = set
  const all = [...prominent, ...quiet]
  const isAllWell =
    all.length > 0 && all.every(({ status, isKept }) => status === 'healthy' && isKept !== true)
  return (
    <main className={css.body}>
      {isAllWell && isSettled && !isStale && <AllWell count={all.length} origin={origin} />}
      <div ref={area} className={css.area}>
        {all.length === 0 ? (
          <NothingYet isLoading={!isSettled || isWaiting} isStale={isStale} />
        ) : !isSettled ? (
          <div className="frame-wall">
            <WallLoading isOfProjects={false} />
          </div>
        ) : size === undefined ? null : (
          <Tiles {...props} size={size} />
        )}
      </div>
    </main>
  )
}

function Tiles({
  size,
  ...props
}: BodyProps & { size: { readonly width: number; readonly height: number } }): ReactElement {
  const { set, settings, smallest } = props
  const { width, height } = size
  const [prominent, quiet] = [set.prominent.length, set.quiet.length]
  const quietTiles = settings.healthy
  const layout = useMemo(
    () => layOutWall({ width, height, prominent, quiet, quietTiles, smallest }),
    [width, height, prominent, quiet, quietTiles, smallest],
  )
  const { pages, isFolded, text, gap } = layout
  const rest = layout.prominent !== undefined && layout.quiet === undefined && !isFolded
  const first = rest ? [...set.prominent, ...set.quiet] : set.prominent
  const turning = turningPages(first, pages)
  const turn = useDerivedFromNow((now) => Math.floor(now / (settings.page * 1000)))
  const page = turning[turn % turning.length] ?? 0
  const below = layout.prominent === undefined ? 0 : gridHeight(layout.prominent, gap) + gap
  return (
    <div className={css.tiles} style={{ ...size, fontSize: text }} data-text={text}>
      {layout.prominent !== undefined && (
        <TileGrid
          {...props}
          tiles={tilesOfPage(first, page, pages)}
          grid={layout.prominent}
          top={0}
          width={width}
          gap={gap}
          text={text}
          label="Tiles in front"
        />
      )}
      {layout.quiet !== undefined && (
        <TileGrid
          {...props}
          tiles={set.quiet}
          grid={layout.quiet}
          top={below}
          width={width}
          gap={gap}
          text={text}
          label="Other tiles"
        />
      )}
      {isFolded && layout.prominent !== undefined && (
        <Folded tiles={set.quiet} top={below} isStale={props.isStale} />
      )}
      {pages > 1 && <Pages page={page} pages={pages} isHeld={turning.length === 1} />}
    </div>
  )
}

function gridHeight({ rows, tileHeight }: Grid, gap: number): number {
  return Math.max(0, rows * (tileHeight + gap) - gap)
}

/** Tiles in rows, from so many px below the top on. */
function TileGrid({
  live,
  isStale,
  skew,
  smallest,
  settings,
  onPeople,
  tiles,
  grid,
  top,
  width,
  gap,
  text,
  label,
}: BodyProps & {
  tiles: readonly PlacedTile[]
  grid: Grid
  top: number
  width: number
  gap: number
  text: number
  label: string
}): ReactElement {
  const places = useMemo(
    () => placesOf(grid, tiles.length, { width, gap }),
    [grid, tiles.length, width, gap],
  )
  const rows = Math.ceil(tiles.length / grid.columns)
  return (
    <ul
      className={css.grid}
      aria-label={label}
      style={{
        width,
        height: gridHeight({ ...grid, rows }, gap),
        transform: `translateY(${top}px)`,
      }}
    >
      {tiles.map((tile, index) => {
        const place = places[index] ?? { x: 0, y: 0, width: grid.tileWidth }
        return (
          <li
            key={tile.key}
            className={css.cell}
            data-stale={tile.isKept === true ? true : undefined}
            style={{
              width: place.width,
              height: grid.tileHeight,
              transform: `translate(${place.x}px, ${place.y}px)`,
            }}
          >
            <WallTile
              tiles={live.tiles}
              tileKey={tile.key}
              title={tile.title}
              query={tile.query}
              branch={tile.branch}
              pinned={tile.pinned}
              mistake={tile.mistake}
              claim={tile.people?.claim}
              sleep={tile.people?.sleep}
              group={tile.group}
              detail={grid.detail}
              width={place.width}
              height={grid.tileHeight}
              text={text}
              smallest={smallest}
              hasQr={settings.qr}
              isStale={isStale}
              skew={skew}
            />
            {onPeople !== undefined && tile.status === 'failing' && tile.claimKey !== undefined && (
              <Button
                className={css.people}
                variant="default"
                aria-label={`Claim ${tile.title}…`}
                onClick={() => {
                  onPeople(tile.key)
                }}
              >
                Claim…
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** What has no room of its own: how many, in words. */
function Folded({
  tiles,
  top,
  isStale,
}: {
  tiles: readonly PlacedTile[]
  top: number
  isStale: boolean
}): ReactElement {
  const healthy = tiles.filter(({ status }) => status === 'healthy').length
  const isPast = isStale || tiles.some(({ isKept }) => isKept)
  const [known, others] = foldedTexts(healthy, tiles.length - healthy, isPast)
  return (
    <p className={css.folded} style={{ transform: `translateY(${top}px)` }}>
      <StatusShape tone={isPast || healthy === 0 ? 'none' : 'good'} />
      {known}
      {others !== undefined && <span className={css.dim}>{others}</span>}
    </p>
  )
}

function Pages({
  page,
  pages,
  isHeld,
}: {
  page: number
  pages: number
  isHeld: boolean
}): ReactElement {
  return (
    <p className={css.pages}>
      {`Page ${page + 1} of ${pages}${isHeld ? ', held' : ''}`}
      {isHeld && <span className={css.why}>: something on it is failing</span>}
    </p>
  )
}

function AllWell({ count, origin }: { count: number; origin: TileOrigin }): ReactElement {
  return (
    <p className={css.allWell} data-origin={origin}>
      <StatusShape tone="good" />
      {count === 1 && origin === 'defined' ? 'Healthy' : allHealthyText(count, origin)}
    </p>
  )
}

function NothingYet({
  isLoading,
  isStale,
}: {
  isLoading: boolean
  isStale: boolean
}): ReactElement {
  const { feed } = useServices()
  const count = useDerivedFromNow(() => {
    const { newest, oldest } = feed.getSnapshot()
    return Math.max(0, newest - oldest + 1)
  })
  const isOff = useStore(feed, ({ upstream }) => upstream?.upstream === 'none')
  const builds = count === 1 ? '1 build has' : `${countText(count)} builds have`
  return (
    <div className="frame-wall">
      {isOff ? (
        <p>
          <Link to="/status#connect">Connect a build server</Link>
        </p>
      ) : isLoading ? (
        isStale ? (
          <h2>Nothing to show yet.</h2>
        ) : (
          <WallLoading isOfProjects />
        )
      ) : (
        <>
          <h2>{count === 0 ? 'No builds in the last hour.' : 'No projects yet.'}</h2>
          <p>
            {count === 0
              ? ofProjects
              : `${builds} arrived, and none names its project. Press e to define your own tiles.`}
          </p>
        </>
      )}
    </div>
  )
}
