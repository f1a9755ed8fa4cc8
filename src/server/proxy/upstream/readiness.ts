import { versionPath } from '../../../protocol/build-data.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { EvaluationList } from '../../../protocol/evaluation.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { databaseFault } from '../../store/database.ts'
import { misdirection } from './misdirected.ts'
import type { Upstream } from './upstream.ts'

/** One part that must work before people can. */
export interface ReadinessPart {
  readonly name: string
  readonly ready: boolean
  /** A plain sentence without secrets. */
  readonly message: string
}

/** What must be ready. */
export interface ReadinessOptions {
  readonly buildData: Upstream
  /** Rejects when the database does not answer; left out where there is none. */
  readonly database?: () => Promise<void>
  /** Whether builds arrive; left out where nobody knows. */
  readonly live?: () => { readonly ready: boolean; readonly message: string }
  /** Whether evaluations are being recorded; left out where none are. */
  readonly recording?: () => EvaluationList['recording']
  readonly clock: Clock
}

const keptMs = 10_000

/**
 * Asks whether the database can be written and whether the build data server accepts the credential, by the
 * cheapest request that needs one. The outcome is kept for 10 s and asked for once at a time, so that
 * probes do not become load. A server that does not know that request (404) is ready: it answers.
 */
export function createReadiness(
  options: ReadinessOptions,
): () => Promise<readonly ReadinessPart[]> {
  const { clock } = options
  let outcome: Promise<readonly ReadinessPart[]> | null = null
  let askedAt = 0
  return () => {
    if (outcome === null || clock.now() - askedAt >= keptMs) {
      askedAt = clock.now()
      outcome = Promise.all([databasePart(options), buildDataPart(options.buildData)]).then(
        (parts) => [...parts, ...liveParts(options), ...historyParts(options)],
      )
    }
    return outcome
  }
}

async function databasePart({ database }: ReadinessOptions): Promise<ReadinessPart> {
  const name = 'database'
  try {
    await database?.()
    return { name, ready: true, message: 'The database is responding.' }
  } catch (error) {
    return { name, ready: false, message: databaseFault(error) }
  }
}

function liveParts({ live }: ReadinessOptions): readonly ReadinessPart[] {
  return live === undefined ? [] : [{ name: 'live feed', ...live() }]
}

/** Always ready: evaluations go on without being recorded. */
function historyParts({ recording }: ReadinessOptions): readonly ReadinessPart[] {
  if (recording === undefined) return []
  const { ok, reason } = recording()
  const message = ok ? 'Recording evaluations works.' : (reason ?? 'Recording evaluations fails.')
  return [{ name: 'history', ready: true, message }]
}

async function buildDataPart(upstream: Upstream): Promise<ReadinessPart> {
  const { name } = upstream
  if (upstream.kind === 'none') return { name, ready: true, message: 'None is configured.' }
  try {
    const answer = await upstream.client.request({ path: versionPath })
    answer.cancel()
    const elsewhere = misdirection(answer, name, upstream.settings.url)
    return elsewhere === undefined
      ? answerPart(name, answer.status, upstream)
      : { name, ready: false, message: elsewhere }
  } catch (error) {
    const message = error instanceof ProblemError ? error.message : `Can't reach the ${name}.`
    return { name, ready: false, message }
  }
}

function answerPart(name: string, status: number, upstream: Upstream): ReadinessPart {
  if (status === 401 || status === 403) {
    const message = `The ${name} rejects Sightline's credentials (${status}). Check ${upstream.settings.credential}.`
    return { name, ready: false, message }
  }
  return status >= 500 || status === 429
    ? { name, ready: false, message: `The ${name} is unavailable (${status}).` }
    : { name, ready: true, message: `The ${name} is responding.` }
}
