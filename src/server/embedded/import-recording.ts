import type { BuildMessage } from '../../protocol/build-message.ts'
import { invalidRequest } from './api-problem.ts'
import { createBuildIntake, type IntakeSurroundings } from './build-intake.ts'
import { recordedLines } from './recorded-lines.ts'

/** What was imported. */
export interface Imported {
  readonly buildId: string
  readonly events: number
}

/** Where a recording goes. */
export interface ImportTarget extends IntakeSurroundings {
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
  target: ImportTarget,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Imported> {
  const intake = createBuildIntake(target)
  let buildId: string | undefined
  try {
    for await (const line of recordedLines(bytes, target.missing)) {
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
