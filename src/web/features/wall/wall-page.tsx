import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, type ReactElement, useEffect, useMemo, useState } from 'react'
import { Link, useLocation, useParams } from 'react-router'
import { ProblemError } from '../../../protocol/problem.ts'
import type { Wall } from '../../../protocol/wall.ts'
import { useServices } from '../../data/core/services.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useKeyListener, useKeyRegistry } from '../../ui/keys.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { keepTextOrder } from '../../ui/text-order.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { activateScreen, type ActivationStep, screenPathsCure } from '../../data/wall/screens.ts'
import { useFreshWalls } from '../../data/wall/walls.ts'
import { isInFront } from '../../data/core/response.ts'
import { useStore } from '../../data/core/store.ts'
import { durationText } from '../../ui/format.ts'
import { useNow } from '../../ui/time.tsx'
import { chooseWall, type KnownWalls, type WallChoice } from './wall-choice.ts'
import { useKeptWall } from './kept-wall.ts'
import { useScheme } from './wall-device.ts'
import { keptWallSettings, linkParameters, wallPath } from './wall-link.ts'
import { wallsInTurn } from './wall-turns.ts'
import { WallLoading } from './wall-loading.tsx'
import css from './wall.module.css'

/** Comes while the configuration is fetched. */
const screenModule = import('./wall-screen.tsx')
const WallScreen = lazyPart(
  async () => (await screenModule.catch(async () => import('./wall-screen.tsx'))).WallScreen,
  { waiting: ({ home }) => <Loading wall={home} />, reloads: true },
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
  })
  const { walls: saved, wallSettings } = usePreferences()
  const address = `/wall/${name}${search}${hash}`
  const [isUnread, setUnread] = useState(false)
  const kept = useKeptWall(
    address,
    isUnread || (config.data === undefined && (config.failureReason !== null || !isOnline())),
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
  if (config.data === undefined && config.failureReason === null && !kept)
    return <Loading wall={choice.wall} />
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
        onUnread={setUnread}
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
  const { request, session } = useServices()
  const queries = useQueryClient()
  const isSignedOut = useStore(session.state, ({ is }) => is === 'signed-out')
  useEffect(() => {
    // The screen was revoked: refused the configuration as well, the page shows a code.
    if (isSignedOut) void queries.invalidateQueries({ queryKey: configQuery(request).queryKey })
  }, [isSignedOut, queries, request])
  return (
    <Message title={`Wall “${name}” not found.`}>
      It isn't configured, saved for everyone, or saved on this device. Open{' '}
      <Link to="/wall">the wall of all projects</Link> or <Link to="/walls">make one</Link>.
      {walls.length > 0 && ' Other walls: '}
      {walls.map((wall, index) => (
        <Fragment key={wall.name}>
          {index > 0 && ', '}
          <Link to={wallPath(wall.name)}>{wall.title ?? wall.name}</Link>
        </Fragment>
      ))}
    </Message>
  )
}

function Loading({ wall }: { wall: Wall | undefined }): ReactElement {
  return (
    <main className="frame-wall">
      <WallLoading isOfProjects={wall?.name === '' && wall.tiles.length === 0} />
    </main>
  )
}

function Message({ title, children }: { title: string; children: React.ReactNode }): ReactElement {
  return (
    <main className="frame-wall">
      <h1>{title}</h1>
      <p>{children}</p>
    </main>
  )
}

/** A screen without a session: shows the code that somebody confirms. */
function ActivationScreen(): ReactElement {
  const step = useActivation()
  return (
    <main className="frame-wall">
      <h1>This screen isn't signed in.</h1>
      {step.is === 'waiting' && (
        <>
          <p className={css.code}>{step.code}</p>
          <CodeEnd expiresAt={step.expiresAt} />
          <p>
            Someone with the role releaser or admin opens {location.host}/wall on their own device,
            presses c, and enters this code with a name for this screen. The screen then gets
            read-only access to builds.
          </p>
        </>
      )}
      <p role="status">{words(step)}</p>
      <p>
        Or <a href={signInLink()}>sign in as yourself</a> on this device.
      </p>
    </main>
  )
}

