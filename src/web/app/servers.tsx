import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useEffect } from 'react'
import { Link } from 'react-router'
import { mayDo } from '../../protocol/permission.ts'
import { Queries } from '../data/core/queries.tsx'
import { configQuery } from '../data/core/server-config.ts'
import { useServices, useSessionUser } from '../data/core/services.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { keepTextOrder } from '../ui/text-order.ts'
import { EmptyState } from '../ui/page.tsx'
import css from './shell.module.css'

const DemoTip = lazyPart(async () => (await import('./demo-tip.tsx')).DemoTip, { isQuiet: true })

/** Whose builds these are: the host of the server, or that they are made up and how to change that. */
export function ServerName(): ReactElement {
  // Here, as this is the first of what is loaded after the page.
  useEffect(keepTextOrder, [])
  return (
    <Queries>
      <Name />
    </Queries>
  )
}

function Name(): ReactElement | null {
  const { data } = useQuery(configQuery(useServices().request))
  if (data === undefined) return null
  const { buildData, governor } = data.upstreams
  if (buildData.kind === 'embedded') {
    return (
      <>
        <Link
          to="/status#connect"
          title="These builds and packages are made up. Connect your server"
        >
          <Badge color="waiting">
            Demo<span className={css.more}> data</span>
          </Badge>
          <span className={css.connect}> Connect your server</span>
        </Link>
        {data.tips === true && <DemoTip packages={data.packages} />}
      </>
    )
  }
  const origin = buildData.origin ?? governor.origin
  return origin === null ? null : <span title={origin}>{new URL(origin).host}</span>
}

/** Whether the page that creates access tokens is on, and for this user; undefined until that is known. */
export function useMayCreateTokens(): boolean | undefined {
  const { data } = useQuery(configQuery(useServices().request))
  const user = useSessionUser()
  if (user === undefined || !mayDo(user, 'create-access-tokens')) return false
  return data && data.createTokens && data.upstreams.buildData.kind !== 'none'
}

/** In place of a page about builds, where only a policy service is connected. */
export function NoBuildServer(): ReactElement {
  return (
    <EmptyState
      title="No build server is connected."
      heading="h1"
      action={<Link to="/status">Status of the connected servers</Link>}
    >
      <p>Builds come from a build server such as Develocity.</p>
      <p>
        To connect one, your administrator sets <code>SIGHTLINE_BUILD_DATA_URL</code> and{' '}
        <code>SIGHTLINE_BUILD_DATA_ACCESS_KEY</code>, then restarts Sightline.
      </p>
    </EmptyState>
  )
}
