import { expect, test } from 'vitest'
import {
  type ExampleBuild,
  exampleStatus,
  exampleView,
} from '../features/feed/example-view.test-support.ts'
import { documentState } from './browser-tab.ts'
import { detailPages, pages } from './pages.ts'
import type { FeedView } from '../data/live/feed-state.ts'

const now = 1_000_000

function state(builds: readonly ExampleBuild[], more: Partial<FeedView> = {}): [string, string] {
  const { title, icon } = documentState(
    exampleView(builds, { lastHeardAt: now, ...more }),
    'Feed',
    { pathname: '/', search: '' },
    now,
  )
  return [title, icon]
}

test('the tab says how many builds failed in the last minute', () => {
  const failed = { timestamp: now, facts: { outcome: 'failed' } } as const
  expect(state([failed, failed, failed])).toEqual(['3 failed · Feed · Sightline', 'failed'])
})

test('the tab is quiet when nothing failed', () => {
  expect(state([{ timestamp: now, facts: { outcome: 'succeeded' } }])).toEqual([
    'Feed · Sightline',
    'good',
  ])
  expect(state([{ timestamp: now - 120_000 }])).toEqual(['Feed · Sightline', 'quiet'])
})

test('failures are not claimed while the feed is not live', () => {
  const failed = { timestamp: now, facts: { outcome: 'failed' } } as const
  const notLive = ['Not live · Feed · Sightline', 'stale']
  expect(state([failed], { upstream: exampleStatus({ upstream: 'retrying' }) })).toEqual(notLive)
  expect(state([failed], { connection: { state: 'refused', reason: '' } })).toEqual(notLive)
  expect(state([failed], { connection: { state: 'catching-up', received: 1, left: 9 } })).toEqual([
    'Catching up · Feed · Sightline',
    'quiet',
  ])
})

test.each(detailPages.filter(({ path, isBare }) => path.includes(':') && isBare !== true))(
  'two tabs of $path have different titles, for each of its parts',
  ({ path, label }) => {
    const parts = path.match(/:\w+/g) ?? []
    const titleWith = (changed: string | undefined): string => {
      const pathname = path.replaceAll(/:\w+/g, (part) =>
        part === changed ? 'other' : part.slice(1),
      )
      return documentState(exampleView([]), label, { pathname, search: '' }, now).title
    }
    // What a package is called elsewhere, too, is its name and version; the rest says where it is.
    const named = parts.filter(
      (part) => !['type', 'namespace', 'digest', 'instance'].includes(part.slice(1)),
    )
    expect(new Set([undefined, ...named].map(titleWith)).size).toBe(named.length + 1)
  },
)

test('no two pages have the same title', () => {
  const titles = pages.map(
    ({ path, label }) =>
      documentState(exampleView([]), label, { pathname: path, search: '' }, now).title,
  )
  expect(new Set(titles).size).toBe(titles.length)
})

test('a page about one thing says which, and nothing of the feed', () => {
  const failed = { timestamp: now, facts: { outcome: 'failed' } } as const
  const title = (page: string, address: string): string => {
    const here = new URL(address, 'http://localhost')
    return documentState(exampleView([failed], { lastHeardAt: now }), page, here, now).title
  }
  expect(title('Build', '/builds/qont6avyn242d')).toBe('qont6avyn242d · Build · Sightline')
  expect(title('Builds', '/builds')).toBe('Builds · Sightline')
  expect(title('Builds', '/builds?q=user%3Aada&view=trends')).toBe('user:ada · Builds · Sightline')
  expect(title('Tests', `/tests?q=${'a'.repeat(99)}`)).toBe(
    `${'a'.repeat(59)}… · Tests · Sightline`,
  )
  expect(title('Edit wall', '/walls/edit/team')).toBe('team · Edit wall · Sightline')
  expect(title('Release board', '/board/next%20release')).toBe(
    'next release · Release board · Sightline',
  )
  expect(title('Policy scan', '/packages/maven/com.acme/shop/1.2/policy-scans/release')).toBe(
    'shop 1.2 release · Policy scan · Sightline',
  )
  expect(title('Recorded run', '/packages/oci/shop/1.2/policy-scans/release/runs/42')).toBe(
    'shop 1.2 release 42 · Recorded run · Sightline',
  )
  expect(title('Attestation', '/packages/npm/%40acme/shop/1.2/abc/attestations/x/1')).toBe(
    'shop 1.2 1 · Attestation · Sightline',
  )
  expect(title('Page not found', '/board/%ff')).toBe('%ff · Page not found · Sightline')
})
