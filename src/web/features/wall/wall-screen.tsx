import { type ReactElement, useRef, useState, useSyncExternalStore } from 'react'
import { useNavigate } from 'react-router'
import { wallSummary } from '../../../build/wall-summary.ts'
import type { Wall } from '../../../protocol/wall.ts'
import { useFeed } from '../../data/use-feed.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useKeys } from '../../ui/key-registry.ts'
import { useDerivedFromNow } from '../../ui/ticker.ts'
import { viewerZone } from '../../ui/viewer-zone.ts'
import { driftAmplitude, driftAt, isDimmed } from './drift.ts'
import { isStale } from './trust-words.ts'
import { useIdle } from './use-idle.ts'
import { useTab } from './use-page-look.ts'
import { useSize } from './use-size.ts'
import { useTrust } from './use-trust.ts'
import { useTurns } from './use-turns.ts'
import { useOfflineShell, useRelease, useRotation } from './use-upkeep.ts'
import { useWakeLock } from './use-wake-lock.ts'
import { useWallTiles } from './use-wall-tiles.ts'
import { WallBar } from './wall-bar.tsx'
import { WallBody } from './wall-body.tsx'
import type { WallChoice } from './wall-choice.ts'
import { WallControls } from './wall-controls.tsx'
import { smallestText } from './wall-layout.ts'
import { nextWall } from './wall-rotation.ts'
import { type WallPanel, WallPanels } from './wall-panels.tsx'
import { type PlacedTile, wallSet } from './wall-set.ts'
import css from './wall.module.css'

/** A wall and all that keeps it true, for as long as it hangs. */
export function WallScreen({
  name,
  wall,
  choice,
}: {
  /** As the address has it; '' is the wall of all projects. */
  name: string
  wall: Wall
  choice: WallChoice
}): ReactElement {
  const { settings } = choice
  const { zone } = usePreferences()
  const live = useWallTiles(wall, viewerZone(zone))
  const trust = useTrust()
  const stale = isStale(trust)
  const skew = useSyncExternalStore(useFeed().subscribe, useSkew())
  const [panel, setPanel] = useState<WallPanel>()
  const isIdle = useIdle() && panel === undefined
  const frame = useRef<HTMLDivElement>(null)
  const size = useSize(frame)
  const drift = useDrift(size?.width ?? 0, settings.drift)
  const hour = useDerivedFromNow((now) => new Date(now).getHours())
  const set = wallSet(live.placed, wall)
  const failing = live.placed.filter(({ status }) => status === 'failing').length
  const isRed = failing > 0
  const title = wall.title ?? (name === '' ? 'All projects' : name)
  const summary = summaryOf(live.placed)

  useTab(
    `${stale ? 'Not live' : isRed ? `${failing} failing` : summary} · ${title}`,
    stale ? 'stale' : isRed ? 'failed' : live.placed.length === 0 ? 'quiet' : 'good',
  )
  useTurns(live.placed, trust.is === 'live' && live.standings.isCaughtUp, settings)
  useWakeLock()
  useRelease(!isRed && panel === undefined)
  useOfflineShell()
  const next = nextWall(name, settings)
  useRotation(next, settings.turn, !isRed && panel === undefined)
  useWallKeys(setPanel)

  return (
    <div
      className={css.wall}
      data-palette={settings.palette}
      data-scheme={settings.scheme}
      data-stale={stale || undefined}
      data-idle={isIdle || undefined}
      data-dim={isDimmed(hour, { from: settings.dimFrom, to: settings.dimTo }) || undefined}
      style={{ padding: `calc(${settings.margin}% + ${drift.amplitude + 8}px)` }}
    >
      <div
        ref={frame}
        className={css.frame}
        style={{ transform: `translate(${drift.x}px, ${drift.y}px)` }}
      >
        <WallBar
          title={title}
          summary={summary}
          trust={trust}
          hasClock={settings.clock}
          notices={noticesOf(choice, live.standings.leftOut)}
        />
        <WallBody
          live={live}
          set={set}
          settings={settings}
          isStale={stale}
          skew={skew}
          smallest={smallestText(size?.width ?? 0, size?.height ?? 0)}
        />
      </div>
      <WallControls isHidden={isIdle} onOpen={setPanel} />
      <WallPanels
        panel={panel}
        name={name}
        wall={wall}
        choice={choice}
        placed={live.placed}
        onClose={() => {
          setPanel(undefined)
        }}
      />
    </div>
  )
}

/** A tile that is not understood is none without builds. */
function summaryOf(placed: readonly PlacedTile[]): string {
  if (placed.length === 0) return 'Nothing yet'
  const sound = placed.filter(({ mistake }) => mistake === undefined)
  const wrong = placed.length - sound.length
  const mistakes = wrong === 1 ? '1 query not understood' : `${wrong} queries not understood`
  return [...(sound.length > 0 ? [wallSummary(sound)] : []), ...(wrong > 0 ? [mistakes] : [])].join(
    '; ',
  )
}

/** What to add to this browser's clock to get the proxy's, to the second: it trembles below that. */
function useSkew(): () => number {
  const feed = useFeed()
  return () => Math.round(feed.getSnapshot().clockDifference / 1000) * 1000
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

function useWallKeys(open: (panel: WallPanel) => void): void {
  const navigate = useNavigate()
  const panel = (name: WallPanel) => () => {
    open(name)
  }
  useKeys('Wall', [
    { keys: ['e'], label: 'Edit the tiles', run: panel('edit') },
    { keys: ['s'], label: 'How the wall is shown', run: panel('settings') },
    { keys: ['l'], label: 'Link and configuration of this wall', run: panel('share') },
    { keys: ['c'], label: 'Screens that show walls', run: panel('screens') },
    { keys: ['?'], label: 'List of keys', run: panel('keys') },
    { keys: ['f'], label: 'Full screen, and back', run: toggleFullscreen },
    { keys: ['g f'], label: 'Leave the wall for the feed', run: () => void navigate('/') },
  ])
}

function toggleFullscreen(): void {
  // Where a browser forbids it, F11 or its kiosk mode serve.
  if (document.fullscreenElement === null) {
    void document.documentElement.requestFullscreen().catch(() => undefined)
  } else void document.exitFullscreen()
}

function noticesOf({ ignored }: WallChoice, leftOut: number): readonly string[] {
  return leftOut === 0
    ? ignored
    : [...ignored, `${leftOut} more projects have no room here: name the tiles that you need.`]
}
