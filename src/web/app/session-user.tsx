import type { ReactElement } from 'react'
import css from './shell.module.css'
import { useSessionUser } from '../data/core/services.ts'

/** Who is signed in. */
export function SessionUser(): ReactElement | null {
  const user = useSessionUser()
  if (user === undefined) return null
  const { name, roles } = user
  return (
    <span className={css.user} title={`${name}: ${roles.join(', ')}`}>
      {name}
    </span>
  )
}
