import type { BuildEvent } from '../protocol/build-event.ts'
import type { BuildMessage } from '../protocol/build-message.ts'
import type { Facts } from '../protocol/facts.ts'
import { type EnvironmentRow, environmentEventTypes, environmentRows } from './environment.ts'
import { type EventData, idAt, isRecord, textAt } from './event-value.ts'
import { factEventTypes, factsFromEvents } from './facts-from-events.ts'
import { createFailureBook, exceptionEventTypes, type Failure } from './failures.ts'

/** What the few events tell that every build has. */
export interface BuildHeader {
  readonly facts: Facts
  /** Why the build failed; empty while that is not told. */
  readonly failures: readonly Failure[]
  readonly environment: readonly EnvironmentRow[]
  readonly links: readonly { readonly label: string; readonly url: string }[]
  /** Events that were not kept because there are too many of them. */
  readonly leftOut: number
}

/** Follows the events of `headerEventTypes`. */
export interface HeaderFollower {
  /** `event` is the whole event, with 64-bit ids as text, `size` its length in characters. */
  readonly take: (event: BuildEvent, size: number) => void
  readonly read: (build: BuildMessage) => BuildHeader
  /** The failure with this exception at its head, such as that of a test. */
  readonly failure: (id: string) => Failure | undefined
}

/** What to ask for first: some dozens of events, and the exceptions. */
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

/** A follower that has seen nothing. */
export function createHeaderFollower(): HeaderFollower {
  const events: BuildEvent[] = []
  const book = createFailureBook()
  const failureIds = new Set<string>()
  let characters = 0
  let leftOut = 0

  function finish(data: EventData): void {
    const ids = [idAt(data, 'failureId'), ...listAt(data, 'failureIds').map(String)]
    for (const id of ids) if (id !== null) failureIds.add(id)
    if (isRecord(data.failure)) failureIds.add(book.takeTree(data.failure))
  }

  return {
    failure: book.find,
    take: (event, size) => {
      characters += size
      if (characters > mostCharacters) {
        leftOut += 1
        return
      }
      const { eventType } = event.type
      if (exceptionEventTypes.includes(eventType)) book.take(event.data)
      else events.push(event)
      if (eventType === 'BuildFinished' || eventType === 'MvnBuildFinished') finish(event.data)
    },
    read: (build) => ({
      facts: factsFromEvents(build, events),
      failures: book.ofBuild([...failureIds]),
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

function listAt(data: EventData, key: string): unknown[] {
  const value = data[key]
  return Array.isArray(value) ? value : []
}
