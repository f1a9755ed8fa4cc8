import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { embeddedAccessKey, embeddedAccessKeyPath } from './embedded-access-key.ts'
import { memoryDatabase } from './store/memory-database.test-support.ts'

const folder = mkdtempSync(join(tmpdir(), 'sightline-key-'))
const url = `file:${join(folder, 'data', 'sightline.db')}`
const path = join(folder, 'data', 'embedded-access-key')
const database = await memoryDatabase()
const keyOf = async (): Promise<string> => (await embeddedAccessKey(database, url)).key.reveal()

afterEach(() => {
  rmSync(join(folder, 'data'), { recursive: true, force: true })
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

test('the key is made once, kept beside the database, and readable by its owner only', async () => {
  const made = await keyOf()
  expect(made).toMatch(/^[\w-]{32}$/)
  expect(readFileSync(path, 'utf8').trim()).toBe(made)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(await keyOf()).toBe(made)
})

test('an empty file is filled, and closed to others', async () => {
  await keyOf()
  writeFileSync(path, '\n', { mode: 0o644 })
  expect(await keyOf()).toMatch(/^[\w-]{32}$/)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a file that another account owns, or that is a folder, stops the start by name', async () => {
  mkdirSync(path, { recursive: true })
  await expect(keyOf()).rejects.toThrow(`Can't read or write the file ${path}`)
})

test('a database without a file has its key in .sightline', () => {
  expect(embeddedAccessKeyPath('memory:')).toBe(join('.sightline', 'embedded-access-key'))
})
