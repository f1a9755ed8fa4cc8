import { type BuildCollector, createBuildCollector } from '../../../facts/build-collector.ts'
import { createSseReader, type SseReader } from '../../../protocol/sse-reader.ts'
import type { BuildPart, PartProgress } from './build-event-messages.ts'

/** Raw events beyond this are counted only, so that a page never outgrows its machine. */
const mostLogBytes = 128 * 1024 * 1024
/** Exceptions of a whole build stand in one message. */
const mostMessageCharacters = 64 * 1024 * 1024

/** What a part of a build's events has come to, whatever connections it came through. */
export interface BuildPartReader {
  readonly collector: BuildCollector
  /** A new connection follows; `anew` forgets what came before. */
  readonly open: (anew: boolean) => void
  /** The next bytes of the connection. Throws a RangeError where a message is too long. */
  readonly take: (bytes: Uint8Array) => void
  readonly progress: () => PartProgress
}

/** Reads one part into a collector that makes of it what the part is for. */
export function createBuildPartReader(part: BuildPart): BuildPartReader {
  let collector = newCollector(part)
  let reader: SseReader | undefined
  let lastEventId: string | undefined
  let isReplay = false
  let isFirst = false

  function connect(): SseReader {
    return createSseReader(
      {
        onMessage: ({ event, data, id = '' }) => {
          const resumes = isFirst && collector.starts() > 0
          isFirst = false
          // A build that is over and was read to its end: the server cannot resume and tells it anew.
          if (event === 'Build' && resumes && collector.isFinished()) isReplay = true
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
      reader = connect()
    },
    take: (bytes) => {
      reader?.feed(bytes)
    },
    progress: () => ({
      events: collector.events(),
      malformed: collector.malformed(),
      lastEventId,
      isFinished: collector.isFinished(),
      isReplay,
    }),
  }
}

function newCollector(part: BuildPart): BuildCollector {
  return createBuildCollector({
    header: part === 'header',
    executions: part === 'executions',
    logBytes: part === 'log' ? mostLogBytes : 0,
  })
}
