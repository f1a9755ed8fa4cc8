import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { buildNumbers } from './hostile-upstream.test-support.ts'
import { wait } from '../../../protocol/clock.ts'
import { readHub, type TestReader, until } from './hub-on-socket.test-support.ts'
import { type Proxies, type Proxy, startProxies } from './proxies.test-support.ts'

/** One thing that happens to proxies, their log, the upstream and readers. */
type Happening =
  | { readonly kind: 'publish'; readonly builds: number }
  | { readonly kind: 'cut upstream' | 'cut readers' | 'start one' | 'mend' }
  /** To the one that follows, or to another one. */
  | {
      readonly kind: 'close' | 'kill' | 'freeze' | 'log away'
      readonly isFollower: boolean
    }
  | { readonly kind: 'pass'; readonly ms: number }

const harm = fc.record({
  kind: fc.constantFrom('close' as const, 'kill' as const, 'freeze' as const, 'log away' as const),
  isFollower: fc.boolean(),
})
const upTo = (max: number, min = 1) => fc.integer({ min, max })

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('publish' as const), builds: upTo(30) }) },
  { weight: 3, arbitrary: harm },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'cut upstream' as const,
        'cut readers' as const,
        'start one' as const,
        'mend' as const,
      ),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: upTo(2000, 0) }) },
)

/** A browser behind a balancer: comes back by its last id, to whichever proxy is next. */
interface Browser {
  readonly ids: string[]
  readonly gaps: () => number
  readonly cut: () => void
  readonly leave: () => void
}

function openBrowser(proxies: Proxies, first: number): Browser {
  const ids: string[] = []
  let reader: TestReader | undefined
  let turn = first
  let gaps = 0
  let left = false
  const watch = (): void => {
    if (reader !== undefined) {
      ids.push(...reader.ids.splice(0))
      gaps += reader.messages.splice(0).filter(({ event }) => event === 'Gap').length
    }
    if (left) return
    if (reader === undefined || reader.ended()) {
      const origin = proxies.all[turn++ % Math.max(1, proxies.all.length)]?.origin
      if (origin !== undefined) reader = readHub(origin, `/?since=0&session=${first}`, ids.at(-1))
    }
    setImmediate(watch)
  }
  watch()
  return {
    ids,
    gaps: () => gaps,
    cut: () => reader?.leave(),
    leave: () => {
      left = true
      reader?.leave()
    },
  }
}

function victim({ all }: Proxies, isFollower: boolean): Proxy | undefined {
  return all.find(({ hub }) => hub.follows() === isFollower)
}

async function happen(
  proxies: Proxies,
  browsers: readonly Browser[],
  next: Happening,
): Promise<void> {
  const { upstream, clock, all } = proxies
  switch (next.kind) {
    case 'publish': {
      const from = upstream.builds.length
      for (const build of buildNumbers(from, from + next.builds)) upstream.publish(build)
      break
    }
    case 'cut upstream':
      upstream.cut()
      break
    case 'cut readers':
      for (const browser of browsers) browser.cut()
      break
    case 'start one':
      if (all.length < 4) await proxies.add()
      break
    case 'mend':
      for (const { connection } of all) connection.mend()
      break
    case 'close':
    case 'kill': {
      const gone = victim(proxies, next.isFollower)
      if (gone !== undefined) await (next.kind === 'kill' ? gone.kill() : gone.stop())
      break
    }
    case 'freeze':
    case 'log away':
      victim(proxies, next.isFollower)?.connection.cut(next.kind === 'freeze' ? 'frozen' : 'away')
      break
    case 'pass':
      await wait(clock, next.ms)
      break
  }
}

test('readers get every build once and in order, whichever proxies go, freeze or lose the log', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 10, maxLength: 40 }), async (happenings) => {
      const proxies = await startProxies(3)
      const browsers = [openBrowser(proxies, 0), openBrowser(proxies, 1), openBrowser(proxies, 2)]
      try {
        // From here on the log says where to go on.
        await happen(proxies, browsers, { kind: 'publish', builds: 1 })
        await until(() => proxies.log.entries.length === 1)
        for (const next of happenings) await happen(proxies, browsers, next)
        await happen(proxies, browsers, { kind: 'start one' })
        await happen(proxies, browsers, { kind: 'mend' })
        await happen(proxies, browsers, { kind: 'publish', builds: 5 })
        const all = proxies.upstream.builds.map(({ buildId }) => buildId)
        await until(() => browsers.every(({ ids }) => ids.at(-1) === all.at(-1)))
        for (const browser of browsers) {
          expect(browser.ids).toEqual(all)
          expect(browser.gaps()).toBe(0)
        }
        await until(() => proxies.upstream.streams() === 1)
      } finally {
        for (const browser of browsers) browser.leave()
        await proxies.stop()
      }
    }),
    { numRuns: runs(25) },
  )
})
