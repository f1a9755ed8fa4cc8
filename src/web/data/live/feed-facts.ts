import type { Facts } from '../../../protocol/facts.ts'
import type { Feed } from './feed.ts'

/** Looks builds up in what the live feed keeps; read again only when the feed has moved on. */
export function createFeedFacts(feed: Feed): (buildId: string) => Facts | undefined {
  let known = new Map<string, Facts>()
  let version: number | undefined
  return (buildId) => {
    const view = feed.getSnapshot()
    if (view.version !== version) {
      version = view.version
      known = new Map()
      for (let arrival = view.oldest; arrival <= view.newest; arrival++) {
        const row = view.row(arrival)
        if (row?.facts !== undefined) known.set(row.build.buildId, row.facts)
      }
    }
    return known.get(buildId)
  }
}
