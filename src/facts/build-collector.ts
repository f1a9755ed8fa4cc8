import { BuildEvent } from '../protocol/build-event.ts'
import { type BuildMessage, decodeBuildMessage } from '../protocol/build-message.ts'
import { parseExactJson } from '../protocol/exact-json.ts'
import { createHeaderFollower, type HeaderFollower, headerEventTypes } from './build-header.ts'
import { readEventHead } from './event-head.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import { createExecutions, executionEventTypes, type Executions } from './executions.ts'

/** What is to be made of a build's events. */
export interface CollectorOptions {
  readonly header: boolean
  readonly executions: boolean
  /** How many bytes of raw events are kept; 0 for none. */
  readonly logBytes: number
}

/** What a build's own stream has told so far; it can be looked at at any time. */
export interface BuildCollector {
  /**
   * The text of a Build message. A second one starts the build again
   * (docs/design.md#a-second-build-message).
   */
  readonly build: (text: string) => void
  /** The text of a BuildEvent message, and its id in the stream. What cannot be read is counted. */
  readonly event: (text: string, id: string) => void
  readonly message: () => BuildMessage | undefined
  readonly header: () => HeaderFollower
  readonly executions: () => Executions
  readonly log: () => EventLog
  /** Events since the build started (again), and those of them that could not be read. */
  readonly events: () => number
  readonly malformed: () => number
  /** How often the build was started. */
  readonly starts: () => number
  /** Whether an event said that the build is over. */
  readonly isFinished: () => boolean
}

const forHeader = new Set(headerEventTypes)
const forExecutions = new Set(executionEventTypes)

/** A collector that waits for the first message of a stream. */
export function createBuildCollector(options: CollectorOptions): BuildCollector {
  let message: BuildMessage | undefined
  let header = createHeaderFollower()
  let executions = createExecutions()
  let log = createEventLog(options.logBytes)
  let events = 0
  let malformed = 0
  let starts = 0
  let isFinished = false

  function restart(): void {
    header = createHeaderFollower()
    executions = createExecutions()
    log = createEventLog(options.logBytes)
    events = 0
    malformed = 0
    isFinished = false
  }

  function take(text: string, id: string): void {
    const { eventType, timestamp, dataAt } = readEventHead(text)
    if (eventType === 'BuildFinished' || eventType === 'MvnBuildFinished') isFinished = true
    if (options.logBytes > 0) log.append(eventType, text, id)
    if (options.executions && forExecutions.has(eventType)) {
      executions.take(eventType, timestamp, text, dataAt)
    }
    if (options.header && forHeader.has(eventType)) {
      header.take(BuildEvent.parse(parseExactJson(text)), text.length)
    }
  }

  return {
    build: (text) => {
      try {
        message = decodeBuildMessage(JSON.parse(text))
      } catch {
        malformed += 1
        return
      }
      if (starts > 0) restart()
      starts += 1
    },
    event: (text, id) => {
      events += 1
      try {
        take(text, id)
      } catch {
        // One event that cannot be read is no reason to lose the others (issue 2, "bad input").
        malformed += 1
      }
    },
    message: () => message,
    header: () => header,
    executions: () => executions,
    log: () => log,
    events: () => events,
    malformed: () => malformed,
    starts: () => starts,
    isFinished: () => isFinished,
  }
}
