import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { peopleOf } from '../../../facts/tile-claim.ts'
import { isAsleep, type TileOrigin, wallSummary } from '../../../facts/tile-order.ts'
import type { TileClaim } from '../../../protocol/claim.ts'
import type { Wall } from '../../../protocol/wall.ts'
import { useTab } from '../../ui/base-path.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useKeys } from '../../ui/keys.tsx'
import { lazyPopup } from '../../ui/lazy-part.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { timeOfDayText, viewerZone } from '../../ui/format.ts'
import {
  driftAmplitude,
  driftAt,
  isDimmed,
  useIdle,
  useOfflineShell,
  useRelease,
  useSize,
  useWakeLock,
} from './wall-device.ts'
import { isStale, useTrust, WallBar, WallControls } from './wall-bar.tsx'
import { useTurns } from './tile-changes.ts'
import { namesInSettings, turnText, useWallInTurn } from './wall-turns.ts'
import { hiddenTexts } from './tile-text.ts'
import { useWallTiles } from './wall-tiles.ts'
import { WallBody } from './wall-body.tsx'
import type { WallChoice } from './wall-choice.ts'
import { smallestText } from './wall-layout.ts'
import type { WallPanel } from './wall-commands.ts'
import { type PlacedTile, wallSet } from './wall-set.ts'
import css from './wall.module.css'
import { useMay } from '../../domain/permission/may.ts'
import { type Claims, useClaims } from '../../data/wall/claims.ts'
import type { KeptWall } from '../../data/wall/kept-walls.ts'
import { useKeepWall } from './kept-wall.ts'
import { useFreshWalls } from '../../data/wall/walls.ts'
import { editPath } from './wall-link.ts'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'

const WallPanels = lazyPopup(async () => (await import('./wall-panels.tsx')).WallPanels)

