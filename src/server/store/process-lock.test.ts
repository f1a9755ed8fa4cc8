import { expect, onTestFinished, test } from 'vitest'
import { sql } from 'kysely'
import { createManualClock } from '../../protocol/manual-clock.test-support.ts'
import type { Database } from './database.ts'
import { openDatabase } from './open-database.ts'
import { onEachDatabase } from './on-each-database.test-support.ts'
import { joinProcesses, takeLock } from './process-lock.ts'

onEachDatabase((_open, address) => {
  async function two(): Promise<readonly [Database, Database]> {
    const url = await address()
    const both = [await openDatabase(url), await openDatabase(url)] as const
    onTestFinished(async () => {
      await Promise.all(both.map((database) => database.close()))
    })
    return both
  }

  test('one process at a time has a lock', async () => {
    const [one, other] = await two()
    const first = await takeLock(one, 'seed')
    expect(await takeLock(other, 'seed')).toBeUndefined()
    const another = await takeLock(other, 'first')
    await first?.release()
    const second = await takeLock(other, 'seed')
    expect([await second?.isHeld(), await another?.isHeld()]).toEqual([true, true])
    await Promise.all([second?.release(), another?.release()])
  })

  test('what only the first process does is done by the next one when it has ended', async () => {
    const [one, other] = await two()
    const clock = createManualClock()
    const happened: string[] = []
    const work = (name: string) => () => {
      happened.push(`${name} begins`)
      return {
        stop: () => {
          happened.push(`${name} ends`)
          return Promise.resolve()
        },
      }
    }
    const first = await joinProcesses(one, clock)
    const second = await joinProcesses(other, clock)
    first.whileFirst(work('first'))
    second.whileFirst(work('second'))
    expect([first.isFirst(), second.isFirst()]).toEqual([true, false])
    await first.close()
    expect(happened).toEqual(['first begins', 'first ends'])
    await expect
      .poll(() => {
        clock.advance(1000)
        return second.isFirst()
      })
      .toBe(true)
    await second.close()
    expect(happened.slice(2)).toEqual(['second begins', 'second ends'])
  })

  test('whose connection was cut is not the first one any more, and comes back', async () => {
    const [one, other] = await two()
    if (one.dialect === 'sqlite') return
    const clock = createManualClock()
    const happened: string[] = []
    const first = await joinProcesses(one, clock)
    onTestFinished(first.close)
    first.whileFirst(() => {
      happened.push('begins')
      return { stop: () => Promise.resolve(void happened.push('ends')) }
    })
    await sql`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and pid <> pg_backend_pid()`.execute(other.kysely)
    await expect
      .poll(() => {
        clock.advance(1000)
        return happened
      })
      .toEqual(['begins', 'ends', 'begins'])
  })
})
