import { type BuildCollector, createBuildCollector } from '../../../facts/build-collector.ts'
import { type ComparedExecution, compareExecutions, grownMost } from '../../../facts/comparison.ts'
import { compareDependencies } from '../../../facts/dependencies.ts'
import { allExecutions } from '../../../facts/execution-table.ts'
import type { Execution } from '../../../facts/execution.ts'
import { caseOutcomes, type TestCase, testCases } from '../../../facts/test-cases.ts'
import { inView, laneSpans, type TimelineView, timeSpan } from '../../../facts/timeline.ts'
import { createKeeper } from '../../../protocol/keyed.ts'
import { fullTestName } from '../../../protocol/test-insight.ts'
import { createSseReader, type SseReader } from '../../../protocol/sse.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import type { AnswerOf } from '../core/page-worker.ts'
import {
  type BuildAnswers,
  type BuildPart,
  type BuildQuery,
  comparedKey,
  executionKey,
  type FromWorker,
  type PartProgress,
  type Stretch,
  type ToWorker,
  type Window,
} from './build-event-messages.ts'

/** What runs in the worker: keeps what comes of the bytes handed over, answers queries, and sends by `post`. */
export function createBuildEngine(
  post: (message: FromWorker) => void,
): (message: ToWorker) => void {
  const readers = new Map<string, BuildPartReader>()
  const answer = createBuildAnswers((buildId, part) => readers.get(keyOf(buildId, part))?.collector)

  function readerOf(buildId: string, part: BuildPart): BuildPartReader {
    const key = keyOf(buildId, part)
    const reader = readers.get(key) ?? createBuildPartReader(part)
    readers.set(key, reader)
    return reader
  }

  function postProgress(buildId: string, part: BuildPart, taken: number, trouble?: string): void {
    const progress = readerOf(buildId, part).progress()
    post({ kind: 'progress', buildId, part, taken, progress, trouble })
  }

  return (message) => {
    switch (message.kind) {
      case 'open':
        readerOf(message.buildId, message.part).open(message.anew)
        postProgress(message.buildId, message.part, 0)
        break
      case 'bytes': {
        const { buildId, part, bytes } = message
        try {
          readerOf(buildId, part).take(bytes)
          postProgress(buildId, part, bytes.length)
        } catch (error) {
          postProgress(buildId, part, bytes.length, reasonOf(error))
        }
        break
      }
      case 'forget':
        for (const key of readers.keys()) {
          if (key.startsWith(`${message.buildId} `)) readers.delete(key)
        }
        break
      case 'query':
        try {
          post({
            kind: 'answer',
            id: message.id,
            answer: answer(message.buildId, message.query),
          })
        } catch (error) {
          post({ kind: 'no-answer', id: message.id, reason: reasonOf(error) })
        }
    }
  }
}

function keyOf(buildId: string, part: BuildPart): string {
  return `${buildId} ${part}`
}

/** Raw events beyond this are counted only, so that a page never outgrows its machine. */
const mostLogBytes = 128 * 1024 * 1024
/** Exceptions of a whole build stand in one message. */
const mostMessageCharacters = 64 * 1024 * 1024

/** What a part of a build's events has come to, whatever connections it came through. */
interface BuildPartReader {
  readonly collector: BuildCollector
  /** A new connection follows; `anew` forgets what came before. */
  readonly open: (anew: boolean) => void
  /** The next bytes of the connection. Throws a RangeError where a message is too long. */
  readonly take: (bytes: Uint8Array) => void
  readonly progress: () => PartProgress
}

