import { BuildEvent, faultText } from '../protocol/build-export.ts'
import { type BuildMessage, readBuildMessage } from '../protocol/build-message.ts'
import { parseExactJson } from '../protocol/exact-json.ts'
import type { Facts } from '../protocol/facts.ts'
import { cutText } from '../protocol/untrusted-text.ts'
import {
  createDependencyReader,
  dependencyEventTypes,
  type DependencyReader,
} from './dependencies.ts'
import { environmentEventTypes, type EnvironmentRow, environmentRows } from './environment.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import { readEventData, readEventHead, textAt } from './event.ts'
import { createExecutions, executionEventTypes, type Executions } from './executions.ts'
import { factEventTypes, factsFromEvents } from './facts-from-events.ts'
import {
  buildEndTypes,
  createFailureReader,
  exceptionEventTypes,
  type Failure,
} from './failures.ts'

/** What the few events say that every build has. */
export interface BuildHeader {
  readonly facts: Facts
  /** Why the build failed; empty while that is unknown. */
  readonly failures: readonly Failure[]
  readonly environment: readonly EnvironmentRow[]
  readonly links: readonly { readonly label: string; readonly url: string }[]
  /** Events that were not kept because there are too many of them. */
  readonly leftOut: number
}

interface HeaderFollower {
  /** `event` is the whole event, with 64-bit ids as text, `size` its length in characters. */
  readonly take: (event: BuildEvent, size: number) => void
  readonly read: (build: BuildMessage) => BuildHeader
  /** The failure with this exception at its head, such as that of a test. */
  readonly failure: (id: string) => Failure | undefined
}

/** What to request first: some dozens of events, and the exceptions. */
export const headerEventTypes: readonly string[] = [
  ...new Set([
    ...factEventTypes,
    ...environmentEventTypes,
    ...exceptionEventTypes,
    'UserLink',
    'MvnUserLink',
  ]),
]

/** Exceptions of thousands of tests are a few megabytes; beyond this something is wrong. */
const mostCharacters = 64 * 1024 * 1024

function createHeaderFollower(): HeaderFollower {
  const events: BuildEvent[] = []
  const failures = createFailureReader()
  let characters = 0
  let leftOut = 0

  return {
    failure: failures.find,
    take: (event, size) => {
      characters += size
      if (characters > mostCharacters) {
        leftOut += 1
        return
      }
      const { eventType } = event.type
      if (exceptionEventTypes.includes(eventType)) failures.take(event.data)
      else events.push(event)
      if (buildEndTypes.includes(eventType)) failures.takeEnd(event.data)
    },
    read: (build) => ({
      facts: factsFromEvents(build, events),
      failures: failures.ofBuild(),
      environment: environmentRows(events),
      links: events.flatMap(linkOf),
      leftOut,
    }),
  }
}

function linkOf({ type, data }: BuildEvent): { label: string; url: string }[] {
  if (!type.eventType.endsWith('UserLink')) return []
  const url = textAt(data, 'url')
  return url === null ? [] : [{ label: textAt(data, 'label') ?? url, url }]
}

/** A message of a build's stream that could not be read. */
export interface UnreadableEvent {
  /** Its place among the events of the stream, from 1; 0 for the Build message itself. */
  readonly number: number
  /** Its event type, where that could be read. */
  readonly type: string | null
  /** What is wrong with it, in a few words. */
  readonly reason: string
  /** It as it came, up to 4,000 characters. */
  readonly text: string
}

export interface CollectorOptions {
  readonly header: boolean
  readonly executions: boolean
  readonly dependencies?: boolean
  /** How many bytes of raw events are kept; 0 for none. */
  readonly logBytes: number
}

/** What a build's own stream has said so far, to be read at any time. */
export interface BuildCollector {
  /** The text of a Build message; a second one starts anew (docs/design.md#a-second-build-message). */
  readonly build: (text: string) => void
  /** The text of a BuildEvent message, and its id in the stream. What cannot be read is counted. */
  readonly event: (text: string, id: string) => void
  readonly message: () => BuildMessage | undefined
  readonly header: () => HeaderFollower
  readonly executions: () => Executions
  readonly dependencies: () => DependencyReader
  readonly log: () => EventLog
  /** Events since the build started (again), and those of them that could not be read. */
  readonly events: () => number
  readonly malformed: () => number
  /** The first 20 of those. */
  readonly unreadable: () => readonly UnreadableEvent[]
  readonly starts: () => number
  /** Whether an event said that the build is over. */
  readonly isFinished: () => boolean
}

const mostUnreadable = 20
const mostUnreadableText = 4000

const forHeader = new Set(headerEventTypes)
const forExecutions = new Set(executionEventTypes)

/** A collector that waits for the first message of a stream. */
export function createBuildCollector(options: CollectorOptions): BuildCollector {
  let message: BuildMessage | undefined
  let starts = 0
  let now = fresh()

  /** What a second start of the build forgets. */
  function fresh() {
    return {
      header: createHeaderFollower(),
      executions: createExecutions(),
      dependencies: createDependencyReader(),
      log: createEventLog(options.logBytes),
      events: 0,
      malformed: 0,
      unreadable: new Array<UnreadableEvent>(),
      isFinished: false,
    }
  }

  function take(text: string, id: string): void {
    const { eventType, timestamp, dataAt } = readEventHead(text)
    if (eventType === 'BuildFinished' || eventType === 'MvnBuildFinished') now.isFinished = true
    if (options.logBytes > 0) now.log.append(eventType, text, id)
    if (options.executions && forExecutions.has(eventType)) {
      now.executions.take(eventType, timestamp, text, dataAt)
    }
    if (options.dependencies === true && dependencyEventTypes.includes(eventType)) {
      now.dependencies.take(readEventData(text))
    }
    if (options.header && forHeader.has(eventType)) {
      now.header.take(BuildEvent.parse(parseExactJson(text)), text.length)
    }
  }

  function note(number: number, text: string, error: unknown): void {
    now.malformed += 1
    if (now.unreadable.length >= mostUnreadable) return
    const type = /"eventType"\s*:\s*"(\w+)"/.exec(text)?.[1] ?? null
    const shown = cutText(text, mostUnreadableText)
    now.unreadable = [...now.unreadable, { number, type, reason: faultText(error), text: shown }]
  }

  return {
    build: (text) => {
      try {
        // As the feed and the lists read it: a field that can't be read costs that field.
        const read = readBuildMessage(JSON.parse(text))
        if (!read.ok) throw new Error(`“${read.fault.field}” ${read.fault.reason}`)
        message = read.build
      } catch (error) {
        note(0, text, error)
        return
      }
      if (starts > 0) now = fresh()
      starts += 1
    },
    event: (text, id) => {
      now.events += 1
      try {
        take(text, id)
      } catch (error) {
        // One event that cannot be read is no reason to lose the others.
        note(now.events, text, error)
      }
    },
    message: () => message,
    header: () => now.header,
    executions: () => now.executions,
    dependencies: () => now.dependencies,
    log: () => now.log,
    events: () => now.events,
    malformed: () => now.malformed,
    unreadable: () => now.unreadable,
    starts: () => starts,
    isFinished: () => now.isFinished,
  }
}
