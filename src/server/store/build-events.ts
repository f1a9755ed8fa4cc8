import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { z } from 'zod'
import type { Database } from './database.ts'

/** Which events of a build: after a sequence number, of some types. */
export interface EventSelection {
  readonly after?: number
  readonly types?: ReadonlySet<string>
}

/**
 * The events of the build at `position` in order, some hundred at a time, so that a build of any
 * size is read in bounded memory. Chunks without a wanted type are not read. Throws an Error when
 * the build is removed meanwhile.
 */
export async function* readEvents(
  { kysely }: Database,
  position: number,
  { after = 0, types }: EventSelection = {},
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  const chunks = kysely.selectFrom('event_chunks').where('build_seq', '=', position)
  const heads = await chunks
    .select(['first_id', 'types'])
    .where('last_id', '>', after)
    .orderBy('first_id')
    .execute()
  for (const head of heads) {
    if (types !== undefined && !holdsAny(head.types, types)) continue
    const { body } = await chunks
      .select('body')
      .where('first_id', '=', head.first_id)
      .executeTakeFirstOrThrow(() => new Error('the build was removed while being read'))
    const events = await unpackEvents(head.first_id, body, types)
    const wanted = head.first_id > after ? events : events.filter(({ id }) => id > after)
    if (wanted.length > 0) yield wanted
  }
}

/** The sequence number of the last event of a build; 0 where it has none. */
export async function lastEventId({ kysely }: Database, position: number): Promise<number> {
  const row = await kysely
    .selectFrom('event_chunks')
    .select(({ fn }) => fn.max<number | null>('last_id').as('last'))
    .where('build_seq', '=', position)
    .executeTakeFirst()
  return row?.last ?? 0
}

function holdsAny(json: string, wanted: ReadonlySet<string>): boolean {
  const types: unknown = JSON.parse(json)
  return Array.isArray(types) && types.some((type) => wanted.has(String(type)))
}

/** Some consecutive events of a build as they lie in the database. */
export interface EventChunk {
  readonly firstId: number
  readonly lastId: number
  /** The types of the events in it, each once. */
  readonly types: readonly string[]
  /** The events as NDJSON, gzip. */
  readonly body: Uint8Array
}

/** An event with its sequence number, from 1, and its JSON text. */
export interface StoredEvent {
  readonly id: number
  readonly text: string
}

const maxEvents = 500
const maxLength = 1024 * 1024

/**
 * Packs events into chunks of up to 500 events or about 1 MB of text, whichever comes first.
 * `firstId` is the sequence number of the first. Each text must be one line. Throws a SyntaxError
 * or a ZodError where a text is no event.
 */
export async function packEvents(texts: readonly string[], firstId: number): Promise<EventChunk[]> {
  const chunks: EventChunk[] = []
  for (let start = 0; start < texts.length;) {
    const end = endOfChunk(texts, start)
    const slice = texts.slice(start, end)
    chunks.push({
      firstId: firstId + start,
      lastId: firstId + end - 1,
      types: [...new Set(slice.map(eventType))],
      body: await compress(slice.join('\n'), { level: 4 }),
    })
    start = end
  }
  return chunks
}

/** The events of a chunk again, of all types or of the given ones. */
async function unpackEvents(
  firstId: number,
  body: Uint8Array | ArrayBuffer,
  types: ReadonlySet<string> | undefined,
): Promise<StoredEvent[]> {
  const texts = (await decompress(body)).toString('utf8').split('\n')
  const events = texts.map((text, index) => ({ id: firstId + index, text }))
  return types === undefined ? events : events.filter(({ text }) => types.has(eventType(text)))
}

const compress = promisify<string, { level: number }, Buffer>(gzip)
const decompress = promisify<Uint8Array | ArrayBuffer, Buffer>(gunzip)

const Typed = z.object({ type: z.object({ eventType: z.string() }) })

function eventType(text: string): string {
  return Typed.parse(JSON.parse(text)).type.eventType
}

function endOfChunk(texts: readonly string[], start: number): number {
  let length = 0
  let end = start
  while (end < texts.length && end - start < maxEvents && length < maxLength) {
    length += texts[end]?.length ?? 0
    end += 1
  }
  return end
}
