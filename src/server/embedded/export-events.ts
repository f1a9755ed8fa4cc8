import type { ExportVersion } from '../../protocol/export-paths.ts'
import { encodeSse } from '../../protocol/sse-writer.ts'
import { lastEventId, readEvents } from '../store/build-events.ts'
import type { StoredBuild } from '../store/build-rows.ts'
import type { Database } from '../store/database.ts'
import type { StoredEvent } from '../store/event-chunk.ts'
import { encodeBuild } from './export-listing.ts'

/** Which messages of a build's own stream are asked for. */
export interface ExportEvents {
  readonly version: ExportVersion
  /** Of these types; undefined for all. */
  readonly types: ReadonlySet<string> | undefined
  /** The Last-Event-ID of the request. */
  readonly lastEventId: string | undefined
}

/**
 * The messages of a build's own stream: its Build message, then its events in order
 * (docs/services.md#export-events-of-a-build). A Last-Event-ID that is the build's id resumes
 * before its first event, one that is a sequence number after that event. Any other was never sent
 * here, so the stream starts again with the Build message: a reader then begins the build anew and
 * misses nothing.
 */
export async function* exportEvents(
  database: Database,
  build: StoredBuild,
  { version, types, lastEventId: resumeId }: ExportEvents,
): AsyncGenerator<string, void, undefined> {
  const after = await resumePoint(database, build, resumeId)
  if (after === undefined) yield encodeBuild(build, version)
  const selection = { after: after ?? 0, ...(types === undefined ? {} : { types }) }
  for await (const events of readEvents(database, build.position, selection)) {
    yield events.map(encodeEvent).join('')
  }
}

async function resumePoint(
  database: Database,
  build: StoredBuild,
  resumeId: string | undefined,
): Promise<number | undefined> {
  if (resumeId === build.buildId) return 0
  const sequence = Number(resumeId)
  if (!Number.isInteger(sequence) || sequence < 1 || String(sequence) !== resumeId) return undefined
  return sequence <= (await lastEventId(database, build.position)) ? sequence : undefined
}

function encodeEvent({ id, text }: StoredEvent): string {
  return encodeSse({ id: String(id), event: 'BuildEvent', data: text })
}
