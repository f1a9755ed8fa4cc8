import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from './database.ts'
import { onEachDatabase } from './on-each-database.test-support.ts'
import {
  addAttempt,
  addSession,
  confirmGeneration,
  countSessions,
  endedSessions,
  endSessions,
  findSession,
  leaseRenewal,
  storeRenewal,
  type StoredSession,
  sweepSessions,
  takeAttempt,
  takeFailure,
  useLogoutToken,
} from './sessions.ts'

const now = Date.UTC(2026, 0, 5)
const session = (id: string, more: Partial<StoredSession> = {}): StoredSession => ({
  id,
  keyHash: `hash of ${id}`,
  mode: 'oidc',
  subject: 'ann',
  identity: '{"name":"Ann \\u0000 🦊"}',
  sealed: 'sealed',
  providerSession: `sid of ${id}`,
  generation: 0,
  confirmed: 0,
  createdAt: now,
  renewedAt: now,
  expiresAt: now + 1000,
  endedAt: null,
  ...more,
})

onEachDatabase((open) => {
  let database: Database
  beforeEach(async () => {
    database = await open()
  })
  afterEach(() => database.close())

  describe('a stored session', () => {
    test('is found as it was kept, by its id and by its key', async () => {
      await addSession(database, session('a'))
      expect(await findSession(database, { id: 'a' })).toEqual(session('a'))
      expect(await findSession(database, { keyHash: 'hash of a' })).toEqual(session('a'))
      expect(await findSession(database, { keyHash: 'hash of b' })).toBeUndefined()
    })

    test('is renewed by one of many at once, and from the generation that it has', async () => {
      await addSession(database, session('a'))
      const lease = (at = now) =>
        leaseRenewal(database, { id: 'a', generation: 0 }, { now: at, until: at + 20 })
      const leases = await Promise.all(Array.from({ length: 20 }, () => lease()))
      expect(leases.filter((isMine) => isMine)).toHaveLength(1)
      expect([await lease(now + 19), await lease(now + 20)]).toEqual([false, true])
      const after = { ...session('a'), identity: '{}', sealed: null, renewedAt: now + 5 }
      expect(await storeRenewal(database, { id: 'a', generation: 0 }, after)).toBe(true)
      expect(await storeRenewal(database, { id: 'a', generation: 0 }, after)).toBe(false)
      await confirmGeneration(database, 'a', 1)
      expect(await findSession(database, { id: 'a' })).toEqual({
        ...after,
        generation: 1,
        confirmed: 1,
      })
    })

    test('that has ended is renewed no more, and others hear of it', async () => {
      await addSession(database, session('a'))
      await addSession(database, session('b', { subject: 'bob' }))
      expect(await countSessions(database, now)).toBe(2)
      const ended = await endSessions(database, { mode: 'oidc', subject: 'ann' }, now + 7)
      expect(ended.map(({ id, sealed }) => [id, sealed])).toEqual([['a', null]])
      expect(await endSessions(database, { id: 'a' }, now + 8)).toEqual([])
      expect(await endedSessions(database, now + 7)).toEqual([{ id: 'a', endedAt: now + 7 }])
      expect(await endedSessions(database, now + 8)).toEqual([])
      const lease = { now: now + 9, until: now + 20 }
      expect(await leaseRenewal(database, { id: 'a', generation: 0 }, lease)).toBe(false)
      expect(await storeRenewal(database, { id: 'a', generation: 0 }, session('a'))).toBe(false)
      expect(await countSessions(database, now)).toBe(1)
    })

    test('is ended by the name that the provider has for it, in its own mode only', async () => {
      await addSession(database, session('a'))
      await addSession(database, session('b'))
      const of = (mode: string) => ({ mode, providerSession: 'sid of b' })
      expect(await endSessions(database, of('header'), now)).toEqual([])
      expect((await endSessions(database, of('oidc'), now)).map(({ id }) => id)).toEqual(['b'])
    })

    test('is let go when it has been over for long', async () => {
      await addSession(database, session('a'))
      await addSession(database, session('b', { expiresAt: now + 9000 }))
      await sweepSessions(database, now + 1000)
      expect(await findSession(database, { id: 'a' })).toBeDefined()
      await sweepSessions(database, now + 1001)
      expect(await findSession(database, { id: 'a' })).toBeUndefined()
      expect(await findSession(database, { id: 'b' })).toBeDefined()
    })
  })

  describe('a sign-in that was begun', () => {
    const attempt = { stateHash: 's', browserHash: 'b', sealed: 'x', failure: null }
    const room = { now, most: 3 }

    test('is taken once, by its own browser, in time', async () => {
      await addAttempt(database, { ...attempt, expiresAt: now + 5 }, room)
      expect(await takeAttempt(database, { stateHash: 's', browserHash: 'c' }, now)).toBeUndefined()
      expect(await takeAttempt(database, attempt, now + 5)).toBeUndefined()
      const taken = await Promise.all([1, 2, 3].map(() => takeAttempt(database, attempt, now)))
      expect(taken.filter((sealed) => sealed === 'x')).toHaveLength(1)
    })

    test('has room for so many, until the first have expired', async () => {
      for (const stateHash of ['1', '2', '3']) {
        expect(
          await addAttempt(database, { ...attempt, stateHash, expiresAt: now + 5 }, room),
        ).toBe(true)
      }
      const next = { ...attempt, stateHash: '4', expiresAt: now + 9 }
      expect(await addAttempt(database, next, room)).toBe(false)
      expect(await addAttempt(database, next, { now: now + 5, most: 3 })).toBe(true)
    })

    test('that failed says so once, the latest first', async () => {
      for (const [at, failure] of ['one', 'two'].entries()) {
        const failed = { ...attempt, stateHash: failure, sealed: null, failure }
        await addAttempt(database, { ...failed, expiresAt: now + 5 + at }, room)
      }
      expect(await takeAttempt(database, { stateHash: 'one', browserHash: 'b' }, now)).toBe(
        undefined,
      )
      expect(await takeFailure(database, 'c', now)).toBeUndefined()
      expect(await takeFailure(database, 'b', now)).toBe('two')
      expect(await takeFailure(database, 'b', now)).toBeUndefined()
    })
  })

  test('a logout token is good once, whoever sends it', async () => {
    const uses = await Promise.all([1, 2, 3].map(() => useLogoutToken(database, 'j', now + 5)))
    expect(uses.filter((isFirst) => isFirst)).toHaveLength(1)
    await sweepSessions(database, now + 5)
    expect(await useLogoutToken(database, 'j', now + 5)).toBe(false)
  })
})
