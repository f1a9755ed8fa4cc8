import { factsFromAttributes } from '../../facts/facts-from-attributes.ts'
import { factEventTypes, factsFromEvents } from '../../facts/facts-from-events.ts'
import { factsOfMessage } from '../../facts/merged-facts.ts'
import { Attributes, attributesKey, toolsWithAttributes } from '../../protocol/build-data.ts'
import { decodeBuildEvent } from '../../protocol/build-export.ts'
import type { BuildMessage } from '../../protocol/build-message.ts'
import { type Clock, wait } from '../../protocol/clock.ts'
import type { Facts } from '../../protocol/facts.ts'
import { storePrepared, unpreparedBuilds } from '../store/backfill.ts'
import { readEvents } from '../store/build-events.ts'
import { attributesOf } from '../store/build-listing.ts'
import { messageOf, type StoredBuild } from '../store/build-rows.ts'
import type { Database } from '../store/database.ts'
import type { FactsAt } from '../store/term-writing.ts'
import { stillBeingPrepared } from './api-problem.ts'

/** Makes builds searchable that an earlier release stored, beside all other work. */
export interface SearchPreparation {
  /**
   * Resolves when every build can be searched. Throws a ProblemError (503, worth trying again) when
   * that is not so after `ms`.
   */
  readonly ready: (ms: number, signal: AbortSignal) => Promise<void>
  /** When what there was at the beginning was tried, whether or not it succeeded. */
  readonly tried: Promise<void>
  /** Ends it; what is left is taken up at the next start. */
  readonly stop: () => Promise<void>
}

const batchSize = 50
const types: ReadonlySet<string> = new Set(factEventTypes)

/** Begins at once, the newest builds first. A failure is reported, and tried again by the next search. */
export function startSearchPreparation(
  database: Database,
  clock: Clock,
  failed: (error: unknown) => void,
): SearchPreparation {
  let left = Infinity
  let stopped = false
  let running = run()

  async function run(): Promise<void> {
    try {
      while (left > 0 && !stopped) {
        const { builds, upto } = await unpreparedBuilds(database, batchSize)
        const isLast = builds.length < batchSize
        const rest = isLast ? 0 : (builds.at(-1)?.position ?? 1) - 1
        if (upto > 0) await storePrepared(database, await factsOfAll(builds), rest)
        left = rest
        await new Promise((resolve) => setImmediate(resolve))
      }
    } catch (error) {
      left = Infinity
      failed(error)
    }
  }

  async function factsOfAll(builds: readonly StoredBuild[]): Promise<readonly FactsAt[]> {
    const positions = builds.map(({ position }) => position)
    const attributes = await attributesOf(database, positions)
    return Promise.all(
      builds.map(async (build) => ({
        position: build.position,
        facts: await factsOf(build, attributes.get(build.position)),
      })),
    )
  }

  async function factsOf(build: StoredBuild, attributes: string | undefined): Promise<Facts> {
    const message = messageOf(build)
    const texts: string[] = []
    if (attributes === undefined) {
      for await (const page of readEvents(database, build.position, { types })) {
        texts.push(...page.map(({ text }) => text))
      }
    }
    try {
      const model = attributes === undefined ? null : Attributes.parse(JSON.parse(attributes))
      return factsOfBuild(message, model, texts)
    } catch (error) {
      // What an earlier release let in must not keep all other builds from being found.
      failed(error)
      return factsOfMessage(message)
    }
  }

  return {
    ready: async (ms, signal) => {
      if (left === 0) return
      if (left === Infinity) running = running.then(run)
      const answered = new AbortController()
      const any = AbortSignal.any([signal, answered.signal])
      await Promise.race([running, wait(clock, ms, any)])
      answered.abort()
      if (left > 0) throw stillBeingPrepared(left)
    },
    tried: running,
    stop: async () => {
      stopped = true
      await running
    },
  }
}

/** Whether events of this type have anything that builds are searched by. */
export function hasFacts(eventType: string): boolean {
  return types.has(eventType)
}

/**
 * What builds are searched by: from the attributes where there are any, else from the texts of the
 * events that have facts.
 */
export function factsOfBuild(
  message: BuildMessage,
  attributes: Attributes | null,
  factEvents: readonly string[],
): Facts {
  const tool = toolsWithAttributes.find((one) => one === message.toolType)
  return attributes !== null && tool !== undefined
    ? factsFromAttributes(message, { [attributesKey(tool)]: { model: attributes } })
    : factsFromEvents(message, factEvents.map(decodeBuildEvent))
}
