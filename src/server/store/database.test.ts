import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ProblemError } from '../../protocol/problem.ts'
import { listBuilds } from './build-listing.ts'
import { addBuilds } from './build-writing.ts'
import { type Database, databaseFault } from './database.ts'
import { checkDatabase, openDatabase } from './open-database.ts'
import { memoryDatabase } from './memory-database.test-support.ts'
import { build, event, id, listed } from './sample-builds.test-support.ts'
import {
  findPostgres,
  startPostgres,
  type ThrowawayPostgres,
} from './throwaway-postgres.test-support.ts'

describe('an SQLite file', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightline-database-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('is made with the folders on its way', async () => {
    const database = await openDatabase(`file:${folder}/made/on the way/some.db`)
    await database.close()
    expect((await stat(join(folder, 'made/on the way/some.db'))).isFile()).toBe(true)
  })

  test('keeps its builds when it is opened again', async () => {
    const url = `file:${folder}/again.db`
    const first = await openDatabase(url)
    await addBuilds(first, [build(1)])
    await first.close()
    const second = await openDatabase(url)
    expect(await listed(second)).toEqual([id(1)])
    await second.close()
  })

  test('is for its owner only, and holds everything once it is closed', async () => {
    const path = join(folder, 'private.db')
    await writeFile(path, '', { mode: 0o644 })
    const database = await openDatabase(`file:${path}`)
    await addBuilds(database, [build(1)])
    for (const name of [path, `${path}-wal`]) expect((await stat(name)).mode & 0o777).toBe(0o600)
    await database.close()
    const copy = join(folder, 'backup.db')
    await copyFile(path, copy)
    const restored = await openDatabase(`file:${copy}`)
    expect(await listed(restored)).toEqual([id(1)])
    await restored.close()
  })

  test('says that its disk is full, and not that there is nothing to roll back', async () => {
    const database = await openDatabase(`file:${folder}/full.db`)
    await sql`pragma max_page_count = 1`.execute(database.kysely)
    const events = Array.from({ length: 5000 }, (_, at) => event(`T${Math.random()}`, at))
    const fault: unknown = await addBuilds(database, [build(1, { events })]).catch(
      (error: unknown) => error,
    )
    expect(String(fault)).not.toContain('rollback')
    expect(databaseFault(fault)).toBe('The disk of the database is full.')
    expect(await listed(database)).toEqual([])
    await database.close()
  })

  test('says that it can only be read', async () => {
    const database = await openDatabase(`file:${folder}/read-only.db`)
    await database.probe()
    await sql`pragma query_only = on`.execute(database.kysely)
    const fault: unknown = await database.probe().catch((error: unknown) => error)
    expect(databaseFault(fault)).toBe('The database is read-only.')
    await sql`pragma query_only = off`.execute(database.kysely)
    await database.close()
  })

  test('is checked without being made or changed', async () => {
    const url = `file:${folder}/checked/some.db`
    expect(await checkDatabase(url)).toBeUndefined()
    expect(await stat(join(folder, 'checked')).catch(() => 'none')).toBe('none')
    const database = await openDatabase(url)
    const facts = await database.inspect()
    expect(await checkDatabase(url)).toEqual(facts)
    expect(facts).toMatchObject({ version: expect.stringMatching(/^SQLite 3\./) as unknown })
    expect(facts.sizeBytes).toBeGreaterThan(4096)
    await database.close()
    await writeFile(join(folder, 'no.db'), 'a text of more than a hundred bytes'.repeat(20))
    await expect(checkDatabase(`file:${folder}/no.db`)).rejects.toThrow("Can't use the database.")
    await expect(checkDatabase(`file:${folder}/no.db/x.db`)).rejects.toThrow(
      "Can't use the database.",
    )
  })

  test.skipIf(process.getuid?.() !== 0)('is checked for a full disk', async () => {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
    // Nobody may mount in some containers.
    if (mounted.status !== 0) return
    try {
      await writeFile(join(disk, 'some.db'), '')
      await expect(checkDatabase(`file:${disk}/some.db`)).rejects.toThrow(
        'disk of the database is full',
      )
      await expect(checkDatabase(`file:${disk}/new.db`)).rejects.toThrow(
        'disk of the database is full',
      )
    } finally {
      spawnSync('umount', ['--lazy', disk])
    }
  })

  test('keeps its log of writes when another process has read it and backed it up', async () => {
    const path = join(folder, 'backed-up.db')
    await (await openDatabase(`file:${path}`)).close()
    // Open again after a stop, with others open beside it, and with a mode that has to be changed.
    await chmod(path, 0o644)
    const database = await openDatabase(`file:${path}`)
    const other = await openDatabase(`file:${path}`)
    await checkDatabase(`file:${path}`)
    await other.close()
    await addBuilds(database, [build(1)])
    for (const name of [path, `${path}-wal`]) expect((await stat(name)).mode & 0o777).toBe(0o600)
    const backUp = (copy: string) =>
      foreign(
        path,
        `db.exec("select count(*) from builds; vacuum into '${copy}'"); db.close()`,
      ).end()
    await backUp(`${path}.1`)
    await addBuilds(database, [build(2)])
    expect((await stat(`${path}-wal`)).size).toBeGreaterThan(0)
    if (process.platform === 'linux') {
      const { ino } = await stat(path)
      expect(await readFile('/proc/locks', 'utf8')).toContain(`:${ino} `)
    }
    await backUp(`${path}.2`)
    const restored = await openDatabase(`file:${path}.2`)
    expect(await listed(restored)).toEqual([id(1), id(2)])
    await restored.close()
    await database.close()
  })

  test('is written again as soon as another process no longer locks it', async () => {
    const path = join(folder, 'locked.db')
    const database = await openDatabase(`file:${path}`)
    await sql`pragma busy_timeout = 1`.execute(database.kysely)
    const holder = foreign(path, "db.exec('begin immediate'); console.log('locked')")
    await holder.said
    await expect(addBuilds(database, [build(1)])).rejects.toThrow('database is locked')
    await expect(database.probe()).rejects.toThrow('database is locked')
    await holder.end()
    await database.probe()
    await addBuilds(database, [build(2)])
    expect(await listed(database)).toEqual([id(2)])
    await database.close()
  })

  test('is written by nobody else between what a transaction reads and what it writes', async () => {
    const url = `file:${folder}/read-then-written.db`
    const [database, other] = [await openDatabase(url), await openDatabase(url)]
    await sql`pragma busy_timeout = 1`.execute(other.kysely)
    await database.kysely.transaction().execute(async (within) => {
      await within.selectFrom('seeds').selectAll().execute()
      await expect(other.probe()).rejects.toThrow('database is locked')
      await within.insertInto('seeds').values({ name: 'written', is_whole: 1 }).execute()
    })
    await other.probe()
    await Promise.all([other.close(), database.close()])
  })

  test('takes no writes that would be lost as its file was moved or removed, until it is back', async () => {
    const path = join(folder, 'moved.db')
    const database = await openDatabase(`file:${path}`)
    await addBuilds(database, [build(1)])
    const refused = async (write: Promise<unknown>) => {
      const fault: unknown = await write.then(
        () => 'written',
        (error: unknown) => error,
      )
      expect(databaseFault(fault)).toBe(
        'Its file was moved, removed or replaced. Stop Sightline, put the file back, and start it again.',
      )
    }
    await rename(path, `${path}.aside`)
    await refused(database.probe())
    await refused(addBuilds(database, [build(2)]))
    const seed = { name: 'one', is_whole: 1 }
    await refused(database.kysely.insertInto('seeds').values(seed).execute())
    await refused(database.kysely.insertInto('seeds').values(seed).returning('name').execute())
    await copyFile(`${path}.aside`, path)
    await refused(database.probe())
    // What it has is still read.
    expect(await listed(database)).toEqual([id(1)])
    await rename(`${path}.aside`, path)
    await database.probe()
    await addBuilds(database, [build(3)])
    expect(await listed(database)).toEqual([id(1), id(3)])
    await database.close()
  })

  // Root may write anywhere.
  test.skipIf(process.getuid?.() === 0)('in a folder that is read-only is said to be', async () => {
    const inner = await mkdtemp(join(folder, 'read-only-'))
    const path = join(inner, 'some.db')
    await (await openDatabase(`file:${path}`)).close()
    for (const name of [`${path}-wal`, `${path}-shm`]) await rm(name, { force: true })
    await chmod(inner, 0o555)
    await expect(openDatabase(`file:${path}`)).rejects.toThrow(
      `Can't open or write the file ${path}. This account may not write to the folder ${inner}, as SQLite has to: give it the right to.`,
    )
    await chmod(inner, 0o755)
  })

  test('of a newer version is refused, and not a byte of it is changed', async () => {
    const inner = await mkdtemp(join(folder, 'newer-'))
    const url = `file:${inner}/some.db`
    const database = await openDatabase(url)
    await leaveNewer(database)
    await database.close()
    const path = join(inner, 'some.db')
    // The files beside it go when the engine lets go of the last connection; nothing may stand in them.
    const files = async () => [
      (await stat(path)).mode,
      await readFile(path, 'hex'),
      await readFile(`${path}-wal`, 'hex').catch(() => ''),
    ]
    const before = await files()
    await expect(openDatabase(url)).rejects.toThrow(newerSentence)
    await expect(checkDatabase(url)).rejects.toThrow(newerSentence)
    expect(await files()).toEqual(before)
  })

  test('reports that a path cannot be opened', async () => {
    await expect(openDatabase(`file:${folder}`)).rejects.toThrow(
      `Can't use the database. Can't open or write the file ${folder}. It is a folder: name a file in it.`,
    )
    const below = `${folder}/a-file/some.db`
    await writeFile(join(folder, 'a-file'), '')
    await expect(openDatabase(`file:${below}`)).rejects.toThrow(
      `Can't open or write the file ${below}. A folder on its path is a file: name another folder.`,
    )
  })

  test('reports a file that is no database, and one that is damaged', async () => {
    const other = join(folder, 'other.txt')
    await writeFile(other, 'No database, '.repeat(1000))
    const noDatabase = `Can't open or write the file ${other}. It isn't an SQLite database: name another file.`
    for (const start of [openDatabase, checkDatabase])
      await expect(start(`file:${other}`)).rejects.toThrow(noDatabase)

    const damaged = join(folder, 'damaged.db')
    await (await openDatabase(`file:${damaged}`)).close()
    const bytes = await readFile(damaged)
    // Nothing that opening reads stands in the last page.
    await writeFile(damaged, bytes.fill(0xaa, bytes.length - 4096))
    await expect(checkDatabase(`file:${damaged}`)).rejects.toThrow(
      "Can't use the database. The database is damaged: restore a backup.",
    )
  })

  test.each([
    ['SQLITE_CORRUPT_VTAB', 'The database is damaged: test it with --check, and restore a backup.'],
    ['XX001', 'The database is damaged: test it with --check, and restore a backup.'],
    ['SQLITE_FULL', 'The disk of the database is full.'],
    [
      'SQLITE_BUSY',
      'Another process has locked the database: end that process, or wait until it is done.',
    ],
    ['EACCES', 'This account may not write there: give it the right to.'],
    ['53300', 'The database takes no more connections.'],
    ['57P03', 'The database is starting or shutting down.'],
    ['42P01', 'The database responded with error 42P01. See the log.'],
    ['EPIPE', "The database isn't responding. See the log."],
    [undefined, "The database isn't responding. See the log."],
  ])('says what %s means', (code, sentence) => {
    expect(databaseFault(Object.assign(new Error('x'), { code }))).toBe(sentence)
  })
})

