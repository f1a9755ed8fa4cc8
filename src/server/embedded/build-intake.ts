import { createHash } from 'node:crypto'
import { z } from 'zod'
import { BuildEvent } from '../../protocol/build-export.ts'
import { type BuildMessage, decodeBuildMessage } from '../../protocol/build-message.ts'
import { readLines } from '../../protocol/ndjson.ts'
import { findBuild, lastPosition } from '../store/build-listing.ts'
import {
  addBuilds,
  appendEvents,
  beginBuild,
  completeBuild,
  removeBuild,
  restartBuild,
} from '../store/build-writing.ts'
import type { Database } from '../store/database.ts'
import { invalidRequest } from './api-problem.ts'
import type { PendingWrites } from './arrivals.ts'
import { countedEventTypes, createBuildCounter } from './counting.ts'
import { factsOfBuild, hasFacts } from './search-preparation.ts'

/** Takes a build in as its messages come, in bounded memory whatever its size. */
export interface BuildIntake {
  /** The Build message; a second one starts the build again. */
  readonly start: (message: BuildMessage) => Promise<void>
  readonly event: (type: string, text: string) => Promise<void>
  /** Makes the build readable; answers how many events it has. */
  readonly finish: () => Promise<number>
  /** Takes the build back, if it has been announced. */
  readonly abandon: () => Promise<void>
}

/** Where builds go, and who is notified. */
interface IntakeSurroundings {
  readonly database: Database
  /** Called when a build is listed, and when it is readable. */
  readonly announced: () => void
  readonly pending: PendingWrites
}

const batchSize = 500

/**
 * An intake for one build. Up to 500 events are stored with their build in one step; a larger build
 * is announced after the first 500, and readable once finished. Version 1 has no word for the tool:
 * a build with Maven's events is one of Maven. Storing throws a ProblemError (409) where a readable
 * build has the id; one whose intake was broken off is replaced.
 */
function createBuildIntake({ database, announced, pending }: IntakeSurroundings): BuildIntake {
  let message: BuildMessage | undefined
  let position: number | undefined
  let batch: string[] = []
  let factEvents: string[] = []
  let counter = createBuildCounter()
  let events = 0
  let known = (): void => undefined

  async function start(next: BuildMessage): Promise<void> {
    batch = []
    factEvents = []
    counter = createBuildCounter()
    events = 0
    if (position !== undefined) await restartBuild(database, position)
    else message = next
  }

  async function event(type: string, text: string): Promise<void> {
    if (message === undefined) throw new Error('an event came before its build')
    if (type.startsWith('Mvn')) message = { ...message, toolType: mavenFor(message.toolType) }
    if (hasFacts(type)) factEvents.push(text)
    if (countedEventTypes.has(type)) counter.take(text)
    batch.push(text)
    events += 1
    if (batch.length < batchSize) return
    if (position === undefined) {
      await dropUnfinished(database, message.buildId)
      known = pending.hold((await lastPosition(database)) + 1)
      position = await beginBuild(database, message)
      announced()
    }
    await appendEvents(database, position, batch.splice(0))
  }

  async function finish(): Promise<number> {
    if (message === undefined) throw new Error('there was no build')
    const { facts, counts } = counter.result(factsOfBuild(message, null, factEvents))
    if (position === undefined) {
      await dropUnfinished(database, message.buildId)
      await addBuilds(database, [{ message, attributes: null, events: batch, facts, counts }])
    } else {
      await appendEvents(database, position, batch)
      await completeBuild(database, position, { attributes: null, facts, counts })
    }
    known()
    announced()
    return events
  }

  async function abandon(): Promise<void> {
    try {
      if (position === undefined || message === undefined) return
      await removeBuild(database, position, message.buildId)
    } finally {
      known()
    }
  }

  return { start, event, finish, abandon }
}

async function dropUnfinished(database: Database, buildId: string): Promise<void> {
  const build = await findBuild(database, buildId)
  if (build?.readable === false) await removeBuild(database, build.position, buildId)
}

function mavenFor(toolType: string): string {
  return toolType === 'gradle' ? 'maven' : toolType
}

/** What was imported. */
export interface Imported {
  readonly buildId: string
  readonly events: number
  /** Events that a second run of the same stream repeated, which were left out. */
  readonly repeated: number
}

/** Where a recording goes. */
export interface ImportTarget extends IntakeSurroundings {
  /** What a Build message may leave out. */
  readonly missing: () => Partial<BuildMessage>
}

