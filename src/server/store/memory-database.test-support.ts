import { Kysely, sql } from 'kysely'
import { type Database, databaseOn } from './database.ts'
import { openDatabase, openSqlite } from './open-database.ts'

/** The statements that make what migrations do, in a database of each process that ran them. */
let statements: Promise<readonly string[]> | undefined

/**
 * An empty database in memory, its tables those of this version. Migrations take much longer than
 * the statements that they leave behind, so they run in the first one of a process alone.
 */
export async function memoryDatabase(): Promise<Database> {
  statements ??= migrated()
  const making = await statements
  const opened = await openSqlite(':memory:')
  await new Kysely({ dialect: opened.kyselyDialect }).connection().execute(async (held) => {
    for (const statement of making) await sql.raw(statement).execute(held)
  })
  return databaseOn(opened)
}

async function migrated(): Promise<readonly string[]> {
  const { kysely, close } = await openDatabase('memory:')
  const { rows: made } = await sql<{ type: string; name: string; sql: string }>`
    select type, name, sql from sqlite_master where sql is not null and name <> 'sqlite_sequence'
    order by rowid`.execute(kysely)
  const rows: string[] = []
  for (const { type, name } of made) {
    if (type !== 'table') continue
    const { rows: names } = await sql<{ name: string }>`
      select name from pragma_table_info(${name})`.execute(kysely)
    const values = sql.join(
      names.map((column) => sql`quote(${sql.ref(column.name)})`),
      sql` || ',' || `,
    )
    const { rows: texts } = await sql<{ text: string }>`
      select ${values} as text from ${sql.table(name)}`.execute(kysely)
    rows.push(...texts.map(({ text }) => `insert into "${name}" values (${text})`))
  }
  await close()
  return ['begin', ...made.map((each) => each.sql), ...rows, 'commit']
}
