import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useEffect, useState } from 'react'
import { activateScreen, type ActivationStep } from '../../data/wall/activate-screen.ts'
import css from './wall.module.css'
import panel from './wall-panels.module.css'
import { useServices } from '../../data/core/services.ts'

/** A screen without a session: shows the code with which somebody lets it in. */
export function ActivationScreen(): ReactElement {
  const queries = useQueryClient()
  const { clock, fetch, isOnline, screen } = useServices()
  const [step, setStep] = useState<ActivationStep>({ is: 'asking' })
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const run = async (): Promise<void> => {
      while (!signal.aborted) {
        const session = await activateScreen({ clock, fetch, isOnline, signal, onStep: setStep })
        if (session === undefined) return
        screen.keep(session)
        // The page that was refused asks again; let in, it takes this screen away.
        await queries.invalidateQueries()
      }
    }
    void run()
    return () => {
      leaving.abort()
    }
  }, [clock, fetch, isOnline, screen, queries])
  return (
    <main className={css.message}>
      <h1>This screen is not signed in.</h1>
      {step.is === 'waiting' && (
        <>
          <p className={panel.code}>{step.code}</p>
          <p>
            Somebody who is signed in opens {location.host}/wall on a device of their own, presses
            c, types this code and gives this screen a name. It then reads builds and nothing else.
          </p>
        </>
      )}
      <p role="status">{words(step)}</p>
    </main>
  )
}

function words(step: ActivationStep): string {
  switch (step.is) {
    case 'asking':
      return 'Asking the proxy for a code.'
    case 'waiting':
      return ''
    case 'let-in':
      return 'The code was confirmed. The wall opens.'
    case 'failed':
      return `No code could be had: ${step.reason} It is tried again.`
  }
}
