import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { Browser, idOf, type Tab } from './shared-tabs.test-support.ts'

const kinds = ['build', 'build', 'build', 'facts', 'wire', 'wire', 'take', 'take', 'take'] as const
const step = fc.record({
  kind: fc.constantFrom(...kinds, 'open', 'leave', 'crash', 'freeze', 'thaw', 'wait', 'many'),
  which: fc.nat(1000),
})

/** The tab that led falls silent and is robbed; its successor gets facts that it has not told. */
const factsBetweenLeaders: { kind: (typeof kinds)[number] | 'open' | 'wait'; which: number }[] = [
  { kind: 'build', which: 0 },
  { kind: 'open', which: 0 },
  { kind: 'wire', which: 0 },
  { kind: 'facts', which: 0 },
  { kind: 'wait', which: 801 },
]

async function perform(
  browser: Browser,
  { kind, which }: { kind: string; which: number },
): Promise<void> {
  const tab = browser.tabs
    .filter(({ state }) => state === 'awake' || state === 'frozen')
    .at(which % 3)
  const builds = browser.journal.filter(({ event }) => event === 'Build')
  switch (kind) {
    case 'build':
      browser.build(builds.length)
      break
    case 'many':
      for (let count = 0; count < 1200; count++) browser.build(builds.length + count)
      break
    case 'facts':
      // The proxy learns the facts of a build once: they do not change.
      if (builds.length > 0 && !browser.hasFacts(which % builds.length))
        browser.facts(which % builds.length, `u${which}`)
      break
    case 'wire':
      browser.wire()
      break
    case 'open':
      if (browser.tabs.length < 6) browser.open()
      break
    case 'wait':
      browser.clock.advance(which * 50)
      break
    default:
      if (tab === undefined) break
      if (kind === 'take') for (let count = 0; count < which % 20; count++) browser.take(tab)
      if (kind === 'leave' && tab.state === 'awake') tab.leave()
      if (kind === 'crash') browser.crash(tab)
      if (kind === 'freeze') tab.state = 'frozen'
      if (kind === 'thaw') tab.state = 'awake'
  }
  await new Promise(setImmediate)
}

function shownBy({ feed }: Tab): [string, string][] {
  const { oldest, newest, row } = feed.getSnapshot()
  return Array.from({ length: newest - oldest + 1 }, (_, index) => {
    const found = row(oldest + index)
    return [found?.build.buildId ?? '', String(found?.facts?.user)]
  })
}

test('every tab gets every build once and in order, and all facts, while tabs come and go', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const browser = new Browser()
      browser.open()
      for (const one of steps) await perform(browser, one)
      for (const tab of browser.tabs) if (tab.state === 'frozen') tab.state = 'awake'
      await browser.settle()
      const users = new Map<string, string>()
      for (const { id, event, data } of browser.journal) {
        users.set(id, event === 'Facts' ? (/"user":"(\w+)"/.exec(data)?.[1] ?? '') : 'undefined')
      }
      const open = browser.tabs.filter(({ state }) => state === 'awake')
      for (const tab of open) expect(shownBy(tab)).toEqual([...users])
      const reading = browser.tabs.filter(({ connection }) => connection !== undefined)
      expect(reading).toHaveLength(open.length === 0 ? 0 : 1)
    }),
    { numRuns: runs(300), examples: [[factsBetweenLeaders]] },
  )
})

test('facts that come while a tab joins reach it, also for builds that it has got already', async () => {
  const browser = new Browser()
  browser.open()
  for (let number = 0; number < 2000; number++) browser.build(number)
  await browser.settle(1)
  const joining = browser.open()
  const newestOf = ({ feed }: Tab): number => feed.getSnapshot().newest
  for (let turn = 0; newestOf(joining) < 500; turn++) {
    expect(turn).toBeLessThan(1000)
    for (const tab of browser.tabs) browser.take(tab)
    browser.clock.advance(1)
  }
  expect(newestOf(joining)).toBeLessThan(2000)
  browser.facts(0, 'ann')
  await browser.settle(5)
  expect(newestOf(joining)).toBe(2000)
  expect(shownBy(joining)[0]).toEqual([idOf(0), 'ann'])
})

test('a leader that has fallen silent is robbed, and follows when it comes back', async () => {
  const browser = new Browser()
  const leader = browser.open()
  const follower = browser.open()
  browser.build(0)
  await browser.settle(5)
  expect(leader.connection).toBeDefined()
  leader.state = 'frozen'
  browser.build(1)
  await browser.settle(60)
  expect(shownBy(follower)).toHaveLength(2)
  expect(follower.connection).toBeDefined()
  leader.state = 'awake'
  browser.build(2)
  await browser.settle(20)
  expect(shownBy(leader)).toEqual(shownBy(follower))
  expect(shownBy(leader)).toHaveLength(3)
  expect(leader.connection).toBeUndefined()
})
