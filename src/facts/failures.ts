import { type EventData, idAt, isRecord, numberAt, textAt } from './event.ts'

export interface ThrownException {
  readonly id: string
  readonly className: string
  readonly message: string | null
  /** How far below the failure it is: 0 for the failure itself, 1 for its causes. */
  readonly depth: number
  readonly taskPath: string | null
  /** As Java writes it, `com.example.Shop.open(Shop.java:17)`, innermost first. */
  readonly frames: readonly string[]
}

/** Why something failed: an exception, and under it those that caused it, each but once. */
export interface Failure {
  readonly id: string
  /** Where it happened, as far as its exceptions say: a task's path, or a goal and its project. */
  readonly path: string | null
  /** The failure itself first, causes after what they caused. */
  readonly exceptions: readonly ThrownException[]
}

/** The exceptions that a build reports. */
export interface FailureReader {
  /** Takes the data of an ExceptionData or MvnExceptionData event; there may be several. */
  readonly take: (data: EventData) => void
  /** Takes the data of the event that ends a build, which may stand before its exceptions. */
  readonly takeEnd: (data: EventData) => void
  /** The failure with this exception at its head; undefined where the build does not report it. */
  readonly find: (id: string) => Failure | undefined
  /** The failures that the build's end names; one that only gathers others is taken apart. */
  readonly ofBuild: () => readonly Failure[]
}

/** The events that end a build: what `takeEnd` reads. */
export const buildEndTypes: readonly string[] = ['BuildFinished', 'MvnBuildFinished']

/** The events that `take` reads. */
export const exceptionEventTypes: readonly string[] = ['ExceptionData', 'MvnExceptionData']

/** An empty book. What is not of the known shape is left out; causes may go in circles. */
export function createFailureReader(): FailureReader {
  const exceptions = new Map<string, EventData>()
  const traces = new Map<string, EventData>()
  const frames = new Map<string, EventData>()
  const failureIds = new Set<string>()

  /** An exception that stands in an event itself, as in the oldest versions. */
  function takeTree(exception: EventData, depth = 0): string {
    const id = `within-${exceptions.size}`
    exceptions.set(id, exception)
    const below: unknown[] = Array.isArray(exception.causes) ? exception.causes : []
    const causes = below
      .filter(isRecord)
      .flatMap((cause) => (depth < deepestTree ? takeTree(cause, depth + 1) : []))
    exceptions.set(id, { ...exception, causes })
    return id
  }

  function framesOf(exception: EventData): string[] {
    const trace = traces.get(idAt(exception, 'stackTrace') ?? '')
    return idsAt(trace ?? {}, 'stackFrames').flatMap((id) => {
      const frame = frames.get(id)
      return frame === undefined ? [] : [frameText(frame)]
    })
  }

  function find(id: string): Failure | undefined {
    if (!exceptions.has(id)) return undefined
    const seen = new Set<string>()
    const thrown: ThrownException[] = []
    const waiting = [{ id, depth: 0 }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const exception = exceptions.get(next.id)
      if (exception === undefined || seen.has(next.id)) continue
      seen.add(next.id)
      thrown.push({
        id: next.id,
        depth: next.depth,
        className: textAt(exception, 'className') ?? 'unknown exception',
        message: textAt(exception, 'message'),
        taskPath: isRecord(exception.metadata) ? textAt(exception.metadata, 'taskPath') : null,
        frames: framesOf(exception),
      })
      const depth = next.depth + 1
      waiting.push(
        ...idsAt(exception, 'causes')
          .map((cause) => ({ id: cause, depth }))
          .reverse(),
      )
    }
    return { id, path: pathOf(thrown), exceptions: thrown }
  }

  return {
    find,
    take: (data) => {
      keep(exceptions, data.exceptions)
      keep(traces, data.stackTraces)
      keep(frames, data.stackFrames)
    },
    takeEnd: (data) => {
      for (const id of [idAt(data, 'failureId'), ...idsAt(data, 'failureIds')]) {
        if (id !== null) failureIds.add(id)
      }
      if (isRecord(data.failure)) failureIds.add(takeTree(data.failure))
    },
    ofBuild: () =>
      [...failureIds]
        .flatMap((id) => {
          const exception = exceptions.get(id)
          const gathers = textAt(exception ?? {}, 'className')?.endsWith('.MultipleBuildFailures')
          const causes = idsAt(exception ?? {}, 'causes')
          return gathers === true && causes.length > 0 ? causes : [id]
        })
        .flatMap((id) => find(id) ?? []),
  }
}

const deepestTree = 50

/** A failure as Java prints it: to copy, and to read with the tools made for it. */
export function stackText({ exceptions }: Failure): string {
  return exceptions
    .map(({ className, message, depth, frames }) => {
      const head = message === null ? className : `${className}: ${message}`
      const lines = frames.map((frame) => `\tat ${frame}`)
      return [depth === 0 ? head : `Caused by: ${head}`, ...lines].join('\n')
    })
    .join('\n')
}

function keep(known: Map<string, EventData>, exceptions: unknown): void {
  if (!isRecord(exceptions)) return
  for (const [id, value] of Object.entries(exceptions)) if (isRecord(value)) known.set(id, value)
}

function idsAt(data: EventData, key: string): string[] {
  const value: unknown = data[key]
  const list: unknown[] = Array.isArray(value) ? value : []
  return list.flatMap((item) => idAt({ item }, 'item') ?? [])
}

function frameText(frame: EventData): string {
  const line = numberAt(frame, 'lineNumber') ?? -1
  const file = textAt(frame, 'fileName') ?? 'Unknown Source'
  const place = line === -2 ? 'Native Method' : line < 0 ? file : `${file}:${line}`
  return `${textAt(frame, 'declaringClass') ?? '?'}.${textAt(frame, 'methodName') ?? '?'}(${place})`
}

/** What the exceptions say of where: Gradle in metadata or its words, Maven in its words alone. */
function pathOf(thrown: readonly ThrownException[]): string | null {
  const taskPath = thrown.find(({ taskPath }) => taskPath !== null)?.taskPath
  if (taskPath !== undefined) return taskPath
  for (const { message } of thrown) {
    const task = /^Execution failed for task '(:[^']*)'/.exec(message ?? '')?.[1]
    if (task !== undefined) return task
    const [, goal, project] =
      /^Failed to execute goal (\S+).*? on project ([^\s:]+)/.exec(message ?? '') ?? []
    if (goal !== undefined && project !== undefined) return `${shortGoal(goal)} on ${project}`
  }
  return null
}

/** `org.apache.maven.plugins:maven-compiler-plugin:3.1:compile` is known as `compiler:compile`. */
function shortGoal(goal: string): string {
  const [, plugin, , name] = goal.split(':')
  if (plugin === undefined || name === undefined) return goal
  return `${plugin.replace(/^maven-|-maven-plugin$|-plugin$/g, '')}:${name}`
}
