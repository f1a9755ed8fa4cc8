import { expect, test } from 'vitest'
import type { Feed, FeedView } from '../../data/live/feed.ts'
import type { FeedRow } from '../../data/live/feed-snapshot.ts'
import { type ExampleBuild, exampleView } from './example-view.ts'
import { createFollowedRows } from './followed-rows.ts'
import type { RowMatch } from './row-match.ts'

/** A row of the project shop matches; which project it is may come later, or never. */
function isShop({ facts }: FeedRow): RowMatch {
  if (facts === undefined) return 'waiting'
  if (facts.project === undefined) return 'untold'
  return facts.project === 'shop' ? 'yes' : 'no'
}

const shop: ExampleBuild = { facts: { project: 'shop' } }
const core: ExampleBuild = { facts: { project: 'core' } }
const untold: ExampleBuild = { facts: {} }

function feedOf(first: FeedView): { readonly feed: Feed; readonly show: (next: FeedView) => void } {
  let view = first
  return {
    feed: {
      subscribe: () => () => undefined,
      getSnapshot: () => view,
      reconnect: () => undefined,
      skipToNow: () => undefined,
    },
    show: (next) => {
      view = next
    },
  }
}

test('builds of which not enough is known are listed and counted, never dropped', () => {
  const { feed } = feedOf(exampleView([shop, core, {}, untold]))
  const rows = createFollowedRows(feed, isShop)
  expect(rows.getSnapshot().arrivals).toEqual([1, 3, 4])
  expect(rows.counts()).toEqual({ matching: 1, waiting: 1, untold: 1 })
})

test('when its facts come a build stays or leaves', () => {
  const { feed, show } = feedOf(exampleView([{}, {}]))
  const rows = createFollowedRows(feed, isShop)
  expect(rows.counts()).toEqual({ matching: 0, waiting: 2, untold: 0 })
  show(exampleView([shop, core], { version: 2, changed: [1, 2] }))
  expect(rows.getSnapshot().arrivals).toEqual([1])
  expect(rows.counts()).toEqual({ matching: 1, waiting: 0, untold: 0 })
})

test('builds that are no longer kept are no longer counted', () => {
  const { feed, show } = feedOf(exampleView([{}, {}, shop]))
  const rows = createFollowedRows(feed, isShop)
  expect(rows.counts().waiting).toBe(2)
  show(exampleView([{}, {}, shop, shop], { version: 2, oldest: 2 }))
  expect(rows.counts()).toEqual({ matching: 2, waiting: 1, untold: 0 })
})
