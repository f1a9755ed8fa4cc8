import { type CreateTableBuilder, type SchemaModule, sql } from 'kysely'

/** What builds tables: of the migrations' own databases, whose rows have no type. */
interface Changed {
  readonly schema: SchemaModule
}

/** A new table with its columns; see `columns`. Nothing is done before `execute`. */
export function table(db: Changed, name: string, spec: string): CreateTableBuilder<string, string> {
  return columns(db.schema.createTable(name), spec)
}

/**
 * Adds columns that are written as in SQL, `name type`, separated by commas. They are never null, unless
 * `null` stands behind; `unique` and `key`, which is the primary one, may stand there as well.
 */
export function columns(
  builder: CreateTableBuilder<string, string>,
  spec: string,
): CreateTableBuilder<string, string> {
  return spec.split(',').reduce((before, text) => {
    const [, name = '', type = '', how] =
      /^(\w+)\s+(.+?)(?:\s+(null|unique|key))?$/.exec(text.trim()) ?? []
    return before.addColumn(name, sql.raw(type), (column) => {
      if (how === 'null') return column
      if (how === 'key') return column.primaryKey()
      return how === 'unique' ? column.notNull().unique() : column.notNull()
    })
  }, builder)
}

/** Makes an index, whose name begins with that of its table. */
export function index(db: Changed, of: string, name: string, by: readonly string[]): Promise<void> {
  return db.schema
    .createIndex(`${of}_${name}`)
    .on(of)
    .columns([...by])
    .execute()
}
