import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { entryScript, watchRelease } from './wall-release.ts'

const minute = 60_000
const pageOf = (script: string): string =>
  `<!doctype html><script type="module" crossorigin src="${script}"></script>`

/** A wall that runs release 1, and a proxy that serves what it is told to. */
function wallOf() {
  const clock = createManualClock(Date.UTC(2026, 0, 5, 12))
  let served: (signal: AbortSignal) => Promise<Response> = () =>
    Promise.resolve(new Response(pageOf('/assets/1.js')))
  let isQuiet = true
  let isInUse = false
  let hour = 12
  let reloads = 0
  let asked = 0
  const { end, lookNow } = watchRelease({
    clock,
    running: '/assets/1.js',
    hour: () => hour,
    isQuiet: () => isQuiet,
    isInUse: () => isInUse,
    reload: () => {
      reloads += 1
    },
    fetch: (_, init) => {
      asked += 1
      const signal = init?.signal
      if (signal === null || signal === undefined) throw new Error('asked without a limit')
      return served(signal)
    },
  })
  return {
    clock,
    end,
    lookNow,
    reloads: () => reloads,
    asked: () => asked,
    serve: (next: typeof served) => {
      served = next
    },
    serveRelease: (number: number) => {
      served = () => Promise.resolve(new Response(pageOf(`/assets/${number}.js`)))
    },
    set: (next: { isQuiet?: boolean; isInUse?: boolean; hour?: number }) => {
      isInUse = next.isInUse ?? isInUse
      isQuiet = next.isQuiet ?? isQuiet
      hour = next.hour ?? hour
    },
    pass: async (minutes: number) => {
      for (let half = 0; half < minutes * 2; half++) {
        clock.advance(minute / 2)
        for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      }
    },
  }
}

describe('a wall is loaded anew', () => {
  test('within three minutes of another release, and not before', async () => {
    const wall = wallOf()
    await wall.pass(60)
    expect(wall.reloads()).toBe(0)
    wall.serveRelease(2)
    await wall.pass(3)
    expect(wall.reloads()).toBeGreaterThan(0)
  })

  test('at four in the night once it is half a day old', async () => {
    const wall = wallOf()
    wall.set({ hour: 4 })
    await wall.pass(11 * 60)
    expect(wall.reloads()).toBe(0)
    wall.set({ hour: 3 })
    await wall.pass(2 * 60)
    expect(wall.reloads()).toBe(0)
    wall.set({ hour: 4 })
    await wall.pass(3)
    expect(wall.reloads()).toBeGreaterThan(0)
  })

  test('after a day and a half, where no night was quiet', async () => {
    const wall = wallOf()
    await wall.pass(36 * 60 - 5)
    expect(wall.reloads()).toBe(0)
    await wall.pass(10)
    expect(wall.reloads()).toBeGreaterThan(0)
  })

  test('within hours of another release, whatever stays red', async () => {
    const wall = wallOf()
    wall.set({ isQuiet: false })
    wall.serveRelease(2)
    await wall.pass(110)
    expect(wall.reloads()).toBe(0)
    await wall.pass(20)
    expect(wall.reloads()).toBeGreaterThan(0)
  })

  test('at once by a proxy that is back with another release, and not with the same', async () => {
    const wall = wallOf()
    wall.set({ isQuiet: false })
    wall.lookNow()
    await wall.pass(1)
    expect(wall.reloads()).toBe(0)
    wall.serveRelease(2)
    wall.lookNow()
    await wall.pass(0.5)
    expect(wall.reloads()).toBe(1)
  })
})

describe('a wall is left alone', () => {
  test('while somebody edits it, whatever release is served for how long', async () => {
    const wall = wallOf()
    wall.set({ isQuiet: false, isInUse: true })
    wall.serveRelease(2)
    wall.lookNow()
    await wall.pass(180)
    expect(wall.reloads()).toBe(0)
  })

  test('while something is red or somebody types, and loaded anew afterwards', async () => {
    const wall = wallOf()
    wall.set({ isQuiet: false })
    wall.serveRelease(2)
    await wall.pass(60)
    expect(wall.reloads()).toBe(0)
    wall.set({ isQuiet: true })
    await wall.pass(3)
    expect(wall.reloads()).toBeGreaterThan(0)
  })

  test.each([
    ['is away', () => Promise.reject(new TypeError('refused'))],
    ['is not ready', () => Promise.resolve(new Response(pageOf('/assets/2.js'), { status: 503 }))],
    ['answers with something else', () => Promise.resolve(new Response('<h1>Sign in</h1>'))],
  ])('while the proxy %s, also when it is old', async (_, served) => {
    const wall = wallOf()
    wall.serve(served)
    wall.set({ hour: 4 })
    await wall.pass(40 * 60)
    expect(wall.reloads()).toBe(0)
  })

  test('by a proxy that answers nothing, which is tried again', async () => {
    const wall = wallOf()
    wall.serve(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('given up'))
          })
        }),
    )
    await wall.pass(10)
    expect(wall.asked()).toBeGreaterThan(3)
    wall.serveRelease(2)
    await wall.pass(3)
    expect(wall.reloads()).toBeGreaterThan(0)
  })

  test('when it has been left, and leaves no timer behind', async () => {
    const wall = wallOf()
    await wall.pass(1)
    wall.end()
    wall.serveRelease(2)
    await wall.pass(10)
    expect(wall.reloads()).toBe(0)
    expect(wall.clock.pending()).toBe(0)
  })
})

test.each([
  [
    '<script type="module" src="/assets/a.js"></script><script src="/b.js"></script>',
    '/assets/a.js',
  ],
  ['<script>inline()</script>', undefined],
  ['', undefined],
])('the script of the page %s is %s', (html, script) => {
  expect(entryScript(html)).toBe(script)
})
