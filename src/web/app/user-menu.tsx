import { Menu } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { cloneElement, type ReactElement, type RefAttributes, useRef, useState } from 'react'
import { Link, NavLink } from 'react-router'
import { asProblem } from '../data/core/attempts.ts'
import { Queries } from '../data/core/queries.tsx'
import { useServices } from '../data/core/services.ts'
import { configQuery } from '../data/core/server-config.ts'
import { useStore } from '../data/core/store.ts'
import { usePreferences, usePreferenceStore } from '../ui/device-preferences.ts'
import { useDeviceChoices } from './device-choices.ts'
import { pages } from './pages.ts'
import { useMayCreateTokens } from './servers.tsx'
import { leave, sessionReportQuery } from '../data/core/sign-in.ts'

interface Props {
  readonly trigger: ReactElement<RefAttributes<HTMLButtonElement>>
  readonly opened: boolean
  readonly onChange: (opened: boolean) => void
  /** For what stands here while this can't be loaded. */
  readonly onClose: () => void
}

/** Who is signed in, what is about them and this server, the choices of this device, and the way out. */
export function UserMenu(props: Props): ReactElement | null {
  return (
    <Queries>
      <OpenMenu {...props} />
    </Queries>
  )
}

/** Whether Sightline can sign this person out: behind a reverse proxy only the server knows whether there is a way. */
export function useCanSignOut(): boolean {
  const services = useServices()
  const mode = useStore(services.session.state).session?.mode
  const report = useQuery({ ...sessionReportQuery(services), enabled: mode === 'header' })
  return mode === 'tokens' || mode === 'oidc' || report.data?.canSignOut === true
}

function OpenMenu({ trigger, opened, onChange }: Props): ReactElement | null {
  const services = useServices()
  const { session } = useStore(services.session.state)
  const mode = session?.mode
  const canSignOut = useCanSignOut()
  const choices = useDeviceChoices()
  const target = useRef<HTMLButtonElement>(null)
  if (session === undefined) return null
  const { user } = session
  return (
    <Menu
      opened={opened}
      onChange={onChange}
      width={260}
      // It is open when it is loaded: what had the focus before is not there any more.
      onClose={() => {
        target.current?.focus()
      }}
    >
      <Menu.Target>{cloneElement(trigger, { ref: target })}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user.name}
          <br />
          {user.roles.length === 0 ? 'no role' : user.roles.join(', ')}
        </Menu.Label>
        <Menu.Item component={Link} to="/status#you">
          You
        </Menu.Item>
        {pages
          .filter(({ group }) => group === 'you')
          .map(({ path, label }) => (
            <Menu.Item key={path} component={NavLink} to={path}>
              {label}
            </Menu.Item>
          ))}
        <Tokens />
        <ShowTips />
        {choices.map(({ name, options }) => (
          <div key={name} role="group" aria-label={name}>
            <Menu.Divider />
            <Menu.Label>{name}</Menu.Label>
            {options.map(({ label, isChosen, choose }) => (
              <Menu.RadioItem key={label} value={label} checked={isChosen} onChange={choose}>
                {label}
              </Menu.RadioItem>
            ))}
          </div>
        ))}
        {mode === 'header' && !canSignOut && (
          <Menu.Label>The reverse proxy in front signs you in. Sign out there.</Menu.Label>
        )}
        {canSignOut && (
          <>
            <Menu.Divider />
            <SignOut />
          </>
        )}
        <Version />
      </Menu.Dropdown>
    </Menu>
  )
}

/** Which Sightline this is, for those who report something. */
function Version(): ReactElement | null {
  const { data } = useQuery(configQuery(useServices().request))
  return data === undefined ? null : <Menu.Label>Sightline {data.version}</Menu.Label>
}

/** Also while it isn't known whether there are any: what is below would move under a click. */
function Tokens(): ReactElement | null {
  const mayCreateTokens = useMayCreateTokens()
  const [hasPlace] = useState(mayCreateTokens !== false)
  return hasPlace ? (
    <Menu.Item component={NavLink} to="/tokens">
      Tokens
    </Menu.Item>
  ) : null
}

/** Brings the closed tips of the demo back; in its place as `Tokens` is. */
function ShowTips(): ReactElement | null {
  const { data } = useQuery(configQuery(useServices().request))
  const [hasPlace] = useState(data === undefined || data.tips === true)
  const store = usePreferenceStore()
  const { closedTips = [] } = usePreferences()
  if (!hasPlace || closedTips.length === 0) return null
  return (
    <Menu.Item
      disabled={data?.tips !== true}
      onClick={() => {
        store.change({ closedTips: undefined })
      }}
    >
      Show tips
    </Menu.Item>
  )
}

function SignOut(): ReactElement {
  const services = useServices()
  const { mutate, isPending, error } = useMutation({ mutationFn: async () => leave(services) })
  return (
    <>
      <Menu.Item
        closeMenuOnClick={false}
        disabled={isPending}
        onClick={() => {
          mutate()
        }}
      >
        Sign out
      </Menu.Item>
      {error !== null && (
        <Menu.Label
          role="alert"
          c="var(--bad-ink)"
        >{`Can't sign out. ${asProblem(error).sentence}`}</Menu.Label>
      )}
    </>
  )
}
