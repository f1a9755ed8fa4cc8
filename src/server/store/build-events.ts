import type { Database } from './database.ts'
import { type StoredEvent, unpackEvents } from './event-chunk.ts'

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
      .executeTakeFirstOrThrow(() => new Error('the build was removed while it was read'))
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
