import { Socket } from 'node:net'
import pg from 'pg'
import { type Clock, wait } from '../../protocol/clock.ts'
import {
  answerMs,
  keptEntries,
  keptMs,
  keptNoticesMs,
  leaseMs,
  type LogEngine,
  type News,
  type Notice,
  pageSize,
  pollMs,
  type Position,
  type StoredRow,
} from './live-log.ts'

/**
 * A log in a PostgreSQL database, in tables of its own that it makes by itself; the user needs to be
 * allowed to make them, no more. Readers are woken by NOTIFY, which carries no content, and look
 * every second besides. Through PgBouncer in transaction mode only that second is left of it.
 */
export function createPostgresEngine(url: string, clock: Clock): LogEngine {
  const options = {
    connectionString: url,
    application_name: 'sightline live log',
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    keepAlive: true,
    types,
  }
  const pool = new pg.Pool({ ...options, max: 3 })
  // A connection that dies while idle is replaced by the next query; unheard, it ends the process.
  pool.on('error', () => undefined)

  let areTablesThere = false
  let client: pg.Client | undefined
  let socket = new Socket()
  /** What to look for. */
  const news = { entry: true, notice: true }
  let wake = (): void => undefined
  /** The newest notice that was heard. */
  let heard: number | undefined

  const reading = (): pg.Client => {
    if (client === undefined) throw new Error('connection closed')
    return client
  }

  const entriesAfter = async (
    after: Position | undefined,
  ): Promise<Pick<News, 'rows' | 'isAll'>> => {
    if (after === undefined) return { rows: [], isAll: true }
    // The entry at the position comes along, without its text, to see that it is still the same.
    const { rows } = await reading().query<StoredRow>(
      `select number, term, kind, id, timestamp, case when number > $1 then json else '' end as json
        from sightline_live_log where number >= $1 order by number limit $2`,
      [after.number, pageSize + 1],
    )
    const isAll = rows.length <= pageSize
    if (after.number === 0) return { rows, isAll }
    const [anchor, ...following] = rows
    const isThere = anchor?.number === after.number && anchor.term === after.term
    return isThere ? { rows: following, isAll } : { rows: 'astray', isAll: false }
  }

  const newNotices = async (): Promise<readonly Notice[]> => {
    const { rows } = await reading().query<Notice & { head: number; number: number | null }>(
      `select head.number as head, notice.number, topic, json from sightline_live_head head
        left join sightline_live_notice notice on notice.number > $1
        where head.name = 'notices' order by notice.number limit $2`,
      [heard ?? Number.MAX_SAFE_INTEGER, pageSize],
    )
    const head = rows[0]?.head ?? 0
    const notices = rows.filter(({ number }) => number !== null)
    // A database that was restored counts from an earlier number on.
    heard = heard === undefined || head < heard ? head : (notices.at(-1)?.number ?? heard)
    return notices
  }

  const look = async (after: Position | undefined): Promise<News> => {
    const { entry, notice } = news
    news.entry = false
    news.notice = false
    const notices = notice ? await newNotices() : []
    const entries = entry ? await entriesAfter(after) : { rows: [], isAll: true }
    news.entry ||= !entries.isAll
    news.notice ||= notices.length === pageSize
    return { ...entries, notices }
  }

  return {
    kind: 'postgres',
    place: `PostgreSQL at ${placeOf(url)}`,
    open: async () => {
      if (!areTablesThere) await makeTables(pool)
      areTablesThere = true
      const tcp = new Socket()
      const opening = new pg.Client({ ...options, stream: () => tcp })
      client = opening
      socket = tcp
      opening.on('error', () => {
        wake()
      })
      opening.on('notification', ({ payload }) => {
        news[payload === 'notice' ? 'notice' : 'entry'] = true
        wake()
      })
      await opening.connect()
      await opening.query('listen sightline_live')
      Object.assign(news, { entry: true, notice: true })
    },
    next: async (after, isPatient) => {
      if (isPatient && !news.entry && !news.notice) {
        const woken = new AbortController()
        wake = () => {
          woken.abort()
        }
        await wait(clock, pollMs, woken.signal)
        // A notification may have been lost on its way.
        if (!woken.signal.aborted) Object.assign(news, { entry: true, notice: true })
      }
      if (!isPatient) news.entry = true
      return look(after)
    },
    drop: () => {
      client = undefined
      // Not a polite end: the server may not answer any more.
      socket.destroy()
      wake()
    },
    take: async (name, term) => {
      const { rowCount } = await pool.query(
        `insert into sightline_live_lease as lease (name, term, batch, expires_at)
          values ($1, $2, 0, clock_timestamp() + $3 * interval '1 ms')
          on conflict (name) do update set
            term = excluded.term, batch = 0, expires_at = excluded.expires_at
          where lease.expires_at <= clock_timestamp()`,
        [name, term, leaseMs],
      )
      if (rowCount === 0) {
        const { rows } = await pool.query<{ ms: number }>(
          `select extract(epoch from expires_at - clock_timestamp())::float8 * 1000 as ms
            from sightline_live_lease where name = $1`,
          [name],
        )
        return Math.min(leaseMs, Math.max(0, Math.ceil(rows[0]?.ms ?? 0)))
      }
      const newest = await pool.query<Position>(
        'select number, term from sightline_live_log order by number desc limit 1',
      )
      const build = await pool.query<{ id: string }>(
        `select id from sightline_live_log where kind = 'build' order by number desc limit 1`,
      )
      return { head: newest.rows[0] ?? { number: 0, term: '' }, newestBuild: build.rows[0]?.id }
    },
    renew: async (name, term) => {
      const { rowCount } = await pool.query(
        `update sightline_live_lease set expires_at = clock_timestamp() + $3 * interval '1 ms'
          where name = $1 and term = $2`,
        [name, term, leaseMs],
      )
      return rowCount === 1
    },
    release: async (name, term) => {
      await pool.query(
        `update sightline_live_lease set term = '', expires_at = clock_timestamp()
          where name = $1 and term = $2`,
        [name, term],
      )
    },
    append: async ({ name, term, batch }, entries) => {
      const { rows } = await pool.query<{ held: number }>(appendStatement, [
        name,
        term,
        batch,
        leaseMs,
        entries.map(({ kind }) => kind),
        entries.map((entry) => (entry.kind === 'gap' ? '' : entry.id)),
        entries.map((entry) => (entry.kind === 'build' ? entry.timestamp : 0)),
        entries.map(({ json }) => json),
      ])
      if (rows[0]?.held === 1) return true
      const { rowCount } = await pool.query(
        'select 1 from sightline_live_lease where name = $1 and term = $2 and batch = $3',
        [name, term, batch],
      )
      return rowCount === 1
    },
    trim: async () => {
      for (;;) {
        const { rowCount } = await pool.query(
          `with oldest as (select number, at from sightline_live_log order by number limit $3)
            delete from sightline_live_log log using oldest, sightline_live_head head
            where log.number = oldest.number and head.name = 'log'
              and oldest.at < clock_timestamp() - $2 * interval '1 ms'
              and oldest.number <= head.number - $1`,
          [keptEntries, keptMs, trimmedAtOnce],
        )
        if (rowCount !== trimmedAtOnce) return
      }
    },
    notify: async (notices) => {
      await pool.query(
        `with sent as (
            select * from unnest($1::text[], $2::text[]) with ordinality as sent (topic, json, place)
          ), moved as (
            update sightline_live_head set number = number + (select count(*) from sent)
            where name = 'notices' returning number
          ), old as (
            delete from sightline_live_notice where at < clock_timestamp() - $3 * interval '1 ms'
          ), added as (
            insert into sightline_live_notice (number, topic, json)
            select moved.number - (select count(*) from sent) + place, topic, json from sent, moved
          )
          select pg_notify('sightline_live', 'notice') from moved`,
        [notices.map(({ topic }) => topic), notices.map(({ json }) => json), keptNoticesMs],
      )
    },
    close: async () => {
      const over = new AbortController()
      await Promise.race([pool.end(), wait(clock, answerMs, over.signal)])
      over.abort()
    },
  }
}

