import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import {
  buildNumbers,
  type HostileUpstream,
  startHostileUpstream,
} from './hostile-upstream.test-support.ts'
import {
  createSwiftClock,
  type HubOnSocket,
  readHub,
  startHub,
  type TestReader,
  until,
} from './hub-on-socket.test-support.ts'

/** One thing that happens to a hub, its upstream and its readers. */
type Happening =
  | { readonly kind: 'publish'; readonly builds: number }
  | { readonly kind: 'cut upstream' }
  | { readonly kind: 'cut next stream after'; readonly bytes: number }
  | { readonly kind: 'cut readers' }
  | { readonly kind: 'new reader'; readonly query: string }
  | { readonly kind: 'turns'; readonly turns: number }

const upTo = (max: number, min = 1) => fc.integer({ min, max })

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('publish' as const), builds: upTo(30) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'cut upstream' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('cut next stream after' as const),
      bytes: upTo(4000, 0),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'cut readers' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('new reader' as const),
      query: fc.constantFrom('since=0', 'since=0&batch', 'since=now', 'since=0&batch&gzip', 'gzip'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turns' as const), turns: upTo(40) }) },
)

/** A browser: comes back by its last id whenever it is cut off. */
interface Browser {
  readonly query: string
  readonly ids: string[]
  /** Whether it was ever told of a gap. */
  readonly gaps: () => number
  /** Whether its present connection has been answered. */
  readonly isOpen: () => boolean
  readonly cut: () => void
  readonly leave: () => void
}

function openBrowser(origin: string, query: string): Browser {
  const ids: string[] = []
  let reader: TestReader
  let gaps = 0
  let answered = false
  let left = false
  const take = (): void => {
    answered ||= reader.messages.length > 0
    ids.push(...reader.ids.splice(0))
    gaps += reader.messages.splice(0).filter(({ event }) => event === 'Gap').length
  }
  const open = (): void => {
    answered = false
    reader = readHub(origin, `/?${query}&session=${query}`, ids.at(-1))
  }
  open()
  const watch = (): void => {
    take()
    if (left) return
    if (reader.ended()) open()
    setImmediate(watch)
  }
  setImmediate(watch)
  return {
    query,
    ids,
    gaps: () => gaps,
    isOpen: () => answered && !reader.ended(),
    cut: () => {
      answered = false
      reader.leave()
    },
    leave: () => {
      left = true
      reader.leave()
    },
  }
}

async function happen(
  { upstream, hub, browsers }: { upstream: HostileUpstream; hub: HubOnSocket; browsers: Browser[] },
  next: Happening,
): Promise<void> {
  switch (next.kind) {
    case 'publish':
      for (const build of buildNumbers(
        upstream.builds.length,
        upstream.builds.length + next.builds,
      )) {
        upstream.publish(build)
      }
      break
    case 'cut upstream':
      upstream.cut()
      break
    case 'cut next stream after':
      upstream.cuts.push(next.bytes)
      break
    case 'cut readers':
      for (const browser of browsers) browser.cut()
      break
    case 'new reader':
      browsers.push(openBrowser(hub.origin, next.query))
      break
    case 'turns':
      for (let turn = 0; turn < next.turns; turn++) await until(() => true)
      break
  }
}

test('every reader gets every build exactly once and in order, whatever is cut and whenever', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 20, maxLength: 60 }), async (happenings) => {
      const upstream = await startHostileUpstream()
      // Small enough for the ring to overflow under readers that are away or replaying.
      const hub = await startHub(upstream.url, createSwiftClock(Date.now, 100), {
        ringSize: 20,
        upstreamIdleMs: 1e9,
        stallMs: 1e9,
        heartbeatMs: 1e9,
      })
      const browsers = [
        openBrowser(hub.origin, 'since=0'),
        openBrowser(hub.origin, 'since=0&batch'),
      ]
      const close = async (): Promise<void> => {
        for (const browser of browsers) browser.leave()
        await hub.stop()
        await upstream.stop()
      }
      try {
        await until(() => hub.metric('upstream_live') === 1)
        for (const next of happenings) await happen({ upstream, hub, browsers }, next)
        upstream.cuts.length = 0
        // One that only wants what is to come must be there when it comes.
        await until(() => browsers.every((browser) => browser.isOpen()))
        await happen({ upstream, hub, browsers }, { kind: 'publish', builds: 5 })
        const all = upstream.builds.map(({ buildId }) => buildId)
        await until(() => browsers.every(({ ids }) => ids.at(-1) === all.at(-1)))
        for (const { query, ids, gaps } of browsers) {
          expect(gaps(), query).toBe(0)
          const expected = query.includes('since=0') ? all : all.slice(all.indexOf(ids[0] ?? ''))
          expect(ids, query).toEqual(expected)
        }
      } finally {
        await close()
      }
    }),
    { numRuns: runs(100) },
  )
})
