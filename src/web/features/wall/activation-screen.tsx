import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useEffect, useState } from 'react'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { activateScreen, type ActivationStep } from '../../data/wall/screens.ts'
import { durationText } from '../../ui/format.ts'
import { useNow } from '../../ui/time.tsx'
import css from './wall.module.css'

/** A screen without a session: shows the code that somebody confirms. */
export function ActivationScreen(): ReactElement {
  const step = useActivation()
  return (
    <main className={css.message}>
      <h1>This screen isn't signed in.</h1>
      {step.is === 'waiting' && (
        <>
          <p className={css.code}>{step.code}</p>
          <CodeEnd expiresAt={step.expiresAt} />
          <p>
            Someone who is signed in opens {location.host}/wall on their own device, presses c, and
            enters this code with a name for this screen. The screen then gets read-only access to
            builds.
          </p>
        </>
      )}
      <p role="status">{words(step)}</p>
      <p>
        To sign in as yourself on this device, <a href="/">open the dashboard</a>.
      </p>
    </main>
  )
}

/** Beside the last state of a wall whose session has ended by itself: how it goes on. */
export function ExpiredNotice({ name }: { name: string }): ReactElement {
  const step = useActivation()
  return (
    <aside className={css.expired} aria-label="Session expired">
      <p>
        The session of {name} has expired. <a href="/">Sign in</a>
        {step.is === 'waiting' ? ', or pair this screen with the code ' : '.'}
        {step.is === 'waiting' && <b>{step.code}</b>}
      </p>
      <p role="status">{words(step)}</p>
    </aside>
  )
}

/** The proxy's clock is known to the second. */
const dateStepMs = 1000

/**
 * Whose session has ended at its time while the wall was shown, until the wall is no longer refused; undefined where somebody signed
 * out, or was signed out. Goes on when somebody signs in in this browser; for somebody else the page begins anew.
 */
export function useExpiredSession(isRefused: boolean): string | undefined {
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
