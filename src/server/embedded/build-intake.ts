import type { BuildMessage } from '../../protocol/build-message.ts'
import { findBuild, lastPosition } from '../store/build-listing.ts'
import {
  addBuilds,
  appendEvents,
  beginBuild,
  completeBuild,
  restartBuild,
} from '../store/build-writing.ts'
import type { Database } from '../store/database.ts'
import { removeBuild } from '../store/retention.ts'
import { factsOfBuild, tellsFacts } from './facts-of-build.ts'
import type { Underway } from './underway.ts'

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

/** Where builds go, and who is told. */
export interface IntakeSurroundings {
  readonly database: Database
  /** Called when a build is listed, and when it is readable. */
  readonly announced: () => void
  readonly underway: Underway
}

const batchSize = 500

/**
 * An intake for one build. Up to 500 events are stored with their build in one step; a larger build
 * is announced after the first 500, and readable once finished. Version 1 has no word for the tool:
 * a build with Maven's events is one of Maven. Storing throws a ProblemError (409) where a readable
 * build has the id; one whose intake was broken off is replaced.
 */
export function createBuildIntake({
  database,
  announced,
  underway,
}: IntakeSurroundings): BuildIntake {
  let message: BuildMessage | undefined
  let position: number | undefined
  let batch: string[] = []
  let factEvents: string[] = []
  let events = 0
  let known = (): void => undefined

  async function start(next: BuildMessage): Promise<void> {
    batch = []
    factEvents = []
    events = 0
    if (position !== undefined) await restartBuild(database, position)
    else message = next
  }

  async function event(type: string, text: string): Promise<void> {
    if (message === undefined) throw new Error('an event came before its build')
    if (type.startsWith('Mvn')) message = { ...message, toolType: mavenFor(message.toolType) }
    if (tellsFacts(type)) factEvents.push(text)
    batch.push(text)
    events += 1
    if (batch.length < batchSize) return
    if (position === undefined) {
      await dropUnfinished(database, message.buildId)
      known = underway.hold((await lastPosition(database)) + 1)
      position = await beginBuild(database, message)
      announced()
    }
    await appendEvents(database, position, batch.splice(0))
  }

  async function finish(): Promise<number> {
    if (message === undefined) throw new Error('there was no build')
    const facts = factsOfBuild(message, null, factEvents)
    if (position === undefined) {
      await dropUnfinished(database, message.buildId)
      await addBuilds(database, [{ message, attributes: null, events: batch, facts }])
    } else {
      await appendEvents(database, position, batch)
      await completeBuild(database, position, { attributes: null, facts })
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
