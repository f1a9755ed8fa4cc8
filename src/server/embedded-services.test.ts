import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { embeddedAccessKey, embeddedAccessKeyPath } from './embedded-services.ts'

const folder = mkdtempSync(join(tmpdir(), 'sightline-key-'))
const url = `file:${join(folder, 'data', 'sightline.db')}`
const path = join(folder, 'data', 'embedded-access-key')

afterEach(() => {
  rmSync(join(folder, 'data'), { recursive: true, force: true })
})

test('the key is made once, kept beside the database, and readable by its owner only', () => {
  const made = embeddedAccessKey(url)
  expect(made.reveal()).toMatch(/^[\w-]{32}$/)
  expect(readFileSync(path, 'utf8').trim()).toBe(made.reveal())
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(embeddedAccessKey(url).reveal()).toBe(made.reveal())
})

test('an empty file is filled, and closed to others', () => {
  embeddedAccessKey(url)
  writeFileSync(path, '\n', { mode: 0o644 })
  expect(embeddedAccessKey(url).reveal()).toMatch(/^[\w-]{32}$/)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a database without a file has its key in .sightline', () => {
  expect(embeddedAccessKeyPath('memory:')).toBe(join('.sightline', 'embedded-access-key'))
})
