import type { Connection } from '../data/live/feed-snapshot.ts'
import type { LiveStatus } from '../../protocol/live-feed.ts'

/** How this browser stands with the proxy, in a word or two. */
export const connectionWords: Record<Connection['state'], string> = {
  idle: 'Not connected',
  connecting: 'Connecting',
  'catching-up': 'Catching up',
  live: 'Live',
  retrying: 'Connection lost, trying again',
  'signed-out': 'Signed out',
  refused: 'Refused',
  complete: 'The stream has ended',
}

/** How the proxy stands with the build server. */
export const upstreamWords: Record<LiveStatus['upstream'], string> = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Asked again and again',
  retrying: 'Lost, trying again',
  refused: 'Refuses the proxy',
  complete: 'Nothing more will come',
}
