import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createHistoryWriter } from './history-writer.ts'

function setUp() {
  const clock = createManualClock()
  const log: string[] = []
  const logger = pino({ level: 'info' }, { write: (line) => log.push(line) })
  const writer = createHistoryWriter({ clock, logger })
  const written: string[] = []
  let broken = false
  return {
    clock,
    log,
    writer,
    written,
    breakDown: (isBroken: boolean) => {
      broken = isBroken
    },
    add: (name: string, bytes = 10) => {
      writer.add({
        bytes,
        write: () => {
          if (broken) return Promise.reject(new Error('no database'))
          written.push(name)
          return Promise.resolve()
        },
      })
    },
  }
}

/** Lets everything happen that waits for no clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
}

describe('the writer of the history', () => {
  test('writes one after the other, and waits for nothing in between', async () => {
    const { add, written, writer, clock } = setUp()
    for (const name of ['a', 'b', 'c']) add(name)
    await settle()
    add('d')
    await settle()
    expect(written).toEqual(['a', 'b', 'c', 'd'])
    expect(writer.state()).toMatchObject({ waiting: 0, written: 4, lost: 0, isFailing: false })
    expect(clock.pending()).toBe(0)
  })

  test('settles once all is written, and says where it is not within five seconds', async () => {
    const { add, written, writer, clock, breakDown } = setUp()
    expect(await writer.settled()).toBe(true)
    add('a')
    add('b')
    expect(await writer.settled()).toBe(true)
    expect(written).toEqual(['a', 'b'])
    breakDown(true)
    add('c')
    const settled = writer.settled()
    await settle()
    clock.advance(5000)
    expect(await settled).toBe(false)
  })

  test('loses nothing where the database comes back soon, and logs an outage once', async () => {
    const { add, written, writer, clock, log, breakDown } = setUp()
    breakDown(true)
    add('a')
    add('b')
    await settle()
    clock.advance(1000)
    await settle()
    expect(writer.state()).toMatchObject({ waiting: 2, written: 0, lost: 0, isFailing: true })
    breakDown(false)
    clock.advance(5000)
    await settle()
    expect(written).toEqual(['a', 'b'])
    expect(writer.state()).toMatchObject({ lost: 0, isFailing: false })
    expect(log.map((line) => (/"msg":"([^"]*)"/.exec(line) ?? [])[1])).toEqual([
      'writing the history fails',
      'writing the history works again',
    ])
  })

  test('gives an entry up after three attempts, and goes on with the next', async () => {
    const { add, written, writer, clock, breakDown } = setUp()
    breakDown(true)
    add('a')
    await settle()
    for (const ms of [1000, 5000]) {
      clock.advance(ms)
      await settle()
    }
    expect(writer.state()).toMatchObject({ waiting: 0, written: 0, lost: 1, isFailing: true })
    breakDown(false)
    add('b')
    await settle()
    expect(written).toEqual(['b'])
  })

  test('loses nothing while the database is away, however long, and keeps the order', async () => {
    const clock = createManualClock()
    const written: string[] = []
    let isAway = true
    const attempt = (): Promise<void> =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve()
    const writer = createHistoryWriter({ clock, logger: pino({ level: 'silent' }), probe: attempt })
    for (const name of ['a', 'b', 'c']) {
      writer.add({ bytes: 1, write: () => attempt().then(() => void written.push(name)) })
    }
    for (let minute = 0; minute < 60; minute += 1) {
      clock.advance(60_000)
      await settle()
    }
    expect(writer.state()).toMatchObject({ waiting: 3, written: 0, lost: 0, isFailing: true })
    isAway = false
    clock.advance(60_000)
    await settle()
    expect(written).toEqual(['a', 'b', 'c'])
    // One that cannot be written while the database is there keeps no other waiting.
    writer.add({ bytes: 1, write: () => Promise.reject(new Error('unwritable')) })
    writer.add({ bytes: 1, write: () => attempt().then(() => void written.push('d')) })
    for (const ms of [1000, 5000]) {
      await settle()
      clock.advance(ms)
    }
    await settle()
    expect(written).toEqual(['a', 'b', 'c', 'd'])
    expect(writer.state()).toMatchObject({ waiting: 0, written: 4, lost: 1, isFailing: false })
    // It came back between the last attempt and the look at it: nothing is lost.
    let attempts = 0
    const write = () => ((attempts += 1) < 4 ? Promise.reject(new Error('locked')) : attempt())
    writer.add({ bytes: 1, write })
    for (const ms of [1000, 5000]) {
      await settle()
      clock.advance(ms)
    }
    await settle()
    expect(writer.state()).toMatchObject({ waiting: 0, written: 5, lost: 1 })
  })

  test('takes a database that does not answer for one that fails', async () => {
    const { writer, clock } = setUp()
    let asked = 0
    writer.add({
      bytes: 1,
      write: () => {
        asked += 1
        return new Promise(() => undefined)
      },
    })
    for (const ms of [30_000, 1000, 30_000, 5000, 30_000]) {
      clock.advance(ms)
      await settle()
    }
    expect([asked, writer.state().lost]).toEqual([3, 1])
  })

  test('holds so many entries and so much of them at most, and counts the others as lost', async () => {
    const { add, writer, breakDown } = setUp()
    breakDown(true)
    add('large', 64 * 1024 * 1024)
    add('one more', 1)
    expect(writer.state()).toMatchObject({ waiting: 1, lost: 1, isFailing: true })
    const other = setUp()
    other.breakDown(true)
    for (let n = 0; n < 25_003; n += 1) other.add('x')
    expect(other.writer.state()).toMatchObject({ waiting: 25_000, lost: 3 })
    await Promise.all([writer.close(), other.writer.close()])
  })

  test('is closed once all is written, and what cannot be is counted', async () => {
    const { add, written, writer, clock } = setUp()
    add('a')
    add('b')
    await writer.close()
    expect(written).toEqual(['a', 'b'])
    add('too late')
    expect(writer.state()).toMatchObject({ written: 2, lost: 1 })
    expect(clock.pending()).toBe(0)

    const hung = setUp()
    hung.writer.add({ bytes: 1, write: () => new Promise(() => undefined) })
    hung.add('behind it')
    const closing = hung.writer.close()
    hung.clock.advance(5000)
    await closing
    expect(hung.writer.state()).toMatchObject({ waiting: 0, written: 0, lost: 2 })
    expect(hung.clock.pending()).toBe(0)
  })
})