/**
 * One statement: the lease's row is locked first, so that the appends of two terms never cross, then
 * that of the head, so that numbers have no holes and become visible in their order. Nobody but the
 * term that was found there can have appended since the statement began; the unique index is the
 * second lock on that door.
 */
const appendStatement = `
  with held as (
    update sightline_live_lease
    set batch = $3, expires_at = clock_timestamp() + $4 * interval '1 ms'
    where name = $1 and term = $2 and batch = $3 - 1
    returning 1
  ), sent as (
    select distinct on (kind = 'build', case when kind = 'build' then id else place::text end) *
    from unnest($5::text[], $6::text[], $7::bigint[], $8::text[]) with ordinality
      as sent (kind, id, timestamp, json, place), held
    order by kind = 'build', case when kind = 'build' then id else place::text end, place
  ), fresh as (
    select *, row_number() over (order by place) as nth from sent
    where kind <> 'build' or not exists (
      select from sightline_live_log log where log.kind = 'build' and log.id = sent.id
    )
  ), moved as (
    update sightline_live_head set number = number + (select count(*) from fresh)
    where name = 'log' and exists (select from fresh)
    returning number
  ), added as (
    insert into sightline_live_log (number, term, kind, id, timestamp, json)
    select moved.number - (select count(*) from fresh) + nth, $2, kind, id, timestamp, json
    from fresh, moved
  )
  select (select count(*) from held) as held,
    (select pg_notify('sightline_live', 'entry') from moved)`

