import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactElement, useContext } from 'react'
import type { SessionKeeper } from '../data/session.ts'
import css from './shell.module.css'

/** The session that the entry keeps. */
export const SessionContext = createContext<SessionKeeper | undefined>(undefined)

/** Who is signed in. */
export function SessionUser(): ReactElement | null {
  const session = useContext(SessionContext)
  const { data } = useQuery({
    queryKey: ['session'],
    queryFn: () => session?.current() ?? Promise.reject(new Error('No session is kept here')),
    staleTime: Infinity,
  })
  if (data === undefined) return null
  const { name, roles } = data.user
  return (
    <span className={css.user} title={`${name}: ${roles.join(', ')}`}>
      {name}
    </span>
  )
}
