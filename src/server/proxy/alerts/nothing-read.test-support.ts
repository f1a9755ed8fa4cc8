import type { InsightReader } from '../insight/insights.ts'

/** A server that gives no events of any build. */
export const nothingRead: InsightReader<never>['read'] = async function* (buildIds) {
  for (const buildId of buildIds) yield await Promise.resolve({ buildId, problem: 'No events.' })
}