const tables = ['log', 'lease', 'head', 'notice'].map((name) => `sightline_live_${name}`)

/** Makes the tables where there are none: processes that start together do it one after the other. */
async function makeTables(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  let isDone = false
  try {
    const { rows } = await client.query<{ all: boolean }>(
      'select bool_and(to_regclass(name) is not null) as all from unnest($1::text[]) as name',
      [tables],
    )
    if (rows[0]?.all !== true) {
      await client.query('begin')
      await client.query('select pg_advisory_xact_lock($1)', [makingTables])
      await client.query(tableStatements)
      await client.query('commit')
    }
    isDone = true
  } finally {
    // A transaction that failed ends with its connection.
    client.release(!isDone)
  }
}

const tableStatements = `
  create table if not exists sightline_live_log (
    number bigint primary key,
    term text not null,
    kind text not null,
    id text not null,
    timestamp bigint not null,
    json text not null,
    at timestamptz not null default clock_timestamp()
  );
  create unique index if not exists sightline_live_log_build
    on sightline_live_log (id) where kind = 'build';
  create table if not exists sightline_live_lease (
    name text primary key,
    term text not null,
    batch bigint not null,
    expires_at timestamptz not null
  );
  create table if not exists sightline_live_notice (
    number bigint primary key,
    topic text not null,
    json text not null,
    at timestamptz not null default clock_timestamp()
  );
  create index if not exists sightline_live_notice_at on sightline_live_notice (at);
  create table if not exists sightline_live_head (
    name text primary key,
    number bigint not null
  );
  insert into sightline_live_head (name, number) values ('log', 0), ('notices', 0)
    on conflict do nothing`

/** "sightline" on a telephone, shortened: no other lock of this product has it. */
const makingTables = 7444_4854

const trimmedAtOnce = 5000

/** Numbers and times are exact as JavaScript numbers. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

function placeOf(url: string): string {
  // A socket's folder stands in the query, in place of the host.
  const { host, searchParams } = new URL(url.replace('@/', '@localhost/'))
  return searchParams.get('host') ?? host
}