/** Reads one part into a collector that makes of it what the part is for. */
function createBuildPartReader(part: BuildPart): BuildPartReader {
  let collector = newCollector(part)
  let reader: SseReader | undefined
  let lastEventId: string | undefined
  let isReplay = false
  let isFirst = false
  let wasCut = false
  const isAtBorder = (): boolean => reader?.isAtBorder() !== false

  function connect(): SseReader {
    return createSseReader(
      {
        onMessage: ({ event, data, id = '' }) => {
          const resumes = isFirst && collector.starts() > 0
          isFirst = false
          // A build that is over and was read to its end: the server cannot resume and sends it anew.
          if (event === 'Build' && resumes && collector.isFinished() && !wasCut) isReplay = true
          if (isReplay) return
          if (event === 'Build') collector.build(data)
          else if (event === 'BuildEvent') collector.event(data, id)
          if (id !== '') lastEventId = id
        },
      },
      mostMessageCharacters,
    )
  }

  return {
    get collector() {
      return collector
    },
    open: (anew) => {
      if (anew) {
        collector = newCollector(part)
        lastEventId = undefined
      }
      isReplay = false
      isFirst = true
      wasCut = !isAtBorder()
      reader = connect()
    },
    take: (bytes) => {
      reader?.feed(bytes)
    },
    progress: () => ({
      events: collector.events(),
      malformed: collector.malformed(),
      unreadable: collector.unreadable(),
      lastEventId,
      isFinished: collector.isFinished(),
      isReplay,
      isAtBorder: isAtBorder(),
    }),
  }
}

function newCollector(part: BuildPart): BuildCollector {
  return createBuildCollector({
    header: part === 'header',
    executions: part === 'executions',
    dependencies: part === 'dependencies',
    logBytes: part === 'log' ? mostLogBytes : 0,
  })
}

/**
 * Answers from the collectors. What a list is cut from is made once and kept until more events came
 * or another list is queried, as lists are queried window by window. Throws a RangeError where a
 * part was never opened.
 */
