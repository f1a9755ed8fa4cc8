import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import type { Clock } from '../../protocol/clock.ts'
import { realClock } from '../real-clock.test-support.ts'
import { LeaseLost, type LogEngine } from './live-log.ts'
import {
  appendAll,
  appendOnce,
  build,
  buildsOf,
  factsOf,
  ids,
  leaseOf,
  never,
  onEachServer,
  startProcess,
  there,
  until,
} from './on-each-live-log.test-support.ts'
import { createPostgresEngine } from './postgres-log.ts'
import { rawLog } from './raw-log-server.test-support.ts'
import { createRedisEngine } from './redis-log.ts'

// What holds for every log; where servers fail is live-log-faults.test.ts.

test.each([
  ['postgres://u:secret@/sightline?host=/run/postgresql', 'PostgreSQL at /run/postgresql'],
  ['postgres:///sightline?host=/run/postgresql', 'PostgreSQL at /run/postgresql'],
  ['postgres://u:secret@db.example:5433/sightline', 'PostgreSQL at db.example:5433'],
])('the log at %s says where it is', async (url, place) => {
  const engine = createPostgresEngine(url, realClock)
  expect(engine.place).toBe(place)
  await engine.close()
})

function forOneProcess(newUrl: () => Promise<string>): void {
  test('entries are given in the order in which they were appended, numbered, builds once', async () => {
    const { log, given, caughtUp } = startProcess(await newUrl())
    const lease = await leaseOf(log)
    const entries = ids(1, 50).flatMap((id) => [build(id), factsOf(id)])
    await Promise.all([
      log.append(entries.slice(0, 30), lease),
      log.append([], lease),
      log.append(entries.slice(25, 31), lease),
      log.append([...entries.slice(31), build('b50'), build('b2')], lease),
    ])
    const gap = { kind: 'gap', json: '{"from":null,"oldest":null}' } as const
    await log.append([gap], lease)
    await until('the gap', () => given.at(-1)?.entry.kind === 'gap')
    // Facts may become known again.
    const again = entries.slice(25, 30).filter(({ kind }) => kind === 'facts')
    expect(given.map(({ entry }) => entry)).toEqual([
      ...entries.slice(0, 30),
      ...again,
      ...entries.slice(30),
      gap,
    ])
    expect(given.map(({ number }) => number)).toEqual(given.map((_, at) => at + 1))
    expect(caughtUp()).toBe(1)
  })

  test('a lease is one at a time, says where the log goes on, and appends nothing once it is over', async () => {
    const { log, given } = startProcess(await newUrl())
    const first = await leaseOf(log)
    expect(first.resumeAfter).toBeUndefined()
    await log.append([build('b1'), build('b2'), factsOf('b1')], first)
    let isSecond = false
    const waiting = leaseOf(log).then((lease) => {
      isSecond = true
      return lease
    })
    const impatient = new AbortController()
    const givenUp = log.lease('follower', impatient.signal)
    impatient.abort()
    expect(await givenUp).toBeUndefined()
    expect([isSecond, first.lost.aborted]).toEqual([false, false])
    await first.release()
    const second = await waiting
    expect(second.resumeAfter).toBe('b2')
    await expect(log.append([build('b3')], first)).rejects.toThrow(LeaseLost)
    await first.release()
    await log.append([build('b4')], second)
    await until('b4', () => given.length === 4)
    expect(given.map(({ entry }) => (entry.kind === 'gap' ? '' : entry.id))).toEqual([
      'b1',
      'b2',
      'b1',
      'b4',
    ])
    expect(second.lost.aborted).toBe(false)
  })

  test('a notice is heard once by whoever listens, as it was sent; the end of the log ends all waiting', async () => {
    const { log } = startProcess(await newUrl())
    await until('reached', () => log.state().isReachable)
    const heard: unknown[] = []
    const deaf: unknown[] = []
    log.onNotice('topic', (value) => heard.push(value))
    log.onNotice('topic', (value) => deaf.push(value))()
    log.onNotice('other', (value) => deaf.push(value))
    const sent = [null, 1, 'Grün \u0000 \u{1f680}', { a: [true] }, 'x'.repeat(900_000)]
    for (const value of sent) log.notify('topic', value)
    await until('all', () => heard.length >= sent.length)
    expect(heard).toEqual(sent)
    expect(deaf).toEqual([])

    const lease = await leaseOf(log)
    const waiting = log.lease('follower', never)
    const other = await log.lease('other', never)
    await log.close()
    expect(await waiting).toBeUndefined()
    expect([lease.lost.aborted, other?.lost.aborted]).toEqual([true, true])
  })
}

