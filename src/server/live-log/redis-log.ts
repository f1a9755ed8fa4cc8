import { z } from 'zod'
import { type Clock, wait } from '../../protocol/clock.ts'
import { faultOf } from './engine-log.ts'
import {
  answerMs,
  beginning,
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

interface RedisEngine extends LogEngine {
  /** Throws where what is appended would be refused. Stores nothing. */
  readonly tryWrite: () => Promise<void>
}

/**
 * A log in Redis 7 or Valkey 8: two streams (entries under their numbers, notices under the time), a
 * set of the builds that stand there, and a hash for each lease. What has to be one step is a script.
 * The keys share one hash slot, so that a cluster can keep them too.
 */
export function createRedisEngine(url: string, clock: Clock): RedisEngine {
  let reading: RedisConnection | undefined
  let asking: Promise<RedisConnection> | undefined
  let isClosed = false
  /** The newest notice that was heard. */
  let heard: string | undefined

  /** On the connection for all that does not wait; made anew when it was lost. */
  const ask = async (...words: string[]): Promise<unknown> => {
    if (isClosed) throw new Error('connection closed')
    const mine = (asking ??= connectRedis(url, clock))
    try {
      return await (await mine).send(...words)
    } finally {
      const connection = await mine.catch(() => undefined)
      if (connection?.isUsable() !== true && asking === mine) asking = undefined
    }
  }
  const run = (script: string, keysOf: readonly string[], ...values: string[]): Promise<unknown> =>
    ask('EVAL', script, String(keysOf.length), ...keysOf, ...values)

  const read = (...words: string[]): Promise<unknown> => {
    if (reading === undefined) throw new Error('connection closed')
    return reading.send(...words)
  }

  /** Whether what follows a position follows it still. */
  const isStillThere = async (after: Position, first: StoredRow | undefined): Promise<boolean> => {
    if (after.number === 0) return true
    if (first?.number === after.number + 1 && first.term === after.term) return true
    const id = `${after.number}-0`
    const [entry] = Entries.parse(await read('XRANGE', keys.log, id, id))
    return entry !== undefined && storedRow(entry).term === after.term
  }

  return {
    kind: 'redis',
    place: `Redis at ${new URL(url).host}`,
    open: async () => {
      reading = await connectRedis(url, clock).catch((error: unknown) => {
        throw heard === undefined ? perhapsTls(error, url) : error
      })
      if (heard !== undefined) return
      const [newest] = Entries.parse(await read('XREVRANGE', keys.notices, '+', '-', 'COUNT', '1'))
      heard = newest?.[0] ?? '0-0'
    },
    next: async (after, isPatient): Promise<News> => {
      const streams = [
        ...['STREAMS', ...(after === undefined ? [] : [keys.log]), keys.notices],
        ...(after === undefined ? [] : [`${after.number}-0`]),
        heard ?? '$',
      ]
      const block = isPatient ? ['BLOCK', String(pollMs)] : []
      const reply = await read('XREAD', 'COUNT', String(pageSize), ...block, ...streams)
      const found = new Map(Streams.parse(reply) ?? [])
      const sent = found.get(keys.notices) ?? []
      heard = sent.at(-1)?.[0] ?? heard
      const notices = sent.map(([, fields]) => noticeOf(fields))
      const rows = (found.get(keys.log) ?? []).map(storedRow)
      if (after !== undefined && !(await isStillThere(after, rows[0]))) {
        return { rows: 'astray', isAll: false, notices }
      }
      return { rows, isAll: rows.length < pageSize && sent.length < pageSize, notices }
    },
    drop: () => {
      reading?.destroy()
      reading = undefined
    },
    take: async (name, term) => {
      const answer = await run(
        takeScript,
        [leaseKey(name), keys.log, keys.builds],
        term,
        ms(leaseMs),
      )
      const taken = TakeAnswer.parse(answer)
      if (taken[0] === 0) return Math.min(leaseMs, taken[1])
      const [, number, headTerm, newestBuild] = taken
      const head = number === 0 ? beginning : { number, term: headTerm }
      return { head, newestBuild: newestBuild === '' ? undefined : newestBuild }
    },
    renew: async (name, term) =>
      (await run(renewScript, [leaseKey(name)], term, ms(leaseMs))) === 1,
    release: async (name, term) => {
      await run(releaseScript, [leaseKey(name)], term)
    },
    append: async ({ name, term, batch }, entries) => {
      const values = entries.flatMap((entry) => [
        entry.kind,
        entry.kind === 'gap' ? '' : entry.id,
        entry.kind === 'build' ? String(entry.timestamp) : '0',
        entry.json,
      ])
      const where = [leaseKey(name), keys.log, keys.builds]
      return (await run(appendScript, where, term, String(batch), ms(leaseMs), ...values)) === 1
    },
    trim: async () => {
      const where = [keys.log, keys.builds, keys.marks]
      await run(trimScript, where, ms(keptMs), String(keptEntries))
    },
    tryWrite: async () => {
      await run(tryScript, [keys.none])
    },
    notify: async (notices) => {
      const values = notices.flatMap(({ topic, json }) => [topic, json])
      await run(notifyScript, [keys.notices], ms(keptNoticesMs), ...values)
    },
    close: async () => {
      isClosed = true
      const used = await asking?.catch(() => undefined)
      used?.destroy()
    },
  }
}

const keys = {
  log: 'sightline:{live}:log',
  notices: 'sightline:{live}:notices',
  /** Sorted by the numbers of their entries. */
  builds: 'sightline:{live}:builds',
  /** Which number the log had reached when. */
  marks: 'sightline:{live}:marks',
  /** There is never such a stream. */
  none: 'sightline:{live}:none',
}
/** To a stream that there isn't nothing is added, but whoever may not add to one is refused. */
const tryScript = `redis.call('XADD', KEYS[1], 'NOMKSTREAM', '*', 'try', '1')`
const leaseKey = (name: string): string => `sightline:{live}:lease:${name}`
const ms = String

/** An entry of a stream: its id, then fields and values by turns. */
const StreamEntry = z.tuple([z.string(), z.array(z.string())])
const Entries = z.array(StreamEntry)
const Streams = z.array(z.tuple([z.string(), Entries])).nullable()

function fieldsOf(words: readonly string[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (let at = 0; at + 1 < words.length; at += 2) fields.set(words[at] ?? '', words[at + 1] ?? '')
  return fields
}

function storedRow([id, words]: z.infer<typeof StreamEntry>): StoredRow {
  const fields = fieldsOf(words)
  const text = (name: string): string => fields.get(name) ?? ''
  return {
    number: Number.parseInt(id, 10),
    term: text('term'),
    kind: text('kind'),
    id: text('id'),
    timestamp: Number(text('timestamp')),
    json: text('json'),
  }
}

function noticeOf(words: readonly string[]): Notice {
  const fields = fieldsOf(words)
  return { topic: fields.get('topic') ?? '', json: fields.get('json') ?? '' }
}

/** Not taken, and the ms until it may be; or taken, with the head's number and term and a build. */
const TakeAnswer = z.union([
  z.tuple([z.literal(0), z.number()]),
  z.tuple([z.literal(1), z.number(), z.string(), z.string()]),
])

const nowInMs = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/** The number of the newest entry. Lua prints large numbers with an exponent, unless told how. */
const headOfLog = `
  local newest = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
  local head = newest and tonumber(string.match(newest[1], '^%d+')) or 0`

const takeScript = `${nowInMs}
  local left = tonumber(redis.call('HGET', KEYS[1], 'until') or 0) - now
  if left > 0 then return {0, left} end
  redis.call('HSET', KEYS[1], 'term', ARGV[1], 'batch', 0,
    'until', string.format('%.0f', now + ARGV[2]))
  ${headOfLog}
  local term = ''
  if newest then
    for at = 1, #newest[2], 2 do
      if newest[2][at] == 'term' then term = newest[2][at + 1] end
    end
  end
  return {1, head, term, redis.call('ZREVRANGE', KEYS[3], 0, 0)[1] or ''}`

const renewScript = `${nowInMs}
  if redis.call('HGET', KEYS[1], 'term') ~= ARGV[1] then return 0 end
  redis.call('HSET', KEYS[1], 'until', string.format('%.0f', now + ARGV[2]))
  return 1`

const releaseScript = `
  if redis.call('HGET', KEYS[1], 'term') ~= ARGV[1] then return 0 end
  redis.call('HSET', KEYS[1], 'term', '', 'until', 0)
  return 1`

/** Refused also where the server forgot a batch of this term: what it forgot would be left out. */
const appendScript = `${nowInMs}
  if redis.call('HGET', KEYS[1], 'term') ~= ARGV[1] then return 0 end
  local stands = tonumber(redis.call('HGET', KEYS[1], 'batch'))
  local batch = tonumber(ARGV[2])
  if stands == batch then return 1 end
  if stands ~= batch - 1 then return 0 end
  ${headOfLog}
  for at = 4, #ARGV, 4 do
    local id = string.format('%.0f', head + 1)
    if ARGV[at] ~= 'build' or redis.call('ZADD', KEYS[3], 'NX', id, ARGV[at + 1]) == 1 then
      redis.call('XADD', KEYS[2], id .. '-0', 'term', ARGV[1], 'kind', ARGV[at],
        'id', ARGV[at + 1], 'timestamp', ARGV[at + 2], 'json', ARGV[at + 3])
      head = head + 1
    end
  end
  redis.call('HSET', KEYS[1], 'batch', batch, 'until', string.format('%.0f', now + ARGV[3]))
  return 1`

/** Numbers don't say how old an entry is: each time the head is noted down, for ten minutes. */
const trimScript = `${nowInMs}
  local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  if not newest then return 0 end
  local head = tonumber(string.match(newest[1], '^%d+'))
  redis.call('RPUSH', KEYS[3], string.format('%.0f:%.0f', now, head))
  local old = 0
  while true do
    local mark = redis.call('LINDEX', KEYS[3], 0)
    local at, number = string.match(mark, '^(%d+):(%d+)$')
    if tonumber(at) >= now - ARGV[1] then break end
    old = tonumber(number)
    redis.call('LPOP', KEYS[3])
  end
  old = math.min(old, head - ARGV[2])
  if old > 0 then
    redis.call('XTRIM', KEYS[1], 'MINID', string.format('%.0f-0', old + 1))
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', old))
  end
  return old`

const notifyScript = `${nowInMs}
  local oldest = string.format('%.0f', now - ARGV[1])
  for at = 2, #ARGV, 2 do
    redis.call('XADD', KEYS[1], 'MINID', '~', oldest, '*', 'topic', ARGV[at], 'json', ARGV[at + 1])
  end
  return 1`

/** Where only one side speaks TLS, a server that expects a line waits for its end, and one that expects TLS hangs up. */
function perhapsTls(error: unknown, url: string): unknown {
  const [fault, code] = url.startsWith('rediss:')
    ? ['no answer', 'PERHAPS_NO_TLS']
    : ['the connection was lost', 'PERHAPS_TLS']
  return faultOf(error) === fault
    ? Object.assign(new Error(fault, { cause: error }), { code })
    : error
}

/** A connection to Redis or Valkey that is given up, instead of mended, when it breaks. */
interface RedisConnection {
  /** Sends a command; rejects when there is no answer within a few seconds. */
  readonly send: (...words: readonly string[]) => Promise<unknown>
  readonly isUsable: () => boolean
  /** Whatever waits for an answer is rejected. */
  readonly destroy: () => void
}

/** Connects to `redis[s]://user:password@host:port/database`; the library is loaded by the first. */
async function connectRedis(url: string, clock: Clock): Promise<RedisConnection> {
  const { createClient } = await import('@redis/client')
  const client = createClient({
    url,
    RESP: 2,
    name: 'sightline-live-log',
    disableClientInfo: true,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    socket: { reconnectStrategy: false, connectTimeout: answerMs, keepAlive: true },
  })
  // Each command fails with it as well; unheard, it ends the process.
  client.on('error', () => undefined)
  const destroy = (): void => {
    if (client.isOpen) client.destroy()
  }

  const inTime = async <T>(answer: Promise<T>): Promise<T> => {
    const answered = new AbortController()
    const late = async (): Promise<never> => {
      await wait(clock, answerMs, answered.signal)
      if (!answered.signal.aborted) destroy()
      throw new Error('timeout')
    }
    try {
      return await Promise.race([answer, late()])
    } finally {
      answered.abort()
    }
  }

  try {
    await inTime(client.connect())
  } catch (error) {
    destroy()
    throw error
  }
  return {
    send: (...words) => inTime<unknown>(client.sendCommand([...words])),
    isUsable: () => client.isReady,
    destroy,
  }
}
