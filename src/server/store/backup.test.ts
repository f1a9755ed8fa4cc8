import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import Libsql from 'libsql'
import { expect, onTestFinished, test } from 'vitest'
import { addAction, listActions, sortableId } from './actions.ts'
import type { Database } from './database.ts'
import { openDatabase } from './open-database.ts'
import { addEvaluation, findEvaluation } from './evaluations.ts'
import { onEachDatabase } from './on-each-database.test-support.ts'
import { sampleEvaluation, samplePerson } from './sample-history.test-support.ts'
import { findPostgres } from './throwaway-postgres.test-support.ts'

const run = promisify(execFile)

/** The two ways of docs/running.md#backup-and-restore, while Sightline goes on; where it is restored. */
async function backedUp(address: string, empty: () => Promise<string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-backup-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const copy = join(folder, 'backup')
  if (address.startsWith('file:')) {
    const file = new Libsql(address.slice('file:'.length))
    file.exec(`vacuum into '${copy}'`)
    file.close()
    return `file:${copy}`
  }
  const programs = (await findPostgres()) ?? ''
  await run(join(programs, 'pg_dump'), ['--format=custom', `--file=${copy}`, address])
  const restored = await empty()
  const restore = ['--no-owner', '--exit-on-error', `--dbname=${restored}`, copy]
  await run(join(programs, 'pg_restore'), restore)
  return restored
}

onEachDatabase((_open, address) => {
  async function opened(url: string): Promise<Database> {
    const database = await openDatabase(url)
    onTestFinished(() => database.close())
    return database
  }

  test('a backup that is made while Sightline runs is restored whole, and goes on', async () => {
    const url = await address()
    const database = await opened(url)
    const before = sampleEvaluation(1_780_000_000_000)
    await addEvaluation(database, before)
    await addAction(database.kysely, {
      id: sortableId(1_780_000_000_000),
      at: 1_780_000_000_000,
      action: 'alert-sent',
      subject: 'Hall',
      detail: 'known',
      ...samplePerson(),
    })
    const backup = await backedUp(url, address)
    const after = sampleEvaluation(1_780_000_001_000)
    await addEvaluation(database, after)

    const restored = await opened(backup)
    expect(await findEvaluation(restored, before.summary.id)).toEqual(before)
    expect(await findEvaluation(restored, after.summary.id)).toBeUndefined()
    expect(await listActions(restored, {}, 10)).toEqual(await listActions(database, {}, 10))
    await addEvaluation(restored, after)
    // What the database itself refuses, it refuses there, too.
    await expect(sql`update actions set subject = 'x'`.execute(restored.kysely)).rejects.toThrow()
  })
})