test('one in memory that tests copy has what migrations make, and leave in it', async () => {
  const whole = async ({ kysely, close }: Database) => {
    const { rows: schema } = await sql<{ type: string; name: string }>`
      select type, name, sql from sqlite_master order by rowid`.execute(kysely)
    const rows: unknown[] = []
    for (const { type, name } of schema) {
      if (type !== 'table') continue
      const columns = name === 'kysely_migration' ? sql`name` : sql`*`
      rows.push((await sql`select ${columns} from ${sql.table(name)}`.execute(kysely)).rows)
    }
    await close()
    return { schema, rows }
  }
  expect(await whole(await memoryDatabase())).toEqual(await whole(await openDatabase('memory:')))
})

const newerSentence =
  'This database was written by a newer Sightline (migration 0999-later). Install that version or restore a backup. Nothing was changed.'

/** Another process that has the file open as `db`, does something, and ends with its input. */
function foreign(path: string, script: string) {
  const opened = `const db = new (require('libsql'))(${JSON.stringify(path)}); ${script}; process.stdin.resume()`
  const child = spawn(process.execPath, ['-e', opened], { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = once(child.stdout, 'data')
  const closed = once(child, 'close')
  const end = async () => {
    child.stdin.end()
    expect((await closed)[0]).toBe(0)
  }
  return { said, end }
}

async function leaveNewer({ kysely }: Database): Promise<void> {
  await sql`create table later (name text)`.execute(kysely)
  await sql`insert into kysely_migration values ('0999-later', '2030-01-01')`.execute(kysely)
}

test.each([
  ['', 'URL must start with file:, memory: or postgres://,'],
  ['mysql://user:secret@host/name', 'URL must start with file:, memory: or postgres://,'],
  ['file:', 'URL needs a file name'],
  ['postgres://user:secret@', 'URL must have the form'],
  ['postgres://user:secret@:70000/x', 'URL must have the form'],
  ['postgres://user:secret@/name?host=/gone', "Can't open name on PostgreSQL at /gone:"],
  ['postgres://user:secret@127.0.0.1:1', "Can't open the default database on PostgreSQL at 127"],
])('the address %o is refused in words and without its password', async (url, sentence) => {
  const error: unknown = await openDatabase(url).catch((thrown: unknown) => thrown)
  if (!(error instanceof ProblemError)) throw new Error('expected a ProblemError')
  expect(error.message).toContain(sentence)
  expect(JSON.stringify(error) + String(error.stack)).not.toContain('secret')
})

const programs = await findPostgres()

describe.skipIf(programs === undefined)(
  programs === undefined ? 'PostgreSQL: LEFT OUT, no /usr/lib/postgresql found' : 'PostgreSQL',
  () => {
    let cluster: ThrowawayPostgres
    beforeAll(async () => {
      cluster = await startPostgres(programs ?? '')
    })
    afterAll(() => cluster.stop())

    test('two processes may start on an empty database at once', async () => {
      const address = await cluster.emptyDatabase()
      const both = await Promise.all([openDatabase(address), openDatabase(address)])
      await addBuilds(both[0], [build(1)])
      expect(await listed(both[1])).toEqual([id(1)])
      await Promise.all(both.map((database) => database.close()))
    })

    test('one of a newer version is refused, and none of its tables is changed', async () => {
      const address = await cluster.emptyDatabase()
      const database = await openDatabase(address)
      await leaveNewer(database)
      const tables = async () =>
        (
          await sql`select table_name, column_name, data_type from information_schema.columns
            where table_schema = 'public' order by 1, 2`.execute(database.kysely)
        ).rows
      const before = await tables()
      await expect(openDatabase(address)).rejects.toThrow(newerSentence)
      await expect(checkDatabase(address)).rejects.toThrow(newerSentence)
      expect(await tables()).toEqual(before)
      await database.close()
    })

    test('it says its release and size, and that it is read-only', async () => {
      const address = await cluster.emptyDatabase()
      const database = await openDatabase(address)
      const facts = await database.inspect()
      expect(facts.version).toMatch(/^PostgreSQL \d+/)
      expect(facts.sizeBytes).toBeGreaterThan(1_000_000)
      await database.probe()
      expect((await checkDatabase(address))?.version).toBe(facts.version)
      const name = new URL(address).pathname.slice(1)
      await sql`alter database ${sql.id(name)} set default_transaction_read_only = on`.execute(
        database.kysely,
      )
      await expect(checkDatabase(address)).rejects.toThrow('It is read-only.')
      await database.close()
    })

    test('one whose user may not make or read its tables is told by what to do, also before a start', async () => {
      const [address, used] = [await cluster.emptyDatabase(), await cluster.migratedDatabase()]
      const owner = new pg.Client({ connectionString: address })
      await owner.connect()
      await owner.query("create role guest login password 'throw-away'")
      await owner.query('revoke create on schema public from public')
      await owner.end()
      const asGuest = (url: string): string =>
        Object.assign(new URL(url), { username: 'guest' }).href
      const sentence =
        "The database user can't create or write tables there. Make it the owner of the database."
      for (const url of [address, used]) {
        await expect(openDatabase(asGuest(url))).rejects.toThrow(sentence)
        await expect(checkDatabase(asGuest(url))).rejects.toThrow(sentence)
      }
    })

    test('no build becomes visible behind a reader while two processes write', async () => {
      const address = await cluster.emptyDatabase()
      const [one, two, reader] = await Promise.all([1, 2, 3].map(() => openDatabase(address)))
      if (one === undefined || two === undefined || reader === undefined) throw new Error('closed')
      const writing = Promise.all(
        Array.from({ length: 60 }, (_, n) => addBuilds(n % 2 === 0 ? one : two, [build(n)])),
      )
      const seen: string[] = []
      let after = 0
      for (let done = false; ;) {
        const page = await listBuilds(reader, { after }, 7)
        seen.push(...page.map(({ buildId }) => buildId))
        after = page.at(-1)?.position ?? after
        if (page.length === 0 && done) break
        if (page.length === 0) done = await Promise.race([writing.then(() => true), tick()])
      }
      expect(new Set(seen).size).toBe(60)
      await Promise.all([one, two, reader].map((database) => database.close()))
    })

    test.each([
      ['a wrong password', { password: 'not-it' }, 'wrong user or password'],
      ['a missing database', { pathname: '/nothing' }, 'database not found'],
      ['a port where nothing listens', { port: '1' }, 'connection refused'],
    ])('%s is reported without the password', async (_, change, sentence) => {
      const opening = openDatabase(Object.assign(new URL(cluster.url), change).href)
      const error: unknown = await opening.catch((thrown: unknown) => thrown)
      if (!(error instanceof ProblemError)) throw new Error('expected a ProblemError')
      expect(error.message).toContain(sentence)
      expect(JSON.stringify(error) + String(error) + String(error.stack)).not.toMatch(
        /not-it|throw-away/,
      )
    })
  },
)

function tick(): Promise<false> {
  return new Promise((resolve) => {
    setImmediate(resolve, false)
  })
}
