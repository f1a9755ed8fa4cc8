import type { Logger } from 'pino'
import { type Clock, wait } from '../../protocol/clock.ts'
import { evaluationHeader, type EvaluationList } from '../../protocol/evaluation.ts'
import { addAction } from '../store/actions.ts'
import type { Database } from '../store/database.ts'
import { sortableId } from '../store/sortable-id.ts'
import { operationAddress, readAskedArtifact } from './evaluation-asked.ts'
import { createEvaluationRecorder } from './evaluation-recorder.ts'
import type { ForwardWatch, PassedRequest, RequestWatch } from './forward-watch.ts'
import { startHistoryKeeper } from './history-keeper.ts'
import type { HistorySettings } from './history-settings.ts'
import { createHistoryWriter, type HistoryWriter, type WriterState } from './history-writer.ts'

/** What the history stands on. */
export interface HistoryOptions {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: HistorySettings
}

/** What the proxy remembers: evaluations, waivers, and who did what. */
export interface History {
  readonly options: HistoryOptions
  /** Watches what is asked of the attestation and policy scan service, and records it. */
  readonly watch: ForwardWatch
  readonly writer: () => WriterState
  readonly recording: () => EvaluationList['recording']
  /** Ends it once what is being recorded is written, or cannot be within a few seconds. */
  readonly close: () => Promise<void>
}

/** As long the end waits for what is being read, ms: its upstream is gone by then. */
const longestReadingMs = 5000

/** Opens the history on a database, and begins to keep it from growing for ever. */
export function createHistory(options: HistoryOptions): History {
  const { clock } = options
  const writer = createHistoryWriter(options)
  const recorder = createEvaluationRecorder({ ...options, writer })
  const keeper = startHistoryKeeper(options)

  function watchEvaluation(request: PassedRequest): RequestWatch {
    const startedAt = clock.now()
    const id = sortableId(startedAt)
    const { packagePath, last } = operationAddress(request.segments, 2)
    return {
      answered: () => undefined,
      passed: (form) => ({
        headers: { [evaluationHeader]: id },
        copy: recorder.record(
          {
            id,
            startedAt,
            by: request.by,
            packagePath,
            scan: last,
            artifact: readAskedArtifact(request.body ?? new Uint8Array(), request.contentType),
          },
          form,
        ),
      }),
    }
  }

  return {
    options,
    watch: (request) => {
      if (request.pattern.endsWith('/policy-scans/:scan')) return watchEvaluation(request)
      if (!request.pattern.endsWith('/attestations')) return undefined
      return watchPublishing(options, writer, request)
    },
    writer: writer.state,
    recording: () => recordingOf(writer.state()),
    close: async () => {
      const closed = new AbortController()
      await Promise.race([recorder.settled(), wait(clock, longestReadingMs, closed.signal)])
      closed.abort()
      await Promise.all([writer.close(), keeper.close()])
    },
  }
}

function watchPublishing(
  { database, clock }: HistoryOptions,
  writer: HistoryWriter,
  request: PassedRequest,
): RequestWatch {
  return {
    answered: (status) => {
      const at = clock.now()
      const action = {
        id: sortableId(at),
        at,
        by: request.by,
        action: 'attestations-published',
        subject: operationAddress(request.segments, 1).packagePath,
        detail:
          status === null
            ? 'Asked for attestations to be published; the service gave no answer.'
            : `Asked for attestations to be published; the service answered ${status}.`,
      }
      writer.add({ bytes: 1024, write: () => addAction(database.kysely, action) })
    },
    passed: () => ({ headers: {}, copy: undefined }),
  }
}

function recordingOf({ isFailing, lost, waiting }: WriterState): EvaluationList['recording'] {
  const reason = `The database does not take what is recorded: ${waiting} ${waiting === 1 ? 'entry waits' : 'entries wait'}, and ${lost} ${lost === 1 ? 'is' : 'are'} lost. The log of the proxy says more.`
  return { ok: !isFailing, lost, reason: isFailing ? reason : null }
}
