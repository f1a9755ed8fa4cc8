import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { z } from 'zod'

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
export async function unpackEvents(
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
