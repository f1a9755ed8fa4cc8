import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'
import sqlite3InitModule, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import type { OpenDialect } from '../server/store/database.ts'

type InitOptions = NonNullable<Parameters<typeof sqlite3InitModule>[0]>

/**
 * SQLite in WebAssembly, on a database in memory: the same statements as on a file, beside the
 * dialect that the server makes of libsql. `wasmBinary` is the `sqlite3.wasm` of the package; `written`
 * is called with the table that a statement is about to change. Throws where the browser can't run it.
 */
export async function openSqliteWasm(
  wasmBinary: ArrayBuffer,
  written: (table: string) => void = () => undefined,
): Promise<OpenDialect> {
  // The package's types leave out what Emscripten takes.
  const init: (
    module: InitOptions & { readonly wasmBinary: ArrayBuffer },
  ) => Promise<Sqlite3Static> = sqlite3InitModule
  const sqlite = await init({ wasmBinary })
  const database = new sqlite.oo1.DB(':memory:', 'c')
  database.exec('pragma foreign_keys = on')
  const connection: SqliteDatabase = {
    close: () => {
      database.close()
    },
    prepare: (text) => statement(text),
  }
  return { dialect: 'sqlite', kyselyDialect: new SqliteDialect({ database: connection }) }

  function statement(text: string): SqliteStatement {
    const prepared = database.prepare(text)
    const [, changed] = /^\s*(?:insert into|update|delete from) "?(\w+)/i.exec(text) ?? []
    const rows = function* (parameters: readonly unknown[]): Generator<unknown, void, undefined> {
      try {
        if (changed !== undefined) written(changed)
        for (const [index, value] of parameters.entries()) prepared.bind(index + 1, bindable(value))
        while (prepared.step()) yield prepared.get({})
      } finally {
        prepared.finalize()
      }
    }
    return {
      reader: prepared.columnCount > 0,
      all: (parameters) => [...rows(parameters)],
      iterate: rows,
      run: (parameters) => {
        for (const _row of rows(parameters));
        return {
          changes: database.changes(),
          lastInsertRowid: sqlite.capi.sqlite3_last_insert_rowid(database),
        }
      },
    }
  }
}

/** What SQLite stores; a value of any other kind is a mistake of whoever wrote the statement. */
function bindable(value: unknown): string | number | bigint | null | Uint8Array {
  if (value === null || value === undefined || value instanceof Uint8Array) return value ?? null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  throw new TypeError(`SQLite can't store a value of type ${typeof value}`)
}
