import type { BuildMessage } from '../../protocol/build-message.ts'
import type { Database } from '../store/database.ts'
import { invalidRequest } from './api-problem.ts'
import { createBuildIntake } from './build-intake.ts'
import { recordedLines } from './recorded-lines.ts'

/** What was imported. */
export interface Imported {
  readonly buildId: string
  readonly events: number
}

/** Where a recording goes. */
export interface ImportTarget {
  readonly database: Database
  /** Called when the build is listed, and when it is readable. */
  readonly announced: () => void
  /** What a Build message may leave out. */
  readonly missing: () => Partial<BuildMessage>
}

/**
 * Stores a build from a recording: NDJSON, first its Build message of either version, then its
 * events, which are kept as they stand. A second Build message with the same id starts the build
 * again. Throws a ProblemError: 400 that names the wrong line, 409 where the build exists; nothing
 * of the recording is kept then.
 */
export async function importRecording(
  { database, announced, missing }: ImportTarget,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Imported> {
  const intake = createBuildIntake(database, announced)
  let buildId: string | undefined
  try {
    for await (const line of recordedLines(bytes, missing)) {
      if (line.kind === 'event') {
        await intake.event(line.type, line.text)
      } else if (buildId === undefined || buildId === line.message.buildId) {
        buildId = line.message.buildId
        await intake.start(line.message)
      } else {
        throw invalidRequest(
          `The recording holds two builds, ${buildId} and ${line.message.buildId}: import them one by one.`,
        )
      }
    }
    if (buildId === undefined) throw invalidRequest('The recording is empty.')
    return { buildId, events: await intake.finish() }
  } catch (error) {
    await intake.abandon()
    throw error
  }
}
