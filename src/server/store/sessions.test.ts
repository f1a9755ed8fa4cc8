import { describe, expect, test } from 'vitest'
import { onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import {
  addFailure,
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
  takeFailure,
  useOnce,
  type WhichSessions,
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
  const database = openForEachTest(open)

  describe('a stored session', () => {
    test('is found as it was kept, by its id and by its key', async () => {
      await addSession(database, session('a'))
      expect(await findSession(database, { id: 'a' })).toEqual(session('a'))
      expect(await findSession(database, { keyHash: 'hash of a' })).toEqual(session('a'))
      expect(await findSession(database, { keyHash: 'hash of b' })).toBeUndefined()
    })

    test('ends with the session of its provider, whatever that is called', async () => {
      const providerSession = 'sid \0 \ud83d'
      await addSession(database, session('a', { providerSession }))
      const ended = await endSessions(
        database,
        { mode: 'oidc', providerSession, subject: undefined },
        now,
      )
      expect(ended.map(({ id }) => id)).toEqual(['a'])
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
      await addSession(database, session('c', { providerSession: null }))
      const of = (mode: string, subject?: string) => ({
        mode,
        providerSession: 'sid of b',
        subject,
      })
      expect(await endSessions(database, of('header'), now)).toEqual([])
      expect((await endSessions(database, of('oidc'), now)).map(({ id }) => id)).toEqual(['b'])
      // Of the same person only those that the provider never named.
      expect(await endSessions(database, of('oidc', 'bob'), now)).toEqual([])
      expect((await endSessions(database, of('oidc', 'ann'), now)).map(({ id }) => id)).toEqual([
        'c',
      ])
    })

    test('is ended with all of its mode whose subject is not known any more', async () => {
      await addSession(database, session('a'))
      await addSession(database, session('b', { subject: 'bob' }))
      const but = (...subjectsBut: string[]) => ({ mode: 'oidc', subjectsBut })
      const ended = async (which: WhichSessions) =>
        (await endSessions(database, which, now)).map(({ id }) => id)
      expect(await ended({ ...but(), mode: 'tokens' })).toEqual([])
      expect(await ended(but('ann', 'eve'))).toEqual(['b'])
      expect(await ended(but())).toEqual(['a'])
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

  describe('a sign-in that failed', () => {
    const add = (failure: string, expiresAt: number, browserHash = 'b') =>
      addFailure(database, { idHash: failure, browserHash, failure, expiresAt }, { now, most: 3 })

    test('says so once, the latest first', async () => {
      await add('one', now + 5)
      await add('two', now + 6)
      expect(await takeFailure(database, 'c', now)).toBeUndefined()
      expect(await takeFailure(database, 'b', now)).toBe('two')
      expect(await takeFailure(database, 'b', now)).toBeUndefined()
      await add('three', now + 5)
      expect(await takeFailure(database, 'b', now + 5)).toBeUndefined()
    })

    test('makes room for the next one where there are many', async () => {
      for (const [at, browser] of ['1', '2', '3', '4'].entries()) {
        await add(browser, now + 5 + at, browser)
      }
      const kept = await Promise.all(
        ['1', '2', '3', '4'].map((browser) => takeFailure(database, browser, now)),
      )
      expect(kept).toEqual([undefined, '2', '3', '4'])
    })
  })

  test('a logout token is good once, whoever sends it', async () => {
    const uses = await Promise.all([1, 2, 3].map(() => useOnce(database, 'j', now + 5)))
    expect(uses.filter((isFirst) => isFirst)).toHaveLength(1)
    await sweepSessions(database, now + 5)
    expect(await useOnce(database, 'j', now + 5)).toBe(false)
  })
})
