import type { Database } from './database.ts'

/** The facts of some builds as JSON texts, by position; builds without have no entry. */
export async function factsTextsOf(
  { kysely }: Database,
  positions: readonly number[],
): Promise<Map<number, string>> {
  if (positions.length === 0) return new Map()
  const rows = await kysely
    .selectFrom('build_facts')
    .select(['build_seq', 'facts'])
    .where('build_seq', 'in', positions)
    .execute()
  return new Map(rows.map((row) => [row.build_seq, row.facts]))
}
