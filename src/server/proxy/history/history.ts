import type { Logger } from 'pino'
import type { AuditOutcome } from '../../../protocol/audit-log.ts'
import { type Clock, dayMs, wait } from '../../../protocol/clock.ts'
import {
  evaluationHeader,
  type EvaluationList,
  type EvaluationSummary,
} from '../../../protocol/evaluation.ts'
import type { ApprovalRule } from '../../../protocol/waiver.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { sortableId } from '../../store/actions.ts'
import type { Database } from '../../store/database.ts'
import { sweepHistory } from '../../store/history-sweep.ts'
import type { Changes } from '../changes/changes.ts'
import { type Audit, createAudit } from './audit.ts'
import {
  createEvaluationRecorder,
  operationAddress,
  readRequestedArtifact,
} from './evaluation-recorder.ts'
import type {
  ForwardWatch,
  PassedRequest,
  RequestWatch,
  ResponseStatus,
} from './evaluation-response.ts'
import { createHistoryWriter, type WriterState } from './history-writer.ts'

/** What the history stands on. */
export interface HistoryOptions {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: HistorySettings
  /** Where it is published what was stored. */
  readonly changes: Pick<Changes, 'publish'>
  /** Masks the configured credentials in what is audited. */
  readonly redact: (text: string) => string
}

/** What the proxy remembers: evaluations, waivers, and who did what. */
export interface History {
  readonly options: HistoryOptions
  /** Where whoever does something has it audited. */
  readonly audit: Audit
  /** Watches what is asked of the attestation and policy scan service, and records it. */
  readonly watch: ForwardWatch
  readonly writer: () => WriterState
  readonly recording: () => EvaluationList['recording']
  /** Resolves once what has ended is recorded, after a few seconds at the latest; whether it is. */
  readonly settled: () => Promise<boolean>
  /** Ends it once what is being recorded is written, or cannot be within a few seconds. */
  readonly close: () => Promise<void>
}

/** As long the end waits for what is being read, ms: its upstream is gone by then. */
const longestReadingMs = 5000

/** Opens the history on a database, and begins to keep it from growing for ever. */
export function createHistory(options: HistoryOptions): History {
  const { clock, logger } = options
  const writer = createHistoryWriter({ clock, logger, probe: options.database.probe })
  const { require } = options.settings
  const recorder = createEvaluationRecorder({ ...options, writer, require })
  const audit = createAudit({ ...options, writer })
  const keeper = startHistoryKeeper(options)

  let idTime = 0

  function watchEvaluation(request: PassedRequest): RequestWatch {
    const startedAt = clock.now()
    // The newest run is the one with the last id, also after the clock was set back.
    idTime = Math.max(startedAt, idTime + 1)
    const id = sortableId(idTime)
    const { packagePath, last } = operationAddress(request.segments, 2)
    const evaluated = (how: string, outcome: AuditOutcome): void => {
      audit.record({
        ...request.origin,
        action: 'evaluated',
        subject: packagePath,
        detail: `Evaluated ${last}${how}.`,
        outcome,
      })
    }
    return {
      answered: (status) => {
        if (!isSuccess(status)) evaluated(`; ${responseText(status)}`, 'failed')
      },
      passed: (mediaType) => ({
        headers: { [evaluationHeader]: id },
        copy: recorder.record(
          {
            id,
            startedAt,
            by: request.origin.actor.name,
            packagePath,
            scan: last,
            onEnded: (ended) => {
              evaluated(...endings[ended])
            },
            artifact: readRequestedArtifact(request.body ?? new Uint8Array(), request.contentType),
          },
          mediaType,
        ),
      }),
    }
  }

  return {
    options,
    audit,
    watch: (request) => {
      if (request.pattern.endsWith('/policy-scans/:scan')) return watchEvaluation(request)
      if (!request.pattern.endsWith('/attestations')) return undefined
      return watchPublishing(audit, request)
    },
    writer: writer.state,
    recording: () => recordingOf(writer.state()),
    settled: writer.settled,
    close: async () => {
      const closed = new AbortController()
      await Promise.race([recorder.settled(), wait(clock, longestReadingMs, closed.signal)])
      closed.abort()
      audit.close()
      await Promise.all([writer.close(), keeper.close()])
    },
  }
}

