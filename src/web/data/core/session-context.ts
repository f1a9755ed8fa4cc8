import { queryOptions, useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { Session } from '../../../protocol/session.ts'
import type { SessionKeeper } from './session.ts'

/** The session that the entry (web/app) keeps. */
export const SessionContext = createContext<SessionKeeper | undefined>(undefined)

/** The page's session. Throws an Error outside a SessionContext. */
export function useSession(): SessionKeeper {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('useSession needs a SessionContext above it')
  return session
}

/** Who is signed in; undefined until it is known. */
export function useSessionUser(): Session['user'] | undefined {
  const session = useSession()
  const { data } = useQuery(
    queryOptions({
      queryKey: ['session'],
      queryFn: () => session.current(),
      staleTime: Infinity,
    }),
  )
  return data?.user
}
