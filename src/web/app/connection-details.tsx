import { Button, Popover, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { countOf } from '../../protocol/count.ts'
import type { LiveStatus } from '../../protocol/live-feed.ts'
import { useServices } from '../data/core/services.ts'
import { useStore } from '../data/core/store.ts'
import type { Connection } from '../data/live/feed-state.ts'
import { Fact, Facts } from '../ui/page.tsx'
import { RelativeTime } from '../ui/time.tsx'

/** How the Sightline server stands with the build server. */
const upstreamNames: Record<LiveStatus['upstream'], string> = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Polling',
  retrying: 'Reconnecting',
  refused: 'Refused',
  complete: 'The stream has ended',
  none: 'None',
}

/** How this browser stands with the Sightline server, in a word or two. */
const connectionNames: Record<Connection['state'], string> = {
  idle: 'Connecting',
  connecting: 'Connecting',
  'catching-up': 'Catching up',
  live: 'Live',
  retrying: 'Reconnecting',
  'signed-out': 'Signed out',
  refused: 'Refused',
  complete: 'The stream has ended',
}

/** Both connections in detail, in a popover of `trigger`. */
export function ConnectionDetails({
  sentence,
  opened,
  trigger,
  onClose,
}: {
  sentence: string
  opened: boolean
  trigger: ReactElement
  onClose: () => void
}): ReactElement {
  const { feed } = useServices()
  const { connection, upstream, ...view } = useStore(feed)
  return (
    <Popover
      opened={opened}
      onChange={(next) => {
        if (!next) onClose()
      }}
      position="bottom-end"
      width={340}
      trapFocus
    >
      <Popover.Target>{trigger}</Popover.Target>
      <Popover.Dropdown
        aria-label="Connection details"
        maw="calc(100vw - 16px)"
        mah="calc(100dvh - 56px)"
        style={{ overflow: 'auto' }}
      >
        <Text fw={600} mb="sm">
          {sentence}
        </Text>
        <Facts>
          <Fact name="This browser">
            {connectionNames[connection.state]}
            {'reason' in connection && `: ${connection.reason}`}
          </Fact>
          <Fact name="Last message">
            {view.lastHeardAt === undefined ? 'never' : <RelativeTime at={view.lastHeardAt} />}
          </Fact>
          <Fact name="Build server">
            {upstream === undefined
              ? 'unknown'
              : `${upstreamNames[upstream.upstream]}: ${upstream.message}`}
          </Fact>
          {/* Known at a change only: it would look old while all is well. */}
          {upstream !== undefined && !['live', 'polling'].includes(upstream.upstream) && (
            <Fact name="Last data">
              {upstream.lastHeardAt === null ? 'never' : <RelativeTime at={upstream.lastHeardAt} />}
            </Fact>
          )}
          <Fact name="Unreadable">{countOf(view.malformed, 'message')}</Fact>
          <Fact name="Missed builds">
            {view.gaps === 0 ? 'none' : `in ${countOf(view.gaps, 'gap')}`}
          </Fact>
        </Facts>
        <Button variant="default" mt="md" onClick={feed.reconnect}>
          Reconnect now
        </Button>
      </Popover.Dropdown>
    </Popover>
  )
}
