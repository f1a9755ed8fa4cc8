import { type EventData, flagAt, idAt, numberAt, readEventData, textAt } from './event.ts'

/** What an event says of an execution; ids are text, and null is what it does not say. */
export type ExecutionEvent =
  | {
      readonly kind: 'task-started'
      readonly id: string
      readonly path: string
      /** The path of the included build that it belongs to; ":" for the build itself. */
      readonly buildPath: string | null
      readonly className: string | null
    }
  | {
      readonly kind: 'task-finished'
      readonly id: string
      readonly path: string | null
      readonly outcome: string | null
      readonly cacheable: boolean | null
      readonly category: string | null
      readonly reason: string | null
      readonly originMs: number | null
    }
  | {
      readonly kind: 'test-started'
      readonly id: string
      readonly task: string | null
      readonly name: string
      readonly className: string | null
      readonly isSuite: boolean
    }
  | {
      readonly kind: 'test-finished'
      readonly id: string
      readonly failed: boolean
      readonly skipped: boolean
      readonly failureId: string | null
    }

interface Shape {
  /** Their data as servers write them, up to what is needed; in another order it does not match. */
  readonly written: RegExp
  readonly fromWritten: (groups: readonly (string | undefined)[]) => ExecutionEvent | undefined
  readonly fromData: (data: EventData) => ExecutionEvent | undefined
}

/**
 * Reads an event of tasks or tests, whose data begin at `dataAt` of its text (-1 where that is not
 * known). These are by far the most of what is read: a pattern that begins where the data begin and
 * matches keys and plain values one by one is as exact as JSON.parse, and takes a seventh of its
 * time. What it does not match is parsed. Undefined where the event says nothing; throws as `readEventData`, and a TypeError
 * where the end of a test does not say how it ended.
 */
export function readExecutionEvent(
  eventType: string,
  text: string,
  dataAt: number,
): ExecutionEvent | undefined {
  const shape = shapes.get(eventType)
  if (shape === undefined) return undefined
  if (dataAt !== -1) {
    shape.written.lastIndex = dataAt
    const groups = shape.written.exec(text)
    if (groups !== null) return shape.fromWritten(groups)
  }
  return shape.fromData(readEventData(text))
}

/** The events that `readExecutionEvent` reads. */
export const taskAndTestEventTypes = [
  'TaskStarted',
  'TaskFinished',
  'TestStarted',
  'TestFinished',
] as const

/** A text without escapes; null is no text. */
const plain = '(?:null|"([^"\\\\]*)")'
const id = '(-?\\d+)'

const shapes: ReadonlyMap<string, Shape> = new Map<(typeof taskAndTestEventTypes)[number], Shape>([
  [
    'TaskStarted',
    {
      written: sticky(
        `\\{"id":${id},(?:"buildPath":${plain},)?"path":"([^"\\\\]*)","className":${plain}`,
      ),
      fromWritten: ([, id = '', buildPath = null, path = '', className = null]) => ({
        kind: 'task-started',
        id,
        path,
        buildPath,
        className,
      }),
      fromData: (data) => {
        const [id, path] = [idAt(data, 'id'), textAt(data, 'path')]
        if (id === null || path === null) return undefined
        const [buildPath, className] = [textAt(data, 'buildPath'), textAt(data, 'className')]
        return { kind: 'task-started', id, path, buildPath, className }
      },
    },
  ],
  [
    'TaskFinished',
    {
      written: sticky(
        `\\{"id":${id},"path":"([^"\\\\]*)","outcome":"(\\w+)","skipMessage":${plain},"cacheable":(true|false)` +
          `,"cachingDisabledReasonCategory":${plain},"cachingDisabledExplanation":${plain}` +
          `,"originBuildInvocationId":${plain},"originExecutionTime":(?:null|(\\d+))[,}]`,
      ),
      fromWritten: ([
        ,
        id = '',
        path = '',
        outcome = '',
        ,
        cacheable,
        category = null,
        reason = null,
        ,
        origin,
      ]) => ({
        kind: 'task-finished',
        id,
        path,
        outcome,
        cacheable: cacheable === 'true',
        category,
        reason,
        originMs: origin === undefined ? null : Number(origin),
      }),
      fromData: (data) => {
        const id = idAt(data, 'id')
        if (id === null) return undefined
        return {
          kind: 'task-finished',
          id,
          path: textAt(data, 'path'),
          outcome: textAt(data, 'outcome'),
          cacheable: flagAt(data, 'cacheable'),
          category: textAt(data, 'cachingDisabledReasonCategory'),
          reason: textAt(data, 'cachingDisabledExplanation'),
          originMs: numberAt(data, 'originExecutionTime'),
        }
      },
    },
  ],
  [
    'TestStarted',
    {
      written: sticky(
        `\\{"task":${id},"id":${id},"parent":(?:null|-?\\d+),"name":"([^"\\\\]*)","className":${plain},"suite":(true|false)`,
      ),
      fromWritten: ([, task = '', id = '', name = '', className = null, suite]) => ({
        kind: 'test-started',
        id,
        task,
        name,
        className,
        isSuite: suite === 'true',
      }),
      fromData: (data) => {
        const [id, name] = [idAt(data, 'id'), textAt(data, 'name')]
        if (id === null || name === null) return undefined
        const [task, className] = [idAt(data, 'task'), textAt(data, 'className')]
        const isSuite = flagAt(data, 'suite') !== false
        return { kind: 'test-started', id, task, name, className, isSuite }
      },
    },
  ],
  [
    'TestFinished',
    {
      written: sticky(
        `\\{"task":-?\\d+,"id":${id},"failed":(true|false),"skipped":(true|false),"failureId":(?:null|${id})[,}]`,
      ),
      fromWritten: ([, id = '', failed, skipped, failureId = null]) => ({
        kind: 'test-finished',
        id,
        failed: failed === 'true',
        skipped: skipped === 'true',
        failureId,
      }),
      fromData: (data) => {
        const id = idAt(data, 'id')
        if (id === null) return undefined
        const skipped = flagAt(data, 'skipped') === true
        const hasFailure = (data.failureId ?? data.failure ?? null) !== null
        const failed = flagAt(data, 'failed') ?? (hasFailure || (skipped ? false : null))
        // A test whose end doesn't say how stays unfinished: it must not count as passed.
        if (failed === null) throw new TypeError('the event has no readable "failed"')
        return {
          kind: 'test-finished',
          id,
          failed,
          skipped,
          failureId: idAt(data, 'failureId'),
        }
      },
    },
  ],
])

function sticky(pattern: string): RegExp {
  return new RegExp(pattern, 'y')
}
