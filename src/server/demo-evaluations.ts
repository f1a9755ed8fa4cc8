import type { Logger } from 'pino'
import type { Clock } from '../protocol/clock.ts'
import { packagePath, policyScanPath } from '../protocol/package-address.ts'
import { createEvaluationRecorder } from './proxy/history/evaluation-recorder.ts'
import { createHistoryWriter } from './proxy/history/history-writer.ts'
import { seededPackages } from './embedded/governor/seed-packages.ts'
import { sortableId } from './store/actions.ts'
import type { Database } from './store/database.ts'
import { listEvaluations } from './store/evaluations.ts'
import { seedOnce } from './store/seed-once.ts'

/** Who evaluated the packages of the demo before anybody came. */
const pipeline = 'release-pipeline'
const agoMs = 25 * 60_000

/**
 * Evaluates every package of the demo with these policy scans, once, and records it as if a pipeline had done so a while
 * ago: boards, packages and the activity then have something to show. `evaluate` sends a request to the policy service.
 */
export async function seedEvaluations(options: {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly scans: readonly string[]
  readonly evaluate: (path: string, body: string) => Promise<Response>
}): Promise<void> {
  const { database, clock, logger, scans, evaluate } = options
  const at = clock.now() - agoMs
  const writer = createHistoryWriter({ clock, logger })
  const recorder = createEvaluationRecorder({
    database,
    clock: { ...clock, now: () => at },
    writer,
    changes: { publish: () => undefined },
  })
  await seedOnce(database, clock, {
    name: 'evaluations',
    isThere: async () => (await listEvaluations(database, {}, 1)).length > 0,
    // Recorded again is recorded twice, which is the truth of it.
    undo: () => Promise.resolve(),
    make: async () => {
      for (const { address, sha256, repositoryUrl } of seededPackages)
        for (const scan of scans) {
          const artifact = { sha256, repositoryUrl }
          const response = await evaluate(policyScanPath(address, scan), JSON.stringify(artifact))
          const copy = recorder.record(
            {
              id: sortableId(at),
              startedAt: at - 300,
              by: pipeline,
              packagePath: packagePath(address),
              scan,
              onEnded: () => undefined,
              artifact: Promise.resolve(artifact),
            },
            response.headers.get('content-type') ?? '',
          )
          await copy.take(new Uint8Array(await response.arrayBuffer()))
          copy.end('complete')
        }
      await recorder.settled()
      await writer.close()
    },
  })
}
