import { Facts } from '../../protocol/facts.ts'
import { readEvents } from '../store/build-events.ts'
import type { CountedBuild } from '../store/build-points.ts'
import type { Database } from '../store/database.ts'
import { storeCounted, type Uncounted, uncountedBuilds } from '../store/point-backfill.ts'
import { countedEventTypes, createBuildCounter } from './build-counter.ts'

/** Counts builds that an earlier release stored, beside all other work. */
export interface Counting {
  /** Whether every build is counted. */
  readonly isWhole: () => boolean
  /** Ends it; what is left is taken up at the next start. */
  readonly stop: () => Promise<void>
}

const batchSize = 50

/** Begins once every build can be searched, the newest builds first. A failure is reported, no more. */
export function startCounting(
  database: Database,
  searchable: Promise<void>,
  failed: (error: unknown) => void,
): Counting {
  let isWhole = false
  let stopped = false
  const running = searchable.then(run).catch(failed)

  async function run(): Promise<void> {
    while (!stopped && !isWhole) {
      const { builds, upto } = await uncountedBuilds(database, batchSize)
      const isLast = builds.length < batchSize
      const rest = isLast ? 0 : (builds.at(-1)?.position ?? 1) - 1
      if (upto > 0) await storeCounted(database, await Promise.all(builds.map(counted)), rest)
      isWhole = rest === 0
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async function counted({ position, facts }: Uncounted['builds'][number]): Promise<CountedBuild> {
    const counter = createBuildCounter()
    for await (const page of readEvents(database, position, { types: countedEventTypes })) {
      for (const { text } of page) counter.take(text)
    }
    return { position, ...counter.result(Facts.parse(JSON.parse(facts))) }
  }

  return {
    isWhole: () => isWhole,
    stop: async () => {
      stopped = true
      await running
    },
  }
}
