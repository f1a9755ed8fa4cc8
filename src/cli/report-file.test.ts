import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openReportFile } from './report-file.ts'

test('a report takes the place of what was there when it is whole, also behind a link', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sightline-report-'))
  const path = join(folder, 'report')
  writeFileSync(path, 'before')
  symlinkSync(path, join(folder, 'link'))
  const given = openReportFile(join(folder, 'link'))
  expect(readFileSync(path, 'utf8')).toBe('before')
  given.save('after')
  given.discard()
  expect(readFileSync(path, 'utf8')).toBe('after')
  openReportFile(join(folder, 'other')).discard()
  expect(readdirSync(folder).sort()).toEqual(['link', 'report'])
  expect(() => openReportFile(folder)).toThrow()
  rmSync(folder, { recursive: true })
})