/**
 * Stores a build from a recording: NDJSON, first its Build message of either version, then its
 * events, which are kept as they stand. A second Build message with the same id starts the build
 * again; after a second start of it without such a message, what repeats is left out. Throws a ProblemError: 400 that names the wrong line, 409 where the build exists; nothing
 * of the recording is kept then.
 */
export async function importRecording(
  target: ImportTarget,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Imported> {
  const intake = createBuildIntake(target)
  let buildId: string | undefined
  const repeats = createRepeatWatch()
  try {
    for await (const line of recordedLines(bytes, target.missing)) {
      if (line.kind === 'event') {
        if (!repeats.isRepeat(line)) await intake.event(line.type, line.text)
      } else if (buildId === undefined || buildId === line.message.buildId) {
        buildId = line.message.buildId
        await intake.start(line.message)
        repeats.reset()
      } else {
        throw invalidRequest(
          `The recording contains two builds, ${buildId} and ${line.message.buildId}. Import them one at a time.`,
        )
      }
    }
    if (buildId === undefined) throw invalidRequest('The recording is empty.')
    return { buildId, events: await intake.finish(), repeated: repeats.count() }
  } catch (error) {
    await intake.abandon()
    throw error
  }
}

/**
 * Notices where a recording goes through its events a second time: clients that reconnect without a
 * resume id get all of them again. Equal events of one run are left alone.
 */
function createRepeatWatch() {
  let seen = new Set<string>()
  let isSecondRun = false
  let count = 0
  return {
    isRepeat: ({ type, text }: { readonly type: string; readonly text: string }): boolean => {
      const key = createHash('md5').update(text).digest('base64')
      const isKnown = seen.has(key)
      isSecondRun ||= isKnown && /^(?:Mvn)?BuildStarted$/.test(type)
      if (!isKnown) seen.add(key)
      else if (isSecondRun) count++
      return isKnown && isSecondRun
    },
    reset: () => {
      seen = new Set()
      isSecondRun = false
      count = 0
    },
    count: () => count,
  }
}

/** A line of a recording: a Build message, or an event with its type and its text as it stands. */
export type RecordedLine =
  | { readonly kind: 'build'; readonly message: BuildMessage }
  | { readonly kind: 'event'; readonly type: string; readonly text: string }

const Announcing = z.looseObject({ buildId: z.unknown().refine((id) => id !== undefined) })
/** Some recorders wrap every message in the shape of an event. */
const AnnouncingEvent = z.looseObject({
  type: z.looseObject({ eventType: z.literal('Build') }),
  data: Announcing,
})

/**
 * The lines of a recording, decoded one by one. `missing` fills in what a Build message may leave
 * out. Throws a ProblemError (400) that names the first wrong line and what is wrong in it.
 */
async function* recordedLines(
  bytes: AsyncIterable<Uint8Array>,
  missing: () => Partial<BuildMessage>,
): AsyncGenerator<RecordedLine, void, undefined> {
  let number = 0
  try {
    for await (const text of readLines(bytes)) {
      number += 1
      const value: unknown = JSON.parse(text)
      if (number === 1) {
        const object = z.looseObject({}).parse(value)
        yield { kind: 'build', message: decodeBuildMessage({ ...missing(), ...object }) }
      } else if (Announcing.safeParse(value).success) {
        yield { kind: 'build', message: decodeBuildMessage(value) }
      } else if (AnnouncingEvent.safeParse(value).success) {
        yield { kind: 'build', message: decodeBuildMessage(AnnouncingEvent.parse(value).data) }
      } else {
        yield { kind: 'event', type: BuildEvent.parse(value).type.eventType, text }
      }
    }
  } catch (error) {
    throw wrongLine(number, error)
  }
}

function wrongLine(number: number, error: unknown): unknown {
  const line = `Line ${number} (not counting empty lines)`
  if (error instanceof z.core.$ZodError) {
    const expected = number === 1 ? 'a Build message' : 'an event'
    return invalidRequest(`${line} isn't ${expected}: ${mistakes(error)}.`)
  }
  if (error instanceof SyntaxError) return invalidRequest(`${line} isn't valid JSON.`)
  if (error instanceof RangeError) {
    return invalidRequest(`Line ${number + 1} is too long: ${error.message}.`)
  }
  return error
}

/** What a schema found wrong and where, such as `type.eventType: expected string`. */
export function mistakes(error: z.core.$ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => {
      const path = z.core.toDotPath(issue.path)
      return path === '' ? issue.message : `${path}: ${issue.message}`
    })
    .join('; ')
}
