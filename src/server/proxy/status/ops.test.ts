import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../store/database.ts'
import { openDatabase } from '../../store/open-database.ts'
import { onEachDatabase } from '../../store/on-each-database.test-support.ts'
import { startProxyOnSocket } from '../proxy-on-socket.test-support.ts'

onEachDatabase((_open, address) => {
  test('it ends while the database is away, and begins again within a second after it is back', async () => {
    const url = await address()
    const database = await openDatabase(url)
    const settings = { keepDays: 365, keepPerScan: 500, longestWaiverDays: 90 }
    const proxy = await startProxyOnSocket({}, { database, history: { database, settings } })
    onTestFinished(async () => {
      await proxy.close()
      await database.close()
    })
    const isRecording = async (): Promise<boolean> =>
      (await (await proxy.ask('/readyz')).text()).includes('Recording evaluations works.')
    const isReady = async (): Promise<boolean> => (await proxy.ask('/readyz')).status === 200
    for (let round = 0; round < 2; round += 1) {
      expect([await isReady(), await isRecording()]).toEqual([true, true])
      await setAway(database, url, true)
      proxy.clock.advance(10_000)
      expect(await isReady()).toBe(false)
      proxy.clock.advance(60_000)
      expect([await isReady(), await isRecording()]).toEqual([false, false])
      await setAway(database, url, false)
      // A fault is kept for half a second, however many look.
      expect(await isReady()).toBe(false)
      proxy.clock.advance(500)
    }
    expect(await isReady()).toBe(true)
  })
})

test.each([
  ['a scraper by the name of a service', {}, 'sightline-ops.prod', 200],
  ['a program on Node', { 'accept-language': '*' }, 'sightline-ops.prod', 200],
  [
    'a browser by a name that was made to point here',
    { 'accept-language': 'en' },
    'evil.example:9090',
    421,
  ],
  ['one that hides its languages', { 'user-agent': 'Mozilla/5.0' }, 'evil.example:9090', 421],
  ['a browser by an address', { 'accept-language': 'en' }, '10.0.0.7:9090', 200],
  ['a browser by an address of IPv6', { 'accept-language': 'en' }, '[fd00::7]:9090', 200],
  ['a browser on the machine itself', { 'accept-language': 'en' }, 'localhost:9090', 200],
  ['a browser by an allowed name', { 'accept-language': 'en' }, 'dash.example:9090', 200],
])('metrics without a session, for %s', async (_who, headers, host, status) => {
  const proxy = await startProxyOnSocket({})
  onTestFinished(() => proxy.close())
  const request = new Request('http://ops.invalid/metrics', { headers: { ...headers, host } })
  expect((await proxy.ops.fetch(request, {})).status).toBe(status)
})

/** Refuses every write, or on PostgreSQL every connection. */
async function setAway({ kysely, dialect }: Database, url: string, isAway: boolean): Promise<void> {
  if (dialect === 'sqlite') {
    await sql`pragma query_only = ${sql.lit(isAway ? 1 : 0)}`.execute(kysely)
    return
  }
  const name = new URL(url).pathname.slice(1)
  const client = new pg.Client(Object.assign(new URL(url), { pathname: '/postgres' }).href)
  await client.connect()
  await client.query(`alter database ${name} allow_connections ${isAway ? 'false' : 'true'}`)
  if (isAway) {
    const end = 'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1'
    await client.query(end, [name])
  }
  await client.end()
}
