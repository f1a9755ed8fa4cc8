import { createClient } from '@redis/client'
import pg from 'pg'
import type { LogServer } from './on-each-live-log.test-support.ts'

/** The server without our engine: what others, a restore or a clock may do to a log. */
export interface RawLog {
  /** Writes an entry after the others that no version of ours would write. */
  readonly writeStrange: (kind: string, json: string) => Promise<void>
  /** Forgets everything from after a number on, and who had the lease, as an older backup would. */
  readonly rollBack: (number: number) => Promise<void>
  /** Makes all that stands there eleven minutes old. */
  readonly age: () => Promise<void>
  /** How many entries, and builds known as there, the server keeps. */
  readonly count: () => Promise<{ readonly entries: number; readonly builds: number }>
}

/** The log in one database of a server. */
export function rawLog(server: LogServer, url: string): RawLog {
  return server.kind === 'postgres' ? rawPostgres(url) : rawRedis(url)
}

function rawPostgres(url: string): RawLog {
  const query = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>> => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      const { rows } = await client.query<Record<string, unknown>>(text, values)
      return rows[0] ?? {}
    } finally {
      await client.end()
    }
  }
  return {
    writeStrange: async (kind, json) => {
      await query(
        `with head as (
            update sightline_live_head set number = number + 1 where name = 'log' returning number
          )
          insert into sightline_live_log (number, term, kind, id, timestamp, json)
          select number, 'strange', $1, 'strange', 0, $2 from head`,
        [kind, json],
      )
    },
    rollBack: async (number) => {
      await query(
        `with forgotten as (delete from sightline_live_log where number > $1),
          lease as (delete from sightline_live_lease)
          update sightline_live_head set number = $1 where name = 'log'`,
        [number],
      )
    },
    age: async () => {
      await query(`update sightline_live_log set at = at - interval '11 minutes'`)
    },
    count: async () => {
      const { entries, builds } = await query(
        `select count(*)::int as entries, (count(*) filter (where kind = 'build'))::int as builds
          from sightline_live_log`,
      )
      return { entries: Number(entries), builds: Number(builds) }
    },
  }
}

function rawRedis(url: string): RawLog {
  const send = async (...words: string[]): Promise<unknown> => {
    const client = await createClient({ url, RESP: 2 }).connect()
    try {
      return await client.sendCommand<unknown>(words)
    } finally {
      client.destroy()
    }
  }
  const log = 'sightline:{live}:log'
  return {
    writeStrange: async (kind, json) => {
      const next = Number(await send('XLEN', log)) + 1
      const fields = ['term', 'strange', 'kind', kind, 'id', 'strange', 'timestamp', '0']
      await send('XADD', log, `${next}-0`, ...fields, 'json', json)
    },
    rollBack: async (number) => {
      // What is left is written anew: a stream remembers the largest number that it ever had.
      const script = `
        local kept = redis.call('XRANGE', KEYS[1], '-', ARGV[1])
        redis.call('DEL', KEYS[1], KEYS[3])
        for _, entry in ipairs(kept) do redis.call('XADD', KEYS[1], entry[1], unpack(entry[2])) end
        redis.call('ZREMRANGEBYSCORE', KEYS[2], '(' .. ARGV[2], '+inf')`
      const keys = [log, 'sightline:{live}:builds', 'sightline:{live}:lease:follower']
      await send('EVAL', script, '3', ...keys, `${number}-0`, String(number))
    },
    age: async () => {
      const head = Number(await send('XLEN', log))
      await send('LPUSH', 'sightline:{live}:marks', `${Date.now() - 660_000}:${head}`)
    },
    count: async () => ({
      entries: Number(await send('XLEN', log)),
      builds: Number(await send('ZCARD', 'sightline:{live}:builds')),
    }),
  }
}
