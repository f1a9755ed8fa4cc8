import type { Logger } from 'pino'
import { type Clock, dayMs } from '../protocol/clock.ts'
import { packagePath, policyScanPath } from '../protocol/package-address.ts'
import type { NewWaiver } from '../protocol/waiver.ts'
import { seededPackages } from './embedded/governor/seed-packages.ts'
import { createEvaluationRecorder } from './proxy/history/evaluation-recorder.ts'
import { createHistoryWriter } from './proxy/history/history-writer.ts'
import { givenText } from './proxy/history/waiver-routes.ts'
import { sortableId } from './store/actions.ts'
import type { Database } from './store/database.ts'
import { listEvaluations } from './store/evaluations.ts'
import { seedOnce } from './store/seed-once.ts'
import { addWaivers, listWaivers } from './store/waivers.ts'

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

/** What people of the demo have waived before anybody came: one counts, one waits, one is over. */
const waived = [
  {
    name: 'shop-android',
    scan: 'release',
    policyUri: '/policies/ResolvedDependenciesRepositories/approved-repositories',
    reason: 'The mirror is reviewed; its approval is under way.',
    ticket: 'SEC-231',
    by: 'ines',
    needsApproval: false,
    givenDaysAgo: 1,
    days: 7,
  },
  {
    name: 'recommendations',
    scan: 'production',
    policyUri: '/policies/DependencyScoring/dependency-health',
    reason: 'The upgrade breaks the model loader; it comes with 0.10.',
    ticket: 'REC-88',
    by: 'mei',
    needsApproval: true,
    givenDaysAgo: 0.1,
    days: 14,
  },
  {
    name: 'warehouse',
    scan: 'release',
    policyUri: '/policies/ResolvedDependenciesRepositories/approved-repositories',
    reason: 'One hotfix from the repository of its vendor.',
    ticket: 'WHS-4531',
    by: 'henrik',
    needsApproval: false,
    givenDaysAgo: 10,
    days: 7,
  },
]

/** Gives the waivers of the demo, once, as if its people had done so. */
export async function seedWaivers(database: Database, clock: Clock): Promise<void> {
  const now = clock.now()
  await seedOnce(database, clock, {
    name: 'waivers',
    isThere: async () => (await listWaivers(database, { now })).length > 0,
    // What a process gave before it was killed is not given again.
    undo: () => Promise.resolve(),
    make: async () => {
      const there = await listWaivers(database, { now })
      for (const { name, scan, by, needsApproval, givenDaysAgo, days, ...why } of waived) {
        const of = seededPackages.find(({ address }) => address.name === name)
        if (of === undefined || there.some((given) => given.by === by)) continue
        const at = now - givenDaysAgo * dayMs
        const waiver: NewWaiver = {
          ...why,
          packagePath: packagePath(of.address),
          sha256: of.sha256,
          scan,
          person: by,
          expiresAt: at + days * dayMs,
        }
        const detail = givenText(waiver, needsApproval, 1)
        const actor = { kind: 'person' as const, name: by }
        await addWaivers(database, [{ waiver, needsApproval, detail }], { at, actor, from: null })
      }
    },
  })
}