/** A wall, or several that take turns, and all that keeps them true, for as long as they hang. */
export function WallScreen({
  home,
  walls,
  missing,
  choice,
  isDemo,
  address,
  kept,
  onUnread,
  hasExpired,
}: {
  /** The wall of the address; the name '' is the wall of all projects. */
  home: Wall
  /** Those that take turns, `home` first. */
  walls: readonly Wall[]
  /** Names among them that are of no wall. */
  missing: readonly string[]
  /** How all of them are shown. */
  choice: WallChoice
  isDemo: boolean
  /** By what this device keeps it, and what it has kept: null for nothing, undefined while that isn't read. */
  address: string
  kept: KeptWall | null | undefined
  /** Without what was kept, tiles would be said to have no builds. */
  onUnread: (isUnread: true) => void
  /** The session of who opened it has expired. */
  hasExpired: boolean
}): ReactElement {
  const { settings } = choice
  const { zone } = usePreferences()
  // Whoever opens a panel does so for the wall that is seen: it stays until the panel is closed.
  const [open, setOpen] = useState<{
    readonly panel: WallPanel
    readonly wall: string
    readonly tile?: string
  }>()
  const mayClaim = useMay('claim').isAllowed
  const [shown, setShown] = useState(0)
  const { proxyNow } = useServices().session
  const followed = useWallTiles(walls, shown, viewerZone(zone))
  const { tiles } = followed
  useEffect(() => {
    if (kept) tiles.restore(kept.tiles)
  }, [tiles, kept])
  const said = useClaims(kept?.claims)
  const { claims } = said
  const live = useMemo(
    () => ({
      ...followed,
      placed: followed.placed.map((tiles) => withPeople(tiles, claims, proxyNow())),
    }),
    [followed, claims, proxyNow],
  )
  const reds = live.placed.map((placed) => placed.some(isFailing))
  const inTurn = useWallInTurn(reds, settings.turn, home.name)
  const held = open && walls.findIndex(({ name }) => name === open.wall)
  const next = held === undefined || held === -1 ? inTurn : held
  if (next !== shown) setShown(next)
  const wall = walls[shown] ?? home
  const placed = live.placed[shown] ?? nothing
  const all = useMemo(() => eachOnce(live.placed.flat()), [live.placed])

  const trust = useTrust()
  const hasKept = placed.some(({ isKept }) => isKept)
  const isUnread = placed.some(({ unread }) => unread !== undefined)
  const isLive = trust.is === 'live'
  useEffect(() => {
    if (isUnread && isLive) onUnread(true)
  }, [isUnread, isLive, onUnread])
  const stale = isStale(trust, hasKept)
  // To the second: it trembles below that.
  const skew = useStore(useServices().feed, ({ clockDifference, lastHeardAt }) => {
    const isHeard = lastHeardAt !== undefined
    return Math.round((isHeard ? clockDifference : (kept?.skew ?? 0)) / 1000) * 1000
  })
  const isIdle = useIdle() && open === undefined
  const screen = useRef<HTMLDivElement>(null)
  // With its margins: these depend on it.
  const size = useSize(screen)
  const drift = useDrift(size?.width ?? window.innerWidth, settings.drift)
  // That of the clock that the wall shows.
  const hour = useDerivedFromNow((now) => Number(timeOfDayText(now + skew, zone).slice(0, 2)))
  const failing = all.filter(isFailing).length
  const isRed = failing > 0
  const title = titleOf(wall)
  const isReading = useStore(useServices().feed, ({ connection: { state } }) =>
    ['idle', 'connecting', 'catching-up'].includes(state),
  )
  // What is known of the first builds comes after them: until then they name no project.
  const hasBuilds = useStore(useServices().feed, ({ newest, oldest }) => newest >= oldest)
  const isRead =
    !isReading &&
    live.standings.isCaughtUp &&
    (said.isKnown || said.hasFailed) &&
    placed.every(({ isLoading }) => !isLoading) &&
    !(isUnread && kept === undefined) &&
    (placed.length > 0 || !hasBuilds)
  const isSettled = useSettled(isRead, placed.length) || (stale && hasKept)
  const isWaiting =
    isReading || (trust.is === 'silent' && trust.side !== 'none' && trust.side !== 'ended')
  const isKnown = isSettled && !(isWaiting && placed.length === 0)
  const origin: TileOrigin = wall.tiles.length === 0 ? 'arrived' : 'defined'
  const summary = isKnown ? summaryOf(placed, origin) : 'Loading builds…'
  const openPanel = (panel: WallPanel): void => {
    setOpen({ panel, wall: wall.name })
  }

  useTab(
    `${stale ? 'Not live' : isKnown && isRed ? `${failing} failing` : summary} · ${title}`,
    stale ? 'stale' : !isKnown || all.length === 0 ? 'quiet' : isRed ? 'failed' : 'good',
  )
  useTurns(all, trust.is === 'live' && live.standings.isCaughtUp, settings)
  useWakeLock()
  useRelease({
    isQuiet: !isRed && open === undefined && !hasExpired,
    // What is shown would be lost.
    isInUse: open !== undefined || hasExpired,
    isStale: stale,
  })
  useOfflineShell(isSettled)
  useKeepWall(
    { address, walls, isDemo, tiles, claims, skew },
    trust.is === 'live' && isSettled && isRead,
  )
  useFreshWalls()
  const { search, hash } = useLocation()
  const isLinked = wall === home && choice.source === 'link'
  const editAddress = editPath(wall.name, isLinked ? `${search}${hash}` : '')
  useWallKeys(openPanel, editAddress)

  return (
    <div
      ref={screen}
      className={css.wall}
      data-palette={settings.palette}
      data-scheme={settings.scheme}
      data-stale={stale || undefined}
      data-idle={isIdle || undefined}
      data-dim={isDimmed(hour, { from: settings.dimFrom, to: settings.dimTo }) || undefined}
      style={{ padding: `calc(${settings.margin}% + ${drift.amplitude + 8}px)` }}
    >
      <div className={css.frame} style={{ transform: `translate(${drift.x}px, ${drift.y}px)` }}>
        <WallBar
          title={[title, turnText(reds, shown, stale)]
            .filter((part) => part !== undefined)
            .join(' · ')}
          summary={summary}
          trust={trust}
          keptAt={hasKept ? kept?.asOf : undefined}
          skew={skew}
          hasClock={settings.clock}
          isDemo={isDemo}
          notices={[
            ...choice.ignored,
            ...missing.map((name) => `Wall “${name}” not found in the rotation.`),
            ...(trust.is === 'live' && isSettled ? claimTexts(said) : []),
            ...hiddenTexts(wall.tiles.length === 0 ? live.standings.leftOut : 0, live.unwatched),
          ]}
        />
        <WallBody
          live={live}
          set={wallSet(placed, wall)}
          origin={origin}
          settings={settings}
          isSettled={isSettled}
          isWaiting={isWaiting}
          isStale={stale}
          skew={skew}
          onPeople={
            mayClaim && !stale
              ? (tile) => {
                  setOpen({ panel: 'people', wall: wall.name, tile })
                }
              : undefined
          }
          smallest={smallestText(
            size?.width ?? window.innerWidth,
            size?.height ?? window.innerHeight,
          )}
        />
      </div>
      <WallControls isHidden={isIdle} editAddress={editAddress} onOpen={openPanel} />
      {open !== undefined && (
        <WallPanels
          key={wall.name}
          panel={open.panel}
          name={wall.name}
          wall={wall}
          home={home}
          choice={wall === home ? choice : withWholeTurn(choice, walls)}
          placed={placed}
          tile={open.tile}
          onClose={() => {
            setOpen(undefined)
          }}
        />
      )}
    </div>
  )
}

