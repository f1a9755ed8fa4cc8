import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ProblemError } from '../../protocol/problem.ts'
import { addBuilds } from './build-writing.ts'
import { openDatabase } from './database.ts'
import { build, id, listed } from './sample-builds.test-support.ts'

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

  test('tells that a path cannot be opened', async () => {
    await expect(openDatabase(`file:${folder}`)).rejects.toThrow(
      `The database cannot be used. The file ${folder} cannot be opened or written.`,
    )
  })
})

test.each([
  ['', 'must begin with file:, memory: or postgres://'],
  ['mysql://user:secret@host/name', 'must begin with file:, memory: or postgres://'],
  ['file:', 'names no file'],
  ['postgres://user:secret@', 'not of the form'],
  ['postgres://user:secret@:70000/x', 'not of the form'],
])('the address %o is refused in words and without its password', async (url, sentence) => {
  const error: unknown = await openDatabase(url).catch((thrown: unknown) => thrown)
  if (!(error instanceof ProblemError)) throw new Error('expected a ProblemError')
  expect(error.message).toContain(sentence)
  expect(JSON.stringify(error) + String(error.stack)).not.toContain('secret')
})
