import { describe, expect, test } from 'vitest'
import { SharedSearch } from '../../../protocol/shared-search.ts'
import { createMemoryLog } from '../../live-log/memory-log.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createSearchNotices } from './search-notices.ts'
import { listed, type ListQuestion, searchSetup } from './shared-search.test-support.ts'

const failed = 'buildOutcome:failed'
const isImpossible = ({ query }: ListQuestion): boolean => query?.includes('1969') === true
const searching = (question: ListQuestion) =>
  isImpossible(question) ? [] : [listed(2, { hasFailed: true }), listed(1)]

describe('screens of several processes', () => {
  test('share one search of the server, and see the same', async () => {
    const { searches, others, asked, pass } = await searchSetup(searching, { processes: 3 })
    const all = [searches, ...others]
    for (let period = 1; period <= 3; period++) {
      const answers = Promise.all(all.map((each) => each.request(failed)))
      await pass(10_000)
      const onWire = (await answers).map((answer) => JSON.stringify({ ...answer, ageMs: 0 }))
      const [first, ...rest] = onWire.map((json) => SharedSearch.parse(JSON.parse(json)))
      expect(first?.builds).toHaveLength(2)
      for (const other of rest) expect(other).toEqual(first)
      expect(asked()).toEqual(Array.from({ length: period }, () => failed))
      await pass(20_000)
    }
  })

  test('go on when another process takes over, and search no more often', async () => {
    const { others, asked, pass, follow } = await searchSetup(searching, { processes: 2 })
    const [other] = others
    const first = other?.request(failed)
    await pass(5000)
    expect((await first)?.search).toBe('supported')
    follow(undefined)
    await pass(2000)
    follow(1)
    await pass(15_000)
    expect(asked()).toEqual([failed])
    expect((await other?.request(failed))?.builds).toHaveLength(2)
    await pass(15_000)
    expect(asked()).toEqual([failed, failed])
    expect((await other?.request(failed))?.ageMs).toBeLessThan(15_000)
  })

  test('see why the server is not searched for one more query', async () => {
    const { searches, others, pass } = await searchSetup(searching, { processes: 2, most: 1 })
    await searches.request(failed)
    const refused = others[0]?.request('buildTool:maven')
    await pass(5000)
    expect(await refused).toMatchObject({ search: 'unknown', problem: { status: 429 } })
  })

  test('that nobody shows any more are not searched for longer than those of one', async () => {
    const { searches, others, asked, pass } = await searchSetup(searching, { processes: 2 })
    const first = others[0]?.request(failed)
    await pass(5000)
    await first
    await pass(10 * 60_000)
    expect(asked().length).toBeLessThanOrEqual(4)
    expect(searches.size()).toBe(0)
  })
})

test('what another release sends and this one cannot read is left out', async () => {
  const clock = createManualClock()
  const log = createMemoryLog(clock)
  const heard: unknown[] = []
  createSearchNotices(log, clock, {
    onWant: (want) => heard.push(want),
    onResult: (result) => heard.push(result),
  })
  for (const value of [null, 5, {}, [{ query: 5 }], [{ query: failed, agoMs: 0, isNew: false }]]) {
    log.notify('search-wanted', value)
    log.notify('search-result', value)
  }
  await Promise.resolve()
  expect(heard).toEqual([{ query: failed, agoMs: 0, isNew: false }])
})
