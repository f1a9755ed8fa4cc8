import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Database } from './database.ts'
import { manyValues } from './many-values.ts'

/** Which reading of builds' events: its name, and a number that is raised when it reads otherwise. */
export interface ReadingKind {
  readonly name: string
  readonly version: number
}

/** What a reading found in the events of one build. */
export interface StoredInsight {
  readonly buildId: string
  /** JSON. */
  readonly body: string
}

/** What is kept of these builds, a few hundred at most; builds of which nothing is are left out. */
export async function findInsights(
  { kysely, dialect }: Database,
  { name, version }: ReadingKind,
  buildIds: readonly string[],
): Promise<StoredInsight[]> {
  const rows = await kysely
    .selectFrom('build_insights')
    .select(['build_id', 'body'])
    .where('kind', '=', name)
    .where('version', '=', version)
    .where(manyValues(dialect).isTextAmong('build_id', buildIds))
    .execute()
  return Promise.all(
    rows.map(async ({ build_id, body }) => ({
      buildId: build_id,
      body: (await unzipped(new Uint8Array(body))).toString('utf8'),
    })),
  )
}

/** Keeps what was read of a build at a time (epoch ms), in place of what an earlier reading found. */
export async function keepInsight(
  { kysely }: Database,
  { name, version }: ReadingKind,
  { buildId, body }: StoredInsight,
  readAt: number,
): Promise<void> {
  const row = { version, body: await zipped(body), read_at: readAt }
  await kysely
    .insertInto('build_insights')
    .values({ build_id: buildId, kind: name, ...row })
    .onConflict((conflict) => conflict.columns(['build_id', 'kind']).doUpdateSet(row))
    .execute()
}

const zipped = promisify((text: string, done: (error: Error | null, bytes: Buffer) => void) => {
  gzip(text, done)
})
const unzipped = promisify(
  (bytes: Uint8Array, done: (error: Error | null, bytes: Buffer) => void) => {
    gunzip(bytes, done)
  },
)
