import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createMemoryLog } from '../../live-log/memory-log.ts'
import { Activation, Screen, ScreenList } from '../../../protocol/screen.ts'
import { type Role, Session } from '../../../protocol/session.ts'
import { listActions } from '../../store/actions.ts'
import { addActivation } from '../../store/screens.ts'
import type { Database } from '../../store/database.ts'
import { onEachDatabase } from '../../store/on-each-database.test-support.ts'
import {
  problemOf,
  type ProxyOnSocket,
  startProxyOnSocket,
} from '../proxy-on-socket.test-support.ts'
import { personOf } from '../sessions.ts'
import { createTrustedProxies } from '../trusted-proxies.ts'
import { createScreens } from './screen-routes.ts'

const minute = 60_000
const day = 24 * 60 * minute
const logger = pino({ level: 'silent' })

onEachDatabase((open) => {
  let database: Database
  let clock: ManualClock
  let proxy: ProxyOnSocket
  let roles: Role[]
  const ends: (() => Promise<unknown>)[] = []

  /** A proxy on the one database: its screens live by `clock`, its sessions by a clock of their own. */
  async function startProxy(
    more: Parameters<typeof startProxyOnSocket>[1] = {},
  ): Promise<ProxyOnSocket> {
    const started = await startProxyOnSocket(
      {},
      {
        ...more,
        screens: createScreens({
          database,
          clock,
          logger,
          log: createMemoryLog(clock),
          changes: { publish: () => undefined },
        }),
        signIn: { mode: 'tokens', signIn: () => Promise.resolve(personOf({ name: 'ann', roles })) },
      },
    )
    ends.push(() => started.close())
    return started
  }

  beforeEach(async () => {
    database = await open()
    clock = createManualClock(Date.UTC(2026, 0, 5))
    roles = ['viewer', 'releaser']
    proxy = await startProxy()
  })
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
    await database.close()
  })

  const post = (url: string, body?: unknown): Promise<Response> =>
    fetch(url, { method: 'POST', ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const show = async (): Promise<Activation> =>
    Activation.parse(await (await post(`${proxy.url}/session/activation`)).json())
  const confirm = (code: string, name = 'Kitchen', at = proxy): Promise<Response> =>
    at.ask('/screens', { method: 'POST', body: JSON.stringify({ code, name }) })
  const claim = (secret: string, at = proxy): Promise<Response> =>
    post(`${at.url}/session/activation/claim`, { secret })
  const screens = async (): Promise<Screen[]> =>
    ScreenList.parse(await (await proxy.ask('/screens')).json()).screens
  const askAs = (token: string, path: string, at = proxy, init: RequestInit = {}) =>
    fetch(`${at.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } })

  /** The whole way of a screen to its credential. */
  async function activate(): Promise<{ session: Session; screen: Screen }> {
    const { code, secret } = await show()
    const screen = Screen.parse(await (await confirm(code)).json())
    return { session: Session.parse(await (await claim(secret)).json()), screen }
  }

  describe('a screen', () => {
    test('shows a code, is confirmed by somebody, and gets a session of its own, once', async () => {
      const { code, secret, expiresAt } = await show()
      expect(code).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/)
      expect(expiresAt).toBe(clock.now() + 10 * minute)
      const waiting = await claim(secret)
      expect([waiting.status, await waiting.json()]).toEqual([
        202,
        { waiting: true, expiresAt, pollMs: 3000 },
      ])
      const confirmed = await confirm(` ${code.toLowerCase().replace('-', ' ')} `)
      expect(confirmed.status).toBe(201)
      const session = Session.parse(await (await claim(secret)).json())
      expect(session).toMatchObject({
        expiresAt: clock.now() + 90 * day,
        user: { name: 'Kitchen', roles: ['screen'] },
      })
      expect((await claim(secret)).status).toBe(404)
      expect((await confirm(code)).status).toBe(404)
      expect(await screens()).toMatchObject([{ name: 'Kitchen', by: 'ann', lastSeenAt: null }])
      expect(await listActions(database, {}, 9)).toMatchObject([
        { by: 'ann', action: 'screen-confirmed', subject: 'Kitchen' },
      ])
    })

    test('is given its session once where it claims many times at once', async () => {
      const { code, secret } = await show()
      await confirm(code)
      const answers = await Promise.all(Array.from({ length: 8 }, () => claim(secret)))
      expect(answers.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array<number>(7).fill(404),
      ])
    })

    test('is not said to be an unexpected fault where the database is away', async () => {
      const { code, secret } = await show()
      await confirm('none')
      await database.close()
      for (const answer of [
        await claim(secret),
        await confirm(code),
        await proxy.ask('/screens'),
      ]) {
        expect([answer.status, (await problemOf(answer)).detail]).toEqual([
          503,
          "Sightline's database isn't responding. Try again later. See the Sightline server's log for details.",
        ])
      }
    })

    test('whose session was lost on its way gets another one in its place, until one is used', async () => {
      const { code, secret } = await show()
      const claimAgain = async (at = proxy): Promise<Response> =>
        post(`${at.url}/session/activation/claim`, { secret, again: true })
      expect((await claimAgain()).status).toBe(202)
      await confirm(code)
      const lost = Session.parse(await (await claim(secret)).json())
      const { token } = Session.parse(await (await claimAgain(await startProxy())).json())
      expect((await askAs(lost.token, '/config')).status).toBe(401)
      clock.advance(1000)
      expect((await askAs(token, '/config')).status).toBe(200)
      expect((await claimAgain()).status).toBe(404)
      expect((await askAs(token, '/config')).status).toBe(200)
      expect(await screens()).toHaveLength(1)
    })

    test('that was revoked, or whose code has expired, gets none again', async () => {
      const again = async (secret: string): Promise<number> =>
        (await post(`${proxy.url}/session/activation/claim`, { secret, again: true })).status
      const { code, secret } = await show()
      const { id } = Screen.parse(await (await confirm(code)).json())
      await claim(secret)
      await proxy.ask(`/screens/${id}`, { method: 'DELETE' })
      expect(await again(secret)).toBe(404)
      const other = await show()
      await confirm(other.code)
      await claim(other.secret)
      clock.advance(10 * minute)
      expect(await again(other.secret)).toBe(404)
    })

    test('may read the configuration and the live feed, and nothing else at all', async () => {
      const { session } = await activate()
      const get = async (path: string) => (await askAs(session.token, path)).status
      expect(await Promise.all(['/config', '/live/builds'].map(get))).toEqual([200, 200])
      const elsewhere = ['/screens', '/metrics', '/readyz', '/upstream/build-data/api/builds']
      for (const path of elsewhere) {
        const answer = await askAs(session.token, path)
        expect([path, answer.status]).toEqual([path, 403])
        expect(await problemOf(answer)).toMatchObject({ title: 'Not available to screens' })
      }
      for (const path of ['/config', '/live/builds', '/screens']) {
        const answer = await askAs(session.token, path, proxy, { method: 'POST' })
        expect([path, answer.status]).toEqual([path, 403])
      }
    })

    test('lives on in another proxy on the same database, and after a restart', async () => {
      const { code, secret } = await show()
      const other = await startProxy()
      expect((await confirm(code, 'Lobby', other)).status).toBe(201)
      const { token } = Session.parse(await (await claim(secret)).json())
      expect((await askAs(token, '/config', other)).status).toBe(200)
      expect((await askAs(token, '/config', await startProxy())).status).toBe(200)
    })

    test('that is revoked is refused at once, and within a second by another proxy', async () => {
      const { session, screen } = await activate()
      const other = await startProxy()
      expect((await askAs(session.token, '/config', other)).status).toBe(200)
      clock.advance(1)
      const revoked = await proxy.ask(`/screens/${screen.id}`, { method: 'DELETE' })
      expect(revoked.status).toBe(204)
      expect((await askAs(session.token, '/config')).status).toBe(401)
      clock.advance(1000)
      for (const at of [proxy, other]) {
        const answer = await askAs(session.token, '/config', at)
        expect(answer.status).toBe(401)
        expect(await problemOf(answer)).toMatchObject({ title: 'Unknown screen' })
      }
      expect(await screens()).toEqual([])
      expect((await proxy.ask(`/screens/${screen.id}`, { method: 'DELETE' })).status).toBe(404)
      expect(await listActions(database, {}, 1)).toMatchObject([{ action: 'screen-revoked' }])
    })

    test('that is used was seen within the last minute', async () => {
      const { session } = await activate()
      for (const passed of [0, minute, minute]) {
        clock.advance(passed)
        expect((await askAs(session.token, '/config')).status).toBe(200)
        expect((await screens())[0]?.lastSeenAt).toBe(clock.now())
      }
    })

    test('that is used stays valid; one that is not ends after 90 days', async () => {
      const { session } = await activate()
      for (let month = 0; month < 12; month++) {
        clock.advance(30 * day)
        expect((await askAs(session.token, '/config')).status).toBe(200)
      }
      expect((await screens())[0]?.lastSeenAt).toBe(clock.now())
      clock.advance(91 * day)
      expect((await askAs(session.token, '/config')).status).toBe(401)
      expect(ScreenList.parse(await (await proxy.ask('/screens')).json())).toMatchObject({
        screens: [],
        ended: [{ name: 'Kitchen' }],
      })
    })

    test('cannot be made up, and its credential is stored nowhere', async () => {
      const { session, screen } = await activate()
      const [, , secret = ''] = /^screen_(\w{16})_(.*)$/.exec(session.token) ?? []
      const forged = `screen_${screen.id}_${'A'.repeat(secret.length)}`
      const unknown = `screen_${'0'.repeat(16)}_${secret}`
      for (const token of [forged, unknown, `${session.token}x`, 'screen__']) {
        expect((await askAs(token, '/config')).status).toBe(401)
      }
      const rows = await database.kysely.selectFrom('screens').selectAll().execute()
      expect(secret.length).toBe(43)
      expect(JSON.stringify(rows)).not.toContain(secret)
    })
  })

  describe('a code', () => {
    test('that nobody confirms is void after ten minutes', async () => {
      const { code, secret } = await show()
      clock.advance(10 * minute)
      expect((await confirm(code)).status).toBe(404)
      expect((await claim(secret)).status).toBe(404)
    })

    test('can be guessed ten times a minute, and then not even rightly', async () => {
      const { code } = await show()
      for (let guess = 0; guess < 10; guess++) expect((await confirm('AAAA-AAAA')).status).toBe(404)
      const refused = await confirm(code)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
      clock.advance(minute)
      expect((await confirm(code)).status).toBe(201)
    })

    test('is given twenty times a minute to an address', async () => {
      for (let at = 0; at < 20; at++) await show()
      const refused = await post(`${proxy.url}/session/activation`)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
      clock.advance(minute)
      expect((await post(`${proxy.url}/session/activation`)).status).toBe(200)
    })

    test('of the address with most codes goes first where 200 screens show one, and nobody else is kept out', async () => {
      const trusting = await startProxy({ trustedProxies: createTrustedProxies(['127.0.0.1']) })
      const showAt = async (address: string): Promise<Activation> => {
        const headers = { 'x-forwarded-for': address }
        const path = `${trusting.url}/session/activation`
        return Activation.parse(await (await fetch(path, { method: 'POST', headers })).json())
      }
      const kitchen = await showAt('192.0.2.1')
      const first = await showAt('192.0.2.66')
      for (let round = 0; round < 5; round++) {
        clock.advance(minute)
        for (let at = 0; at < 18; at++) await showAt('192.0.2.66')
        for (let at = 0; at < 17; at++) await showAt('192.0.2.67')
      }
      for (let at = 0; at < 23; at++) await showAt(`198.51.100.${at}`)
      expect((await claim(first.secret, trusting)).status).toBe(202)
      const hall = await showAt('192.0.2.2')
      expect((await claim(first.secret, trusting)).status).toBe(404)
      for (const { code, secret } of [kitchen, hall]) {
        expect((await confirm(code, 'Hall', trusting)).status).toBe(201)
        expect((await claim(secret, trusting)).status).toBe(200)
      }
    })

    test('is shown by 200 screens at most, until the first have expired', async () => {
      const expiresAt = clock.now() + 5 * minute
      for (let at = 0; at < 200; at++) {
        await addActivation(database, { secretHash: `s${at}`, codeHash: `c${at}`, expiresAt })
      }
      expect((await post(`${proxy.url}/session/activation`)).status).toBe(429)
      clock.advance(5 * minute)
      expect((await post(`${proxy.url}/session/activation`)).status).toBe(200)
    })

    test('is not for those who only look', async () => {
      roles = ['viewer']
      const { url } = proxy
      const { token } = Session.parse(await (await post(`${url}/session`)).json())
      expect((await askAs(token, '/screens')).status).toBe(403)
      expect((await askAs(token, '/screens/x', proxy, { method: 'DELETE' })).status).toBe(403)
      expect((await fetch(`${url}/screens`)).status).toBe(401)
    })

    test.each([
      ['{'],
      ['{}'],
      ['{"code":"","name":"x"}'],
      ['{"code":"AAAA-AAAA","name":" "}'],
      ['[]'],
    ])('in a body like %s is refused in plain words', async (body) => {
      const answer = await proxy.ask('/screens', { method: 'POST', body })
      expect(answer.status).toBe(400)
      expect((await problemOf(answer)).detail).toContain('code and name')
    })

    test('is counted for each browser behind a proxy that is trusted', async () => {
      const trusting = await startProxy({ trustedProxies: createTrustedProxies(['127.0.0.1']) })
      const startAs = async (address: string): Promise<number> => {
        const headers = { 'x-forwarded-for': address }
        const path = `${trusting.url}/session/activation`
        return (await fetch(path, { method: 'POST', headers })).status
      }
      for (let at = 0; at < 20; at++) expect(await startAs('192.0.2.1')).toBe(200)
      expect([await startAs('192.0.2.1'), await startAs('192.0.2.2')]).toEqual([429, 200])
    })

    test('requested by the page of another site is refused', async () => {
      for (const path of ['/session/activation', '/session/activation/claim', '/screens']) {
        const answer = await fetch(`${proxy.url}${path}`, {
          method: 'POST',
          headers: { origin: 'https://evil.example' },
        })
        expect([path, answer.status]).toEqual([path, 403])
      }
    })

    test('with a name full of odd characters names the screen all the same', async () => {
      const { code } = await show()
      expect((await confirm(code, 'a\0b<img>\ud800')).status).toBe(201)
      expect((await screens())[0]?.name).toContain('<img>')
    })
  })
})
