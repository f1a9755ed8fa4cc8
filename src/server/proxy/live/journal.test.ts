import { describe, expect, test } from 'vitest'
import { buildNumber, idOf } from './hostile-upstream.test-support.ts'
import { buildEntry, createJournal, type Journal } from './journal.ts'

const atZero = { now: () => 0 }

const clockAt = (build: number) => ({ now: () => buildNumber(build).timestamp })

function journalOf(builds: number, size = 1000, clock = atZero): Journal {
  const journal = createJournal(size, clock)
  for (let number = 0; number < builds; number++) journal.append(buildEntry(buildNumber(number)))
  return journal
}

const idsAfter = (journal: Journal, after: number): string[] => {
  const ids: string[] = []
  for (let number = after + 1; number <= journal.head(); number++) {
    const entry = journal.entry(number)
    if (entry?.kind === 'build') ids.push(entry.id)
  }
  return ids
}

describe('the journal', () => {
  test('finds a build again by its id and by its time', () => {
    const journal = journalOf(5)
    expect(idsAfter(journal, journal.numberOf(idOf(2)) ?? 0)).toEqual([idOf(3), idOf(4)])
    expect(idsAfter(journal, journal.before(buildNumber(3).timestamp))).toEqual([idOf(3), idOf(4)])
    expect(journal.before(buildNumber(9).timestamp)).toBe(journal.head())
  })

  test('covers the time since the oldest build came, whatever that build says of its own', () => {
    let now = 1000
    const journal = createJournal(100, { now: () => now })
    expect(journal.covers(now)).toBe(false)
    journal.append(buildEntry({ ...buildNumber(0), timestamp: 1 }))
    expect(journal.covers(500)).toBe(false)
    expect(journal.covers(1001)).toBe(true)
    for (let number = 1; number < 1000; number++) {
      now++
      journal.append(buildEntry(buildNumber(number)))
    }
    expect(journal.covers(1000 + journal.tail())).toBe(false)
    expect(journal.covers(1001 + journal.tail())).toBe(true)
  })

  test('does not resume after an old build that came behind newer ones, such as a repeat', () => {
    const journal = createJournal(100, clockAt(23))
    for (const number of [20, 21, 22, 10, 20, 23, 11])
      journal.append(buildEntry(buildNumber(number)))
    expect(journal.numberOf(idOf(10))).toBeUndefined()
    expect(journal.holds(idOf(10))).toBe(true)
    expect(idsAfter(journal, journal.numberOf(idOf(22)) ?? 0)).toEqual([10, 23, 11].map(idOf))
    expect(journal.newestBuild()).toBe(idOf(23))
  })

  test('resumes after builds that arrived at once and were told in another order', () => {
    const journal = createJournal(100, clockAt(2))
    const [first, second] = [
      buildNumber(1),
      { ...buildNumber(2), timestamp: buildNumber(1).timestamp - 5 },
    ]
    for (const build of [first, second]) journal.append(buildEntry(build))
    expect(journal.numberOf(second.buildId)).toBe(2)
  })

  test('resumes after builds that came behind one that is dated ahead', () => {
    const journal = createJournal(100, clockAt(0))
    journal.append(buildEntry({ ...buildNumber(0), timestamp: Date.UTC(9999, 0) }))
    journal.append(buildEntry(buildNumber(1)))
    expect(journal.numberOf(idOf(1))).toBe(2)
    expect(journal.newestBuild()).toBe(idOf(1))
  })

  test('takes a build only once', () => {
    const journal = journalOf(2)
    expect(journal.append(buildEntry(buildNumber(1)))).toBe(false)
    expect(journal.head()).toBe(2)
  })

  test('keeps at least the newest builds, and numbers never change', () => {
    const journal = journalOf(0, 100)
    for (let number = 0; number < 1000; number++) {
      journal.append(buildEntry(buildNumber(number)))
      expect(journal.head()).toBe(number + 1)
      expect(journal.entry(journal.head())).toMatchObject({ id: idOf(number) })
    }
    expect(journal.builds()).toBeGreaterThanOrEqual(100)
    expect(journal.builds()).toBeLessThan(200)
    expect(journal.numberOf(idOf(900))).toBe(901)
    expect(journal.numberOf(idOf(0))).toBeUndefined()
    expect(journal.entry(journal.tail())).toBeUndefined()
    expect(journal.oldestBuildAfter(journal.tail())).toBe(idOf(journal.tail()))
  })

  test('is not filled up by what becomes known of builds', () => {
    const journal = journalOf(50, 100)
    for (let count = 0; count < 10_000; count++)
      journal.append({ kind: 'facts', id: 'b', json: '{}' })
    expect(journal.head() - journal.tail()).toBeLessThan(400)
  })

  test('estimates how many bytes a range has', () => {
    const journal = journalOf(10)
    const one = JSON.stringify(buildNumber(0)).length
    const all = journal.bytesBetween(0, 10)
    expect(all).toBeGreaterThan(9 * one)
    expect(all).toBeLessThan(20 * one)
    expect(journal.bytesBetween(10, 10)).toBe(0)
  })
})
