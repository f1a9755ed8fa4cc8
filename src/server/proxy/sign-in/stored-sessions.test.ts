import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import type { LiveLog } from '../../live-log/live-log.ts'
import { createMemoryLog } from '../../live-log/memory-log.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { noAudit } from '../history/audit.ts'
import { personOf, type SignIn, type SignInRequest } from '../sessions.ts'
import { createStoredSessions, type StoredSessionsOptions } from './stored-sessions.ts'

/** Lets minutes pass, with what looks at sessions meanwhile. */
async function passing(clock: ManualClock, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    clock.advance(60_000)
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

async function setUp(signIn: Partial<SignIn> = {}) {
  const lines: string[] = []
  const audited: string[] = []
  const database = await memoryDatabase()
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  // As one that several proxies share.
  const log: LiveLog = {
    ...createMemoryLog(clock),
    state: () => ({ kind: 'postgres', isReachable: true, since: 0, message: undefined }),
  }
  const options: StoredSessionsOptions = {
    database,
    clock,
    logger: pino({ level: 'warn' }, { write: (line) => lines.push(line) }),
    signIn: {
      mode: 'tokens',
      signIn: () => Promise.resolve(personOf({ name: 'ann', roles: ['viewer'] })),
      ...signIn,
    },
    secret: 'a secret of the tests, long enough',
    lifetimeMs: 12 * 60 * 60_000,
    audit: {
      ...noAudit,
      record: ({ action, subject, detail }) => void audited.push(`${action} ${subject}: ${detail}`),
    },
    log,
  }
  const sessions = createStoredSessions(options)
  const elsewhere = createStoredSessions(options)
  onTestFinished(() => {
    sessions.close()
    elsewhere.close()
    return database.close()
  })
  /** `POST /session` with the cookie of a Set-Cookie header. */
  const request = (cookie = '', body = ''): SignInRequest => ({
    headers: new Headers({ cookie: cookie.split(';')[0] ?? '' }),
    rawHeaders: [],
    body: new TextEncoder().encode(body),
    address: undefined,
    from: null,
  })
  return { database, clock, sessions, elsewhere, request, lines, audited }
}

test('a database that is away signs nobody out: the token stays good, renewals say to try again', async () => {
  const { database, clock, sessions, request } = await setUp()
  const { session, cookie } = await sessions.open(request())
  const verified = await sessions.verify(`Bearer ${session.token}`)
  await database.close()
  clock.advance(9 * 60_000)
  await expect(sessions.open(request(cookie))).rejects.toMatchObject({
    status: 503,
    retryAfterMs: 5000,
  })
  expect((await sessions.verify(`Bearer ${session.token}`)).user.name).toBe('ann')
  expect(verified.ended.aborted).toBe(false)
})

test('a database that is read-only is named to who signs in, and the log says what it answered', async () => {
  const { database, clock, sessions, request, lines } = await setUp()
  const { session } = await sessions.open(request())
  await sessions.verify(`Bearer ${session.token}`)
  await sql`pragma query_only = on`.execute(database.kysely)
  await expect(sessions.open(request())).rejects.toThrow(
    /can't use its database\. The database is read-only\.$/,
  )
  expect(lines.join('')).toContain('attempt to write a readonly database')
  await sql`pragma query_only = off`.execute(database.kysely)
  await database.kysely.schema.alterTable('sessions').renameTo('away').execute()
  lines.length = 0
  await passing(clock, 1)
  expect(lines.join('')).toContain('no such table: sessions')
})

test('whoever signs in as somebody else has their session, and the one before has ended, which is audited', async () => {
  let name = 'ann'
  const { clock, sessions, request, audited } = await setUp({
    signIn: () => Promise.resolve(personOf({ name, roles: ['viewer'] })),
    isStill: ({ subject }) => subject === name,
  })
  const first = await sessions.open(request())
  const before = await sessions.verify(`Bearer ${first.session.token}`)
  name = 'bob'
  const second = await sessions.open(request(first.cookie))
  expect(second.session.user.name).toBe('bob')
  expect(before.ended.aborted).toBe(true)
  await expect(sessions.verify(`Bearer ${first.session.token}`)).rejects.toMatchObject({
    status: 401,
  })
  clock.advance(60_000)
  const third = await sessions.open(request(second.cookie, '{"token":"x"}'))
  expect(third.session.user.name).toBe('bob')
  expect(audited).toEqual([
    'signed-in ann: ann signed in as viewer.',
    'session-ended ann: The reverse proxy no longer names ann.',
    'signed-in bob: bob signed in as viewer.',
    'session-ended bob: bob signed in in the same browser.',
    'signed-in bob: bob signed in as viewer.',
  ])
  await expect(sessions.verify(`Bearer ${second.session.token}`)).rejects.toMatchObject({
    status: 401,
  })
})

test('a session ends by the clock for whoever still has a stream of it', async () => {
  const { clock, sessions, elsewhere, request } = await setUp()
  const first = await sessions.open(request())
  const { ended } = await sessions.verify(`Bearer ${first.session.token}`)
  let { cookie } = first
  // Renewed at another proxy, whose tokens this one never sees.
  for (let minutes = 0; minutes < 11 * 60; minutes += 10) {
    expect(ended.aborted).toBe(false)
    await passing(clock, 10)
    ;({ cookie } = await elsewhere.open(request(cookie)))
  }
  await passing(clock, 60)
  expect(ended.aborted).toBe(true)
})

test('what was begun with a token ends two minutes after it where the session is not renewed, and only that', async () => {
  const { clock, sessions, request } = await setUp()
  const { session, cookie } = await sessions.open(request())
  const { id, ended } = await sessions.verify(`Bearer ${session.token}`)
  await passing(clock, 11)
  expect(ended.aborted).toBe(false)
  await passing(clock, 2)
  expect(ended.aborted).toBe(true)
  const renewed = await sessions.open(request(cookie))
  const again = await sessions.verify(`Bearer ${renewed.session.token}`)
  expect([again.id, again.ended.aborted]).toEqual([id, false])
})

test('a sign-out reaches the streams of another proxy at once, without waiting for its next look', async () => {
  const { sessions, elsewhere, request } = await setUp()
  const { session, cookie } = await sessions.open(request())
  const { ended } = await elsewhere.verify(`Bearer ${session.token}`)
  expect(ended.aborted).toBe(false)
  await sessions.end(request(cookie), false)
  // The clock stands still: nothing but the notice can have brought it.
  await expect.poll(() => ended.aborted).toBe(true)
})

test('a sign-out whose notice was lost reaches another proxy within some seconds', async () => {
  const { database, clock, sessions, elsewhere, request } = await setUp()
  const { session } = await sessions.open(request())
  const { ended } = await elsewhere.verify(`Bearer ${session.token}`)
  await database.kysely.updateTable('sessions').set({ ended_at: clock.now() }).execute()
  clock.advance(5000)
  await expect.poll(() => ended.aborted).toBe(true)
})

test('one person signs in 120 times a minute, which keeps nobody else out', async () => {
  let name = 'ann'
  const { clock, sessions, request } = await setUp({
    signIn: () => Promise.resolve(personOf({ name, roles: ['viewer'] })),
  })
  for (let at = 0; at < 120; at++) await sessions.open(request())
  await expect(sessions.open(request())).rejects.toMatchObject({ status: 429 })
  name = 'bob'
  const { session } = await sessions.open(request())
  expect(session.user.name).toBe('bob')
  name = 'ann'
  clock.advance(60_000)
  await sessions.open(request())
})

test('what names a person is the same in all their sessions, and of two with one name apart', async () => {
  const whoIs = async (mode: SignIn['mode'], subject: string) => {
    const identity = { ...personOf({ name: 'ann', roles: ['viewer'] as const }), subject }
    const { sessions, request } = await setUp({ mode, signIn: () => Promise.resolve(identity) })
    const { session } = await sessions.open(request())
    const { person, holder } = await sessions.verify(`Bearer ${session.token}`)
    // What has a limit counts for the person.
    expect(holder).toBe(person)
    return person
  }
  expect(await whoIs('tokens', 'hash of an old token')).toBe(await whoIs('header', 'ann'))
  expect(await whoIs('oidc', 'https://idp#1')).not.toBe(await whoIs('oidc', 'https://idp#2'))
})
