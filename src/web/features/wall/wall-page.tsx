import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactElement, useEffect, useMemo } from 'react'
import { Link, useLocation, useParams } from 'react-router'
import { ProblemError } from '../../../protocol/problem.ts'
import type { Wall } from '../../../protocol/wall.ts'
import { useServices } from '../../data/core/services.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useKeyListener, useKeyRegistry } from '../../ui/keys.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { keepTextOrder } from '../../ui/text-order.ts'
import { chooseWall, type KnownWalls, type WallChoice } from './wall-choice.ts'
import { useKeptWall } from './kept-wall.ts'
import { useScheme } from './wall-device.ts'
import { linkParameters, wallPath } from './wall-link.ts'
import { wallsInTurn } from './wall-turns.ts'
import { keptWallSettings } from './wall-settings.ts'
import css from './wall.module.css'
import { configQuery } from '../../data/core/server-config.ts'
import { screenPathsCure } from '../../data/wall/screens.ts'
import { useFreshWalls } from '../../data/wall/walls.ts'
import { isInFront } from '../../data/core/response.ts'
import { ActivationScreen, ExpiredNotice, useExpiredSession } from './activation-screen.tsx'

/** Comes while the configuration is fetched. */
const screenModule = import('./wall-screen.tsx')
const WallScreen = lazyPart(
  async () => (await screenModule.catch(async () => import('./wall-screen.tsx'))).WallScreen,
)

/** How often a wall looks whether its configuration has changed, ms. */
const configAgainMs = 300_000
const retryMs = 5000

/** A wall, alone on its screen: no navigation, no scroll bars. */
export function WallPage(): ReactElement {
  const { name = '' } = useParams()
  const { search, hash } = useLocation()
  const { request, screen, isOnline } = useServices()
  useEffect(keepTextOrder, [])
  /** Whether it is a code that helps: a screen that has its credential already is in the way of none. */
  const isSignedOut = (error: Error | null): boolean =>
    error instanceof ProblemError &&
    error.status === 401 &&
    !(isInFront(error) && screen.get() !== undefined)
  const config = useQuery({
    ...configQuery(request),
    // A wall waits for its proxy for as long as it takes.
    retry: (_, error) => !isSignedOut(error),
    retryDelay: retryMs,
    // A code stays on the screen for as long as it is good.
    refetchInterval: ({ state }) => (isSignedOut(state.error) ? false : configAgainMs),
    refetchOnReconnect: ({ state }) => !isSignedOut(state.error),
    refetchIntervalInBackground: true,
    // What a device believes of its network is no reason to stop.
    networkMode: 'always',
  })
  const { walls: saved, wallSettings } = usePreferences()
  const address = `/wall/${name}${search}${hash}`
  const kept = useKeptWall(
    address,
    config.data === undefined && (config.failureReason !== null || !isOnline()),
  )
  const configured = config.data?.walls ?? kept?.walls
  const { choice, turning } = useMemo(() => {
    const known = {
      device: saved ?? [],
      configured: configured ?? [],
      settings: keptWallSettings(wallSettings),
    }
    const opened = chooseWall(name, linkParameters(search, hash), known)
    return { choice: opened, turning: turningWalls(name, opened, known) }
  }, [name, search, hash, saved, configured, wallSettings])
  useKeyListener(useKeyRegistry())
  useScheme(choice.settings.scheme)
  const isRefused = isSignedOut(config.error)
  const expiredOf = useExpiredSession(isRefused)
  const stays = expiredOf !== undefined && config.data !== undefined && choice.wall !== undefined
  if (isRefused && !stays) return <ActivationScreen />
  if (config.data === undefined && isBlocked(config.failureReason)) {
    return (
      <Message title="A sign-in page in front of Sightline blocks this screen.">
        {config.failureReason?.message} {screenPathsCure} Retrying.
      </Message>
    )
  }
  // What the configuration says of a wall is there from the first moment on, or not in time.
  if (config.data === undefined && config.failureReason === null && kept === undefined)
    return <main />
  if (choice.wall === undefined) {
    return config.data === undefined ? (
      <Message title="Waiting for Sightline.">
        The tiles of the wall “{name}” are in its configuration. The wall opens as soon as Sightline
        responds{config.failureReason === null ? '' : `: ${config.failureReason.message}`}
      </Message>
    ) : (
      <NoSuchWall name={name} walls={[...(saved ?? []), ...config.data.walls]} />
    )
  }
  const missing = config.data === undefined ? [] : turning.missing
  return (
    <>
      <WallScreen
        home={choice.wall}
        walls={turning.walls}
        missing={missing}
        choice={choice}
        isDemo={
          config.data === undefined
            ? kept?.isDemo === true
            : config.data.upstreams.buildData.kind === 'embedded'
        }
        address={address}
        kept={kept}
        hasExpired={stays}
      />
      {stays && <ExpiredNotice name={expiredOf} />}
    </>
  )
}

/** The walls that take turns, the one that was opened first, and the names that are of none. */
function turningWalls(
  name: string,
  opened: WallChoice,
  known: KnownWalls,
): { readonly walls: readonly Wall[]; readonly missing: readonly string[] } {
  const nothing = new URLSearchParams()
  const found = wallsInTurn(name, opened.settings.rotate).map((other) => ({
    other,
    wall: other === name ? opened.wall : chooseWall(other, nothing, known).wall,
  }))
  return {
    walls: found.flatMap(({ wall }) => wall ?? []),
    missing: found.flatMap(({ other, wall }) => (wall === undefined ? [other] : [])),
  }
}

function isBlocked(error: Error | null): boolean {
  return error instanceof ProblemError && isInFront(error)
}

function NoSuchWall({ name, walls }: { name: string; walls: readonly Wall[] }): ReactElement {
  // It may be made, or restored.
  useFreshWalls()
  return (
    <Message title={`Wall “${name}” not found.`}>
      It isn't configured, saved for everyone, or saved on this device. Open{' '}
      <Link to="/wall">the wall of all projects</Link>, <Link to="/walls">make one</Link>, or open
      one of these: {walls.length === 0 ? 'there are none yet.' : null}
      {walls.map((wall) => (
        <Fragment key={wall.name}>
          <Link to={wallPath(wall.name)}>{wall.title ?? wall.name}</Link>{' '}
        </Fragment>
      ))}
    </Message>
  )
}

function Message({ title, children }: { title: string; children: React.ReactNode }): ReactElement {
  return (
    <main className={css.message}>
      <h1>{title}</h1>
      <p>{children}</p>
    </main>
  )
}