/** Beside the last state of a wall whose session has ended by itself: how it goes on. */
function ExpiredNotice({ name }: { name: string }): ReactElement {
  const step = useActivation()
  return (
    <aside className={css.expired} aria-label="Session expired">
      <p>
        The session of {name} has expired. <a href={signInLink()}>Sign in</a>
        {step.is === 'waiting' ? ', or pair this screen with the code ' : '.'}
        {step.is === 'waiting' && <b style={{ fontFamily: 'var(--font-mono)' }}>{step.code}</b>}
      </p>
      <p role="status">{words(step)}</p>
    </aside>
  )
}

/** To the page where people sign in (app/sign-in.tsx), and from there back to the wall. */
function signInLink(): string {
  const { pathname, search, hash } = location
  return `/#${new URLSearchParams({ to: pathname + search + hash }).toString()}`
}

/** The proxy's clock is known to the second. */
const dateStepMs = 1000

/**
 * Whose session has ended at its time while the wall was shown, until the wall is no longer refused; undefined where somebody signed
 * out, or was signed out. Goes on when somebody signs in in this browser; for somebody else the page begins anew.
 */
function useExpiredSession(isRefused: boolean): string | undefined {
  const { session } = useServices()
  const queries = useQueryClient()
  const state = useStore(session.state)
  const [known, setKnown] = useState<{ readonly is: string; readonly expiredOf?: string }>({
    is: state.is,
  })
  const { is } = state
  if (is !== known.is) {
    const { user, expiresAt = Infinity } = state.session ?? {}
    // A screen has no session of its own: its credential was revoked.
    const isPerson = user !== undefined && !user.roles.includes('screen')
    const isOver = isPerson && session.proxyNow() >= expiresAt - dateStepMs
    setKnown(
      is !== 'signed-out' ? { ...known, is } : { is, ...(isOver && { expiredOf: user.name }) },
    )
  } else if (is !== 'signed-out' && !isRefused && known.expiredOf !== undefined) setKnown({ is })
  const { expiredOf } = known
  const signedIn = is === 'signed-in' ? state.session.user : undefined
  const isAgain = isRefused && signedIn !== undefined
  // A screen sees no more than anybody.
  const isOther =
    expiredOf !== undefined &&
    signedIn !== undefined &&
    !signedIn.roles.includes('screen') &&
    signedIn.name !== expiredOf
  useEffect(() => {
    if (isOther) location.reload()
    else if (isAgain) void queries.invalidateQueries()
  }, [isOther, isAgain, queries])
  return expiredOf
}

/** Shows codes until one is confirmed, which is then this screen's session. */
function useActivation(): ActivationStep {
  const queries = useQueryClient()
  const { clock, random, fetch, isOnline, screen } = useServices()
  const [step, setStep] = useState<ActivationStep>({ is: 'requesting' })
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const run = async (): Promise<void> => {
      while (!signal.aborted) {
        const session = await activateScreen({
          clock,
          random,
          fetch,
          isOnline,
          signal,
          onStep: setStep,
        })
        if (session === undefined) return
        screen.keep(session)
        // The page that was refused tries again and then replaces this one.
        await queries.invalidateQueries()
      }
    }
    void run()
    return () => {
      leaving.abort()
    }
  }, [clock, random, fetch, isOnline, screen, queries])
  return step
}

/** How long the code is good; the next one comes by itself. */
function CodeEnd({ expiresAt }: { expiresAt: number }): ReactElement {
  const { proxyNow } = useServices().session
  useNow()
  const leftMs = expiresAt - proxyNow()
  return (
    <p>
      {leftMs > 0
        ? `The code changes in ${durationText(Math.max(1000, leftMs))}.`
        : 'Requesting the next code…'}
    </p>
  )
}

function words(step: ActivationStep): string {
  switch (step.is) {
    case 'requesting':
      return 'Requesting a code…'
    case 'waiting':
      return ''
    case 'confirmed':
      return 'Code confirmed. Opening the wall…'
    case 'failed':
      return `Can't get a code: ${step.reason} Retrying.`
  }
}
