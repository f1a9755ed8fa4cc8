import type { EvaluationList } from '../../../protocol/evaluation.ts'
import type { StatusPart } from '../../../protocol/status-report.ts'
import type { DatabaseWatch } from './database-status.ts'
import type { Status } from './status.ts'

/** One part that people need. */
export interface ReadinessPart {
  readonly name: string
  readonly ready: boolean
  /** Whether requests should go elsewhere while it isn't ready. */
  readonly required: boolean
  /** A plain sentence without secrets. */
  readonly message: string
}

/** What `GET /readyz` responds; `degraded`: ready, but a part that isn't required is not. */
export interface Readiness {
  readonly ready: boolean
  readonly status: 'ready' | 'degraded' | 'not-ready'
  readonly parts: readonly ReadinessPart[]
}

/** What must be ready. */
export interface ReadinessOptions {
  readonly status: Status
  readonly database: DatabaseWatch | undefined
  /** Whether evaluations are being recorded; left out where none are. */
  readonly recording: (() => EvaluationList['recording']) | undefined
  /** Whether this process is shutting down. */
  readonly isEnding: () => boolean
}

/**
 * Whether this process can serve requests (docs/design.md#readiness): it isn't shutting down and its
 * database can be written, which is tried at most every 10 s, and twice a second while it can't. The
 * servers behind it are reported, as far as they are known, but a lost one is lost for every other
 * process, too.
 */
export async function readiness(options: ReadinessOptions): Promise<Readiness> {
  const { status, database, recording, isEnding } = options
  await database?.probe()
  // What is out of date is looked at for the next probe: this one doesn't wait for a slow server.
  void status.report()
  const { buildServer, policyService } = status.known()
  const parts = [
    ...(isEnding()
      ? [{ name: 'process', ready: false, required: true, message: 'Sightline is shutting down.' }]
      : []),
    databasePart(database),
    serverPart('build server', buildServer),
    serverPart('policy service', policyService),
    ...historyParts(recording),
  ]
  const isReady = parts.every(({ ready, required }) => ready || !required)
  const isWhole = parts.every(({ ready }) => ready)
  return { ready: isReady, status: isWhole ? 'ready' : isReady ? 'degraded' : 'not-ready', parts }
}

function databasePart(database: DatabaseWatch | undefined): ReadinessPart {
  const { health, message } = database?.status() ?? { health: 'ok', message: 'None is used.' }
  // One that only fails to record is responding.
  const isFailed = health === 'failed'
  return {
    name: 'database',
    ready: !isFailed,
    required: true,
    message: isFailed || database === undefined ? message : 'The database is responding.',
  }
}

function serverPart(name: string, { health, message }: StatusPart): ReadinessPart {
  return { name, ready: health !== 'failed', required: false, message }
}

/** Always ready: evaluations go on without being recorded. */
function historyParts(recording: ReadinessOptions['recording']): readonly ReadinessPart[] {
  if (recording === undefined) return []
  const { ok, reason } = recording()
  const message = ok ? 'Recording evaluations works.' : (reason ?? 'Recording evaluations fails.')
  return [{ name: 'history', ready: true, required: false, message }]
}
