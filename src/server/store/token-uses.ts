import type { Database } from './database.ts'

/** Notes that an access token was used; `sha256` is its hash in hex, `at` epoch ms. */
export async function noteTokenUse(
  { kysely }: Database,
  sha256: string,
  at: number,
): Promise<void> {
  await kysely
    .insertInto('token_uses')
    .values({ sha256, last_used_at: at })
    .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ last_used_at: at }))
    .execute()
}

/** When each access token was last used, by its hash in hex: to within a minute, epoch ms. */
export async function tokenUses({ kysely }: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await kysely.selectFrom('token_uses').selectAll().execute()
  return new Map(rows.map((row) => [row.sha256, row.last_used_at]))
}