const endings: Record<EvaluationSummary['ended'], readonly [string, AuditOutcome]> = {
  complete: ['', 'done'],
  broken: ['; the response broke off', 'failed'],
  cancelled: ['; canceled before the response was complete', 'failed'],
}

function watchPublishing(audit: Audit, request: PassedRequest): RequestWatch {
  let status: ResponseStatus = null
  const record = (ending: string, outcome: AuditOutcome): void => {
    audit.record({
      ...request.origin,
      action: 'attestations-published',
      subject: operationAddress(request.segments, 1).packagePath,
      detail: `Requested publishing of attestations; ${responseText(status)}${ending}.`,
      outcome,
    })
  }
  return {
    answered: (answered) => {
      status = answered
      // Only its end tells what became of the rest.
      if (!isSuccess(status)) record('', 'failed')
    },
    passed: () => ({
      headers: {},
      copy: isSuccess(status)
        ? {
            take: () => undefined,
            end: (how) => {
              const [ending, outcome] = endings[how]
              record(how === 'complete' ? '' : `${ending}. A part may be stored`, outcome)
            },
          }
        : undefined,
    }),
  }
}

function isSuccess(status: ResponseStatus): boolean {
  return typeof status === 'number' && status < 300
}

function responseText(status: ResponseStatus): string {
  if (status === null) return "the service didn't respond"
  if (status === 'canceled') return 'canceled before the service responded'
  return status === 'unusable'
    ? 'the service responded with something other than data'
    : `the service responded with ${status}`
}

function recordingOf({ isFailing, lost, waiting }: WriterState): EvaluationList['recording'] {
  const reason = `The database isn't accepting records: ${waiting} ${waiting === 1 ? 'entry is waiting' : 'entries are waiting'}, and ${lost} ${lost === 1 ? 'is' : 'are'} lost. See the Sightline server's log for details.`
  return { ok: !isFailing, lost, reason: isFailing ? reason : null }
}

/** Keeps the history from growing for ever. */
export interface HistoryKeeper {
  /** Ends it, after the few rows that are just being removed. */
  readonly close: () => Promise<void>
}

/** Removes what is no longer kept: now, and every day from now on. A failure is logged, no more. */
export function startHistoryKeeper(options: {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly settings: HistorySettings
}): HistoryKeeper {
  const { database, clock, logger, settings } = options
  const closed = new AbortController()
  let cancel = (): void => undefined
  let sweeping = sweep()

  async function sweep(): Promise<void> {
    try {
      const keepFrom = clock.now() - settings.keepDays * dayMs
      const limits = { keepFrom, keepPerScan: settings.keepPerScan }
      const removed = await sweepHistory(database, limits, closed.signal)
      if (removed > 0) logger.info({ removed }, 'old evaluations were removed')
    } catch (error) {
      logger.warn({ reason: reasonOf(error) }, 'removing old evaluations failed')
    }
    if (closed.signal.aborted) return
    cancel = clock.after(dayMs, () => {
      sweeping = sweep()
    })
  }

  return {
    close: async () => {
      closed.abort()
      cancel()
      await sweeping
    },
  }
}

/** How long the history is kept, and how long a policy may be waived: from the configuration file. */
export interface HistorySettings {
  /** Evaluations and actions that are older are removed, days. */
  readonly keepDays: number
  /** Of each policy scan of a version of a package, as many of the newest evaluations are kept. */
  readonly keepPerScan: number
  /** As many days ahead a waiver may end at most. */
  readonly longestWaiverDays: number
  /** Which waivers wait for somebody else's approval: none unless given. */
  readonly approval?: ApprovalRule
  /** So many days before waivers end, alerts remind of them: never unless given. */
  readonly remindDays?: readonly number[]
  /** What boards require, for runs to keep how it came out: nothing unless given. */
  readonly require?: readonly string[]
  /** Names of the boards that have a webhook: none unless given. */
  readonly webhookBoards?: readonly string[]
  /** Who takes alerts: names of routes, empty for the receiver without a name; nobody unless given. */
  readonly alertRoutes?: readonly string[]
  /** A message waits to be sent. */
  readonly wakeAlerts?: () => void
}
