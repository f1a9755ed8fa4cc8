import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('every property takes the number of its runs through runs(), so that FC_RUNS counts', () => {
  const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.test.ts'),
  )
  expect(tests.length).toBeGreaterThan(100)
  const withNumbers = tests.filter((name) =>
    /\bnumRuns: *\d/.test(readFileSync(join(import.meta.dirname, name), 'utf8')),
  )
  expect(withNumbers).toEqual([])
})
