import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SqliteDialect } from 'kysely'
import Libsql from 'libsql'
import { unusableDatabase } from './unusable-database.ts'
import type { OpenDialect } from './open-dialect.ts'

/** Opens an SQLite file (`file:path`, whose folder is made) or a database in memory (`:memory:`). */
export async function openSqlite(url: string): Promise<OpenDialect> {
  const path = url.startsWith('file://') ? fileURLToPath(url) : url.replace(/^file:/, '')
  if (path === '') throw unusableDatabase('Its address names no file after file:.')
  try {
    if (path !== ':memory:') await mkdir(dirname(path), { recursive: true })
    const database = new Libsql(path)
    // One writer beside many readers, and a commit that survives a crash of this process.
    database.exec('pragma journal_mode = wal')
    database.exec('pragma synchronous = normal')
    database.exec('pragma busy_timeout = 5000')
    database.exec('pragma foreign_keys = on')
    // Up to 64 MB of pages stay in memory, as searches jump about in what they look up.
    database.exec('pragma cache_size = -65536')
    return { dialect: 'sqlite', kyselyDialect: new SqliteDialect({ database }) }
  } catch (error) {
    throw unusableDatabase(`The file ${path} cannot be opened or written.`, error)
  }
}