/** How long tiles wait for what is known of them, ms: before, each news would move them. */
const settleMs = 6000
/** And for what comes together with the last of it, be it another tile. */
const restMs = 400

/** Whether tiles have found their places: all news is there and no more tiles come, or they did not come in time. */
function useSettled(isKnown: boolean, count: number): boolean {
  const { clock } = useServices()
  const [since] = useState(() => clock.now())
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    if (isSettled) return
    const leftMs = Math.max(0, since + settleMs - clock.now())
    return clock.after(isKnown ? Math.min(restMs, leftMs) : leftMs, () => {
      setSettled(true)
    })
  }, [clock, since, isSettled, isKnown, count])
  return isSettled
}

const nothing: readonly PlacedTile[] = []

/** Now, and is not asleep. */
function isFailing(tile: PlacedTile): boolean {
  return tile.status === 'failing' && tile.unread === undefined && !isAsleep(tile)
}

/** The tiles with what people say of them. */
function withPeople(
  tiles: readonly PlacedTile[],
  claims: readonly TileClaim[],
  now: number,
): readonly PlacedTile[] {
  if (claims.length === 0) return tiles
  return tiles.map((tile) => {
    if (tile.status !== 'failing') return tile
    const said = claims.filter((claim) => claim.tile === tile.claimKey)
    const { status, since, isOpen = false } = tile
    return { ...tile, people: peopleOf(said, { status, since, isOpen }, now) }
  })
}

/** What isn't known of what people say of tiles. */
function claimTexts({ isKnown, hasFailed }: Claims): readonly string[] {
  if (!isKnown) return ["Claims and sleeps aren't loaded. A failing tile may be asleep."]
  return hasFailed ? ["Can't refresh claims and sleeps. They may have changed."] : []
}

/** Walls may have tiles in common. */
function eachOnce(tiles: readonly PlacedTile[]): readonly PlacedTile[] {
  return [...new Map(tiles.toReversed().map((tile) => [tile.key, tile])).values()].toReversed()
}

function titleOf({ name, title, tiles }: Wall): string {
  const unnamed = tiles.length === 0 ? 'All projects' : 'Unsaved wall'
  return title ?? (name === '' ? unnamed : name)
}

/** From the address of another wall, the one that was opened has to be named, too. */
function withWholeTurn(choice: WallChoice, walls: readonly Wall[]): WallChoice {
  const rotate = namesInSettings(walls.map(({ name }) => name))
  return { ...choice, settings: { ...choice.settings, rotate } }
}

/** A tile that is not understood is none without builds. */
function summaryOf(placed: readonly PlacedTile[], origin: TileOrigin): string {
  if (placed.length === 0) return 'No tiles yet'
  const sound = placed.filter(({ mistake }) => mistake === undefined)
  const known = sound.filter(({ isLoading }) => !isLoading)
  const loading = sound.length - known.length
  const wrong = placed.length - sound.length
  const mistakes = wrong === 1 ? '1 query has errors' : `${wrong} queries have errors`
  return [
    ...(known.length > 0 ? [wallSummary(known, origin)] : []),
    ...(loading > 0 ? [`${loading} loading`] : []),
    ...(wrong > 0 ? [mistakes] : []),
  ].join('; ')
}

function useDrift(
  width: number,
  isOn: boolean,
): { readonly x: number; readonly y: number; readonly amplitude: number } {
  const minute = useDerivedFromNow((now) => (isOn ? Math.floor(now / 60_000) : 0))
  if (!isOn) return { x: 0, y: 0, amplitude: 0 }
  const amplitude = driftAmplitude(width)
  return { ...driftAt(minute, amplitude), amplitude }
}

function useWallKeys(open: (panel: WallPanel) => void, editAddress: string): void {
  const navigate = useNavigate()
  const panel = (name: WallPanel) => () => {
    open(name)
  }
  useKeys('Wall', [
    { keys: ['e'], label: 'Edit wall', run: () => void navigate(editAddress) },
    { keys: ['s'], label: 'Wall settings', run: panel('settings') },
    { keys: ['l'], label: 'Share this wall', run: panel('share') },
    { keys: ['p'], label: 'Failing tiles: who is on it, sleep', run: panel('people') },
    { keys: ['c'], label: 'Screens', run: panel('screens') },
    { keys: ['?'], label: 'Keyboard shortcuts', run: panel('keys') },
    { keys: ['f'], label: 'Toggle full screen', run: toggleFullscreen },
    { keys: ['g f'], label: 'Go to the feed', run: () => void navigate('/') },
  ])
}

function toggleFullscreen(): void {
  // Where a browser forbids it, F11 or its kiosk mode serve.
  if (document.fullscreenElement === null) {
    void document.documentElement.requestFullscreen().catch(() => undefined)
  } else void document.exitFullscreen()
}
