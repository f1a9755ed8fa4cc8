import type { Logger } from 'pino'
import type * as z from 'zod/mini'
import type { Clock } from '../../../protocol/clock.ts'
import { parsedJson, reasonOf } from '../../../protocol/parsed-text.ts'
import { findInsights, keepInsight, type ReadingKind } from '../../store/build-insights.ts'
import type { Database } from '../../store/database.ts'

/** What one reading found in builds, in the database and, where that fails, in memory. */
export interface KeptInsights<Result> {
  /** Those that are kept of these builds; the rest is left out. Never throws. */
  readonly find: (
    buildIds: readonly string[],
  ) => AsyncGenerator<{ readonly buildId: string; readonly result: Result }, void, undefined>
  /** Never rejects. */
  readonly keep: (buildId: string, result: Result) => Promise<void>
}

/** Opens what is kept of a reading. */
export function createKeptInsights<Result>(options: {
  readonly reading: ReadingKind & { readonly schema: z.ZodMiniType<Result> }
  readonly database: Database | undefined
  readonly clock: Clock
  readonly logger: Logger
}): KeptInsights<Result> {
  const { reading, database, clock, logger } = options
  /** JSON by build. */
  const inMemory = new Map<string, string>()
  let length = 0

  const remember = (buildId: string, body: string): void => {
    if (body.length > mostInMemory) return
    length += body.length - (inMemory.get(buildId)?.length ?? 0)
    inMemory.delete(buildId)
    inMemory.set(buildId, body)
    for (const [oldest, text] of inMemory) {
      if (length <= mostInMemory) return
      inMemory.delete(oldest)
      length -= text.length
    }
  }

  const failed = (error: unknown): void => {
    logger.warn(
      { reason: reasonOf(error), kind: reading.name },
      'keeping what was read of builds failed',
    )
  }

  const stored = async (buildIds: readonly string[]) => {
    if (database === undefined) return []
    try {
      return await findInsights(database, reading, buildIds)
    } catch (error) {
      failed(error)
      return []
    }
  }

  return {
    find: async function* (buildIds) {
      for (let start = 0; start < buildIds.length; start += page) {
        const ids = buildIds.slice(start, start + page)
        const remembered = ids.flatMap((buildId) => {
          const body = inMemory.get(buildId)
          return body === undefined ? [] : [{ buildId, body }]
        })
        const others = ids.filter((buildId) => !inMemory.has(buildId))
        for (const { buildId, body } of [...remembered, ...(await stored(others))]) {
          const read = reading.schema.safeParse(parsedJson(body))
          if (read.success) yield { buildId, result: read.data }
        }
      }
    },
    keep: async (buildId, result) => {
      const body = JSON.stringify(result)
      try {
        if (database === undefined) remember(buildId, body)
        else await keepInsight(database, reading, { buildId, body }, clock.now())
      } catch (error) {
        failed(error)
        remember(buildId, body)
      }
    },
  }
}

/** So many builds are looked up at once: what is kept of one may be large. */
const page = 50
/** Characters, of one reading. */
const mostInMemory = 16 * 1024 * 1024
