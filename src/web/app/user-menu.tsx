import { Menu } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { Link } from 'react-router'
import { asProblem } from '../data/core/attempts.ts'
import { useServices } from '../data/core/services.ts'
import { signOut } from '../data/core/sign-in.ts'
import { useStore } from '../data/core/store.ts'
import { toast } from '../ui/toast.ts'

/** Who is signed in, with which roles, and the way out; `trigger` opens it. */
export function UserMenu({
  trigger,
  opened,
  onChange,
}: {
  trigger: ReactElement
  opened: boolean
  onChange: (opened: boolean) => void
}): ReactElement | null {
  const services = useServices()
  const { session } = useStore(services.session.state)
  const [isEnding, setEnding] = useState(false)
  if (session === undefined) return null
  const { user, mode } = session

  async function leave(): Promise<void> {
    setEnding(true)
    try {
      const elsewhere = await signOut(services)
      if (elsewhere !== undefined) location.assign(elsewhere)
    } catch (error) {
      await toast(`Can't sign out. ${asProblem(error).sentence}`)
    }
    setEnding(false)
  }

  return (
    <Menu opened={opened} onChange={onChange} width={260}>
      <Menu.Target>{trigger}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user.name}
          <br />
          {user.roles.length === 0 ? 'no role' : user.roles.join(', ')}
        </Menu.Label>
        <Menu.Item component={Link} to="/status#you">
          You
        </Menu.Item>
        {mode === 'header' && (
          <Menu.Label>The reverse proxy in front signs you in. Sign out there.</Menu.Label>
        )}
        {(mode === 'tokens' || mode === 'oidc') && (
          <Menu.Item disabled={isEnding} onClick={() => void leave()}>
            Sign out
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