describe('in memory', () => {
  forOneProcess(() => Promise.resolve('memory'))
})

onEachServer((server) => {
  const newUrl = (): Promise<string> => server().emptyDatabase()
  forOneProcess(newUrl)

  test('processes that start together, and one that comes late, are given the same', async () => {
    const url = await newUrl()
    const [one, two] = [startProcess(url), startProcess(url)]
    await Promise.all([appendAll(one.log, ids(1, 2500), 2500), appendOnce(two.log, [factsOf('x')])])
    const late = startProcess(url)
    const all = [one, two, late]
    await until('all have all', () => all.every(({ given }) => given.length === 2501))
    expect(buildsOf(one)).toEqual(ids(1, 2500))
    expect(one.given.map(({ number }) => number)).toEqual(one.given.map((_, at) => at + 1))
    expect([two.given, late.given]).toEqual([one.given, one.given])
    await until('caught up', () => all.every(({ caughtUp }) => caughtUp() === 1))
  })

  test('while three processes notify and one appends, everything comes once, in order, without holes', async () => {
    const url = await newUrl()
    const processes = Array.from({ length: 3 }, () => startProcess(url))
    await until('reached', () => processes.every(({ log }) => log.state().isReachable))
    const heard = processes.map(({ log }) => {
      const values: unknown[] = []
      log.onNotice('n', (value) => values.push(value))
      return values
    })
    const appending = appendAll(there(processes[0]).log, ids(1, 600))
    for (let round = 0; round < 200; round++) {
      for (const [at, { log }] of processes.entries()) log.notify('n', at * 1000 + round)
      if (round % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await appending
    await until('entries', () => processes.every(({ given }) => given.length >= 600))
    await until('notices', () => heard.every(({ length }) => length >= 600))
    for (const { given } of processes) {
      expect(given.map(({ number }) => number)).toEqual(given.map((_, at) => at + 1))
    }
    for (const values of heard) {
      expect(values).toEqual(heard[0])
      for (const sender of [0, 1, 2]) {
        const mine = values.map(Number).filter((value) => Math.floor(value / 1000) === sender)
        expect(mine).toEqual(Array.from({ length: 200 }, (_, round) => sender * 1000 + round))
      }
    }
  })

  test('two processes that follow in turns append every build once', async () => {
    const url = await newUrl()
    const [one, two] = [startProcess(url), startProcess(url)]
    const wanted = ids(1, 120)
    // Each gives the lease up after a few builds; the other one goes on where it stopped.
    const follow = async ({ log }: typeof one): Promise<void> => {
      for (;;) {
        const lease = await leaseOf(log)
        const from = wanted.indexOf(lease.resumeAfter ?? '') + 1
        // A server repeats the newest builds, as a rule.
        const some = wanted.slice(Math.max(0, from - 3), from + 9).map(build)
        await log.append(some, lease).catch(() => undefined)
        await lease.release()
        if (from >= wanted.length) return
      }
    }
    await Promise.all([follow(one), follow(two)])
    await until('all', () => [one, two].every(({ given }) => given.length >= 120))
    expect(buildsOf(one)).toEqual(wanted)
    expect(two.given).toEqual(one.given)
  })

  test('whoever waits for a lease is woken by its release', async () => {
    const url = await newUrl()
    const holder = startProcess(url)
    const lease = await leaseOf(holder.log)
    const sleepy: Clock = { now: realClock.now, after: () => () => undefined }
    const waiting = startProcess(url, { clock: sleepy })
    const next = leaseOf(waiting.log)
    await until('it waits', () => waiting.log.state().isReachable)
    await holder.log.append([build('b1')], lease)
    await until('its reader works', () => waiting.given.length === 1)
    await lease.release()
    expect((await next).resumeAfter).toBe('b1')
  })

  test('entries that a newer version wrote are skipped, and named once', async () => {
    const url = await newUrl()
    const { log, given, lines } = startProcess(url)
    await appendOnce(log, [build('b1')])
    const raw = rawLog(server(), url)
    await raw.writeStrange('verdict', '{"of":"b1"}')
    await raw.writeStrange('verdict', '{"of":"b1"}')
    await raw.writeStrange('facts', 'not JSON')
    await raw.writeStrange('facts', '[]')
    await appendOnce(log, [build('b2')])
    await until('b2', () => given.length === 2)
    expect(given.map(({ number }) => number)).toEqual([1, 6])
    const warnings = lines.filter((line) => line.includes('this version cannot read'))
    expect(warnings.map((line) => /"kind":"(\w+)"/.exec(line)?.[1])).toEqual(['verdict', 'facts'])
  })

  test('a server that lost its newest entries, or all, doubles nothing and holds nothing up', async () => {
    const url = await newUrl()
    const raw = rawLog(server(), url)
    const [one, two] = [startProcess(url), startProcess(url)]
    const all = [one, two]
    const allHave = (count: number): Promise<void> =>
      until(`${count} builds`, () => all.every((each) => buildsOf(each).length >= count))
    await appendAll(one.log, ids(1, 20))
    await allHave(20)

    await raw.rollBack(12)
    await appendAll(two.log, ids(1, 25), 3)
    await allHave(25)
    const late = startProcess(url)
    all.push(late)
    await allHave(25)
    for (const each of all) expect(buildsOf(each)).toEqual(ids(1, 25))

    await raw.rollBack(0)
    await appendAll(one.log, ids(1, 30), 4)
    await allHave(30)
    for (const each of all) expect(buildsOf(each)).toEqual(ids(1, 30))
    expect(
      [one, two].map(({ states }) => states.filter(({ isReachable }) => !isReachable).length),
    ).toEqual([1, 1])
  })

  test('ten minutes and 30,000 entries are kept, the rest is forgotten', async () => {
    const url = await newUrl()
    const engine = engineAt(url)
    await engine.open()
    await engine.take('follower', 'term')
    const wanted = ids(1, 32_000).map(build)
    for (let batch = 1; batch <= 32; batch++) {
      const held = { name: 'follower', term: 'term', batch }
      expect(await engine.append(held, wanted.slice(batch * 1000 - 1000, batch * 1000))).toBe(true)
    }
    const raw = rawLog(server(), url)
    await engine.trim()
    expect(await raw.count()).toEqual({ entries: 32_000, builds: 32_000 })
    await raw.age()
    await engine.trim()
    expect(await raw.count()).toEqual({ entries: 30_000, builds: 30_000 })
    // Who was away for longer is told that something is missing.
    expect((await engine.next({ number: 5, term: 'term' }, false)).rows).toBe('astray')
    engine.drop()
    await engine.close()
  })

  test('whatever terms and batches come in whichever order, only the holder appends, each batch once', async () => {
    const engine = engineAt(await newUrl())
    await engine.open()
    let lease = 0
    const operation = fc.record({
      what: fc.constantFrom(
        'take' as const,
        'append' as const,
        'append' as const,
        'release' as const,
      ),
      term: fc.constantFrom('a', 'b', 'c'),
      batch: fc.integer({ min: -1, max: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
        const name = `lease ${(lease += 1)}`
        const termOf = (term: string): string => `${term}${lease}`
        let holder: string | undefined
        let stands = 0
        const expected: string[] = []
        const probe = await engine.take(`probe ${lease}`, 'probe')
        const { head } = typeof probe === 'number' ? expect.unreachable() : probe
        for (const [at, { what, term, batch }] of operations.entries()) {
          if (what === 'take') {
            const isFree = holder === undefined
            expect(typeof (await engine.take(name, termOf(term)))).toBe(
              isFree ? 'object' : 'number',
            )
            if (isFree) [holder, stands] = [term, 0]
          } else if (what === 'release') {
            await engine.release(name, termOf(term))
            if (holder === term) holder = undefined
          } else {
            const number = Math.max(1, stands + 1 + batch)
            const id = `${lease}-${at}`
            const held = { name, term: termOf(term), batch: number }
            const isDone = await engine.append(held, [factsOf(id)])
            const isNext = holder === term && number === stands + 1
            const isRepeated = holder === term && number === stands
            expect(isDone).toBe(isNext || isRepeated)
            if (isNext) {
              stands = number
              expected.push(id)
            }
          }
        }
        const { rows } = await engine.next(head, false)
        const added = rows === 'astray' ? ['astray'] : rows.map(({ id }) => id)
        expect(added).toEqual(expected)
      }),
      { numRuns: runs(15) },
    )
    engine.drop()
    await engine.close()
  })

  function engineAt(url: string): LogEngine {
    const create = server().kind === 'postgres' ? createPostgresEngine : createRedisEngine
    return create(url, realClock)
  }
})
