import { type TimedEvent, timedEvent } from './build-event-text.ts'
import type { ExactJson } from './exact-json-text.ts'
import { createEventId } from './identifiers.ts'
import type { Random } from './seeded-random.ts'

/** An exception as it is told of: its causes are told of as well. */
export interface ThrownException {
  readonly id: bigint
  readonly className: string
  readonly message: string
  readonly causes: readonly ThrownException[]
  readonly metadata: Readonly<Record<string, ExactJson>>
  readonly frames: readonly StackFrame[]
}

export type StackFrame = readonly [
  declaringClass: string,
  methodName: string,
  fileName: string,
  lineNumber: number,
]

/** An exception with an id of its own. */
export function thrown(
  random: Random,
  className: string,
  message: string,
  options: Partial<Pick<ThrownException, 'causes' | 'metadata' | 'frames'>> = {},
): ThrownException {
  const { causes = [], metadata = {}, frames = [] } = options
  return { id: createEventId(random), className, message, causes, metadata, frames }
}

/**
 * The one event that holds all exceptions of a build: exceptions, stack traces and stack frames,
 * each by id, as text where an id is a key. Maven's exceptions have no metadata.
 */
export function exceptionEvent(
  prefix: '' | 'Mvn',
  at: number,
  exceptions: readonly ThrownException[],
  random: Random,
): TimedEvent {
  const told: Record<string, ExactJson> = {}
  const traces: Record<string, ExactJson> = {}
  const frames: Record<string, ExactJson> = {}
  const frameIds = new Map<string, bigint>()

  const frameId = (frame: StackFrame): bigint => {
    const key = frame.join(' ')
    const known = frameIds.get(key)
    if (known !== undefined) return known
    const id = createEventId(random)
    const [declaringClass, methodName, fileName, lineNumber] = frame
    frameIds.set(key, id)
    frames[String(id)] = { declaringClass, methodName, fileName, lineNumber, fileRef: null }
    return id
  }

  const tell = (exception: ThrownException): void => {
    if (told[String(exception.id)] !== undefined) return
    const trace = createEventId(random)
    traces[String(trace)] = { stackFrames: exception.frames.map(frameId) }
    told[String(exception.id)] = {
      className: exception.className,
      message: exception.message,
      stackTrace: trace,
      causes: exception.causes.map(({ id }) => id),
      metadata: prefix === '' ? exception.metadata : undefined,
      classLevelAnnotations: [],
    }
    exception.causes.forEach(tell)
  }

  exceptions.forEach(tell)
  return timedEvent(at, `${prefix}ExceptionData`, prefix === '' ? 1 : 0, {
    exceptions: told,
    stackTraces: traces,
    stackFrames: frames,
  })
}
