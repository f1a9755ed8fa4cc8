import { toVersion1 } from '../../protocol/build-message.ts'
import type { Clock } from '../../protocol/clock.ts'
import type { ExportVersion } from '../../protocol/export-paths.ts'
import { encodeSse, encodeSseComment } from '../../protocol/sse-writer.ts'
import { listBuilds } from '../store/build-listing.ts'
import { messageOf, type StoredBuild } from '../store/build-rows.ts'
import type { Database } from '../store/database.ts'
import type { Arrivals } from './arrivals.ts'

/** Where a listing begins and how it goes on. */
export interface ExportListing {
  readonly version: ExportVersion
  /** Builds after this position. */
  readonly after: number
  /** Of those, the ones received at or after this instant, epoch ms. */
  readonly receivedFrom: number
  /** Whether it stays open for builds to come. */
  readonly live: boolean
}

/** What a listing reads from. */
export interface ExportSource {
  readonly database: Database
  readonly arrivals: Arrivals
  readonly clock: Clock
  /** How long a live stream stays silent before a comment, ms. */
  readonly heartbeatMs: number
}

const pageSize = 500

/**
 * The Build messages of a listing in order of receipt, as texts of up to 500 messages
 * (docs/services.md#export-streaming). A live one goes on until its signal aborts or the service
 * closes, with a comment at once and whenever nothing was sent for a while. It looks again at each
 * comment, so that builds stored by another process on the same database come through as well.
 */
export async function* exportListing(
  { database, arrivals, clock, heartbeatMs }: ExportSource,
  { version, after, receivedFrom, live }: ExportListing,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  let position = after
  let quietSince = -Infinity
  // A finite listing goes on when the service closes: cut short it would look complete.
  while (!signal.aborted && !(live && arrivals.isClosed())) {
    const seen = arrivals.count()
    const page = await listBuilds(database, { after: position, receivedFrom }, pageSize)
    position = page.at(-1)?.position ?? position
    const text = page.map((build) => encodeBuild(build, version)).join('')
    if (text !== '') {
      quietSince = clock.now()
      yield text
    } else if (page.length === 0) {
      if (!live) return
      const silence = clock.now() - quietSince
      if (silence >= heartbeatMs) {
        quietSince = clock.now()
        yield encodeSseComment('heartbeat')
      } else {
        await arrivals.wait(seen, heartbeatMs - silence, signal)
      }
    }
  }
}

/**
 * A build as its message, with its id as the message's. Version 1 has builds of Gradle alone: those
 * of other tools are no text at all.
 */
export function encodeBuild(build: StoredBuild, version: ExportVersion): string {
  const message = { id: build.buildId, event: 'Build' }
  if (version === 'v2') return encodeSse({ ...message, data: build.text })
  return build.toolType === 'gradle'
    ? encodeSse({ ...message, data: JSON.stringify(toVersion1(messageOf(build))) })
    : ''
}