function createBuildAnswers(
  find: (buildId: string, part: BuildPart) => BuildCollector | undefined,
): (buildId: string, query: BuildQuery) => AnswerOf<BuildAnswers> {
  const places = createKeeper<Uint32Array>(mostKept)
  const cases = createKeeper<readonly TestCase[]>(mostKept)
  const comparisons = createKeeper<readonly ComparedExecution[]>(mostKept)

  function part(buildId: string, name: BuildPart): BuildCollector {
    const collector = find(buildId, name)
    if (collector === undefined) throw new RangeError(`nothing of ${name} was read of ${buildId}`)
    return collector
  }

  function placesOf(buildId: string, view: TimelineView): Uint32Array {
    const collector = part(buildId, 'executions')
    const key = `${buildId} ${collector.events()} ${JSON.stringify(view)}`
    return places.open(key, () => inView(collector.executions(), view))
  }

  function casesOf(buildId: string): readonly TestCase[] {
    const collector = part(buildId, 'executions')
    const key = `${buildId} ${collector.events()}`
    return cases.open(key, () =>
      testCases(allExecutions(collector.executions())).toSorted(
        (a, b) => caseOutcomes.indexOf(a.outcome) - caseOutcomes.indexOf(b.outcome),
      ),
    )
  }

  function comparisonOf(left: string, right: string): readonly ComparedExecution[] {
    const [one, other] = [part(left, 'executions'), part(right, 'executions')]
    const key = `${left} ${one.events()} ${right} ${other.events()}`
    return comparisons.open(key, () =>
      compareExecutions(
        [...allExecutions(one.executions())],
        [...allExecutions(other.executions())],
      ),
    )
  }

  return (buildId, query) => {
    switch (query.kind) {
      case 'header': {
        const collector = part(buildId, 'header')
        const message = collector.message()
        const header = message === undefined ? null : collector.header().read(message)
        return { kind: 'header', answer: header }
      }
      case 'executions': {
        const executions = part(buildId, 'executions').executions()
        const span = timeSpan(executions) ?? null
        const [counts, lanes] = [executions.counts(), executions.lanes()]
        return { kind: 'executions', answer: { counts, lanes, span } }
      }
      case 'rows': {
        const found = placesOf(buildId, query.view)
        const executions = part(buildId, 'executions').executions()
        const { kindAt, idAt } = executions
        const answer = stretch<Execution>(query, found.length, {
          find: (row) =>
            found.findIndex(
              (place) => executionKey({ kind: kindAt(place), id: idAt(place) }) === row,
            ),
          slice: (from, to) => Array.from(found.subarray(from, to), executions.at),
        })
        return { kind: 'rows', answer }
      }
      case 'spans': {
        const executions = part(buildId, 'executions').executions()
        const { view, span, columns, lanes } = query
        const found = placesOf(buildId, view)
        return { kind: 'spans', answer: laneSpans(executions, found, span, columns, lanes) }
      }
      case 'tests': {
        const all = casesOf(buildId)
        const found = all.filter(
          (one) => isWanted(query.outcomes, one.outcome) && isCalled(one, query.search),
        )
        const counts = countBy(all, ({ outcome }) => outcome)
        return {
          kind: 'tests',
          answer: {
            ...cut(found, query, ({ runs }, row) => runs.some((run) => executionKey(run) === row)),
            counts,
          },
        }
      }
      case 'failed-tests': {
        const failed = casesOf(buildId).filter(({ outcome }) => outcome === 'failed')
        const header = part(buildId, 'header').header()
        const rows = failed.slice(0, query.most).map((test) => {
          const id = test.runs.find(({ failureId }) => failureId !== null)?.failureId
          const failure = typeof id === 'string' ? header.failure(id) : undefined
          return { test, failure: failure ?? null }
        })
        return { kind: 'failed-tests', answer: { total: failed.length, rows } }
      }
      case 'dependencies': {
        const [left, right] = [buildId, query.other].map((id) =>
          part(id, 'dependencies').dependencies().list(),
        )
        const differences = compareDependencies(left ?? [], right ?? [])
        const [one, other] = [left?.length ?? 0, right?.length ?? 0]
        return { kind: 'dependencies', answer: { differences, left: one, right: other } }
      }
      case 'failure': {
        const failure = part(buildId, 'header').header().failure(query.id) ?? null
        return { kind: 'failure', answer: failure }
      }
      case 'log': {
        const log = part(buildId, 'log').log()
        const { types } = query
        const counts = log.counts()
        const total = counts.reduce(
          (sum, { type, kept }) => sum + (isWanted(types, type) ? kept : 0),
          0,
        )
        const rows = stretch(query, total, {
          find: (row) => log.find(types, Number(row.replace('event-', ''))),
          slice: (from, to) => log.slice(types, from, to - from),
        })
        return { kind: 'log', answer: { ...rows, kept: log.kept(), counts } }
      }
      case 'comparison': {
        const compared = comparisonOf(buildId, query.other)
        const search = query.search.trim().toLowerCase()
        const found = compared.filter(
          ({ change, path }) =>
            isWanted(query.changes, change) && path.toLowerCase().includes(search),
        )
        const counts = countBy(compared, ({ change }) => change)
        const rows = cut(found, query, (one, row) => comparedKey(one) === row)
        const grown = grownMost(compared, mostGrown)
        return { kind: 'comparison', answer: { ...rows, counts, grown } }
      }
    }
  }
}

/** A sentence names so many. */
const mostGrown = 3
const mostKept = 4

function isWanted<T>(wanted: readonly T[] | undefined, value: T): boolean {
  return wanted === undefined || wanted.includes(value)
}

function isCalled(test: TestCase, search: string): boolean {
  const called = `${test.task ?? ''} ${fullTestName(test)}`
  return called.toLowerCase().includes(search.trim().toLowerCase())
}

function countBy<T, K extends string>(list: readonly T[], keyOf: (one: T) => K) {
  const counts: Partial<Record<K, number>> = {}
  for (const one of list) {
    const key = keyOf(one)
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

/** Cuts a stretch out of a list; `has` compares a row with a key. */
function cut<T>(
  list: readonly T[],
  window: Window,
  has: (one: T, key: string) => boolean,
): Stretch<T> {
  return stretch(window, list.length, {
    find: (key) => list.findIndex((one) => has(one, key)),
    slice: (from, to) => list.slice(from, to),
  })
}

function stretch<T>(
  { from, count, row }: Window,
  total: number,
  list: {
    readonly find: (key: string) => number
    readonly slice: (from: number, to: number) => readonly T[]
  },
): Stretch<T> {
  const begin = row === undefined ? from : list.find(row)
  return { from: begin, total, rows: begin === -1 ? [] : list.slice(begin, begin + count) }
}
