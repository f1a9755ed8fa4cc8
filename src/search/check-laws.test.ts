import fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { check } from './check.ts'
import { applyEdits, type Diagnostic } from './diagnostic.ts'
import { fields } from './fields/fields.ts'
import { parse } from './parse.ts'
import { realData } from '../real-data.test-support.ts'

const queries = realData('queries.txt')

const bits = [
  'user is',
  'user contains',
  'project not in (a, b)',
  'project in',
  ...[
    'tag:a',
    'tag:b',
    'TAG:a',
    'project:a',
    'project:b',
    'user:*',
    'user',
    'usr:x',
    'user:',
    'user :',
  ],
  ...[
    'buildDuration>5m',
    'buildDuration>5',
    'buildDuration:[5m to 1m]',
    'buildDuration:[5m to ]',
    '>',
    '&&',
    '|',
    'failed',
  ],
  ...[
    'buildDuration:[1m 2m]',
    'buildDuration:[1m - 2m]',
    'tag:[a to b]',
    'tag:[a b c]',
    'tag:["a" b]',
  ],
  ...['buildStartTime>-5d', 'buildStartTime:-5d', 'buildStartTime>5d', 'buildStartTime:2024-02-30'],
  ...['buildStartTime:[2024-01-01 to 2024-01-31]', 'buildStartTime>now', 'hasVerificationFailure'],
  ...[
    'hasVerificationFailure:no',
    'value:a=b',
    'value:a',
    'value:"a b"',
    'tag=a',
    'tag!=a',
    'tag:=a',
  ],
  ...[
    'buildTool:maven',
    'buildTool:gradel',
    'buildOutcome:null',
    'gradle.pluginVersion:3',
    'rootProjectName:a',
  ],
  ...[
    'gradle.configurationCache.outcome:hit',
    'buildOptions.dryRunEnabled',
    'hello',
    '"a b"',
    '"',
    '“a b”',
    'tag:“a b”',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    '()',
    'and',
    'or',
    'not',
    'AND',
    '-',
    '!',
    '--',
    '\\',
    'tag:"a',
    'tag:a\\',
    'tag:“a',
    '*',
    ':',
    'to',
  ],
]

const text = fc
  .array(
    fc.tuple(fc.constantFrom(...bits), fc.constantFrom(' ', ' ', ' ', '', '  ', '\n', '\u00a0')),
  )
  .map((parts) => parts.flat().join(''))

/** What could cost more than its length, if each of its terms were compared with all the others. */
const manyOf = [
  ...[
    'tag:a ',
    'tag:a or ',
    'usr:a ',
    'hello ',
    'user ',
    '(',
    '()',
    ')',
    '-',
    'not ',
    'tag:(a b) ',
    '“',
    '"',
    '\\',
  ],
  ...[
    'buildTool:gradle maven.requestedGoals:a ',
    '(tag:a or tag:b tag:c) ',
    'a:[1 ',
    'user : ',
    'gradle ',
  ],
]

const releases = fc.constantFrom(undefined, '2022.4', '2023.3', '2024.1.6', '2024.3.1', 'x')

const errorsIn = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.filter(({ severity }) => severity === 'error').length
const sameCode = (diagnostics: readonly Diagnostic[], { code }: Diagnostic) =>
  diagnostics.filter((it) => it.code === code).length

describe('check', () => {
  test.skipIf(!existsSync(queries))('finds no error in queries that people have written', () => {
    const lines = readFileSync(queries, 'utf8').split('\n')
    const written = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'))
    expect(written.length).toBeGreaterThan(20)
    for (const query of written) {
      expect(check(parse(query)).filter(({ severity }) => severity === 'error')).toEqual([])
    }
  })

  test('reads any text, and stays inside it', () => {
    const any = fc.oneof(text, fc.string({ unit: 'binary', maxLength: 200 }), fc.string())
    fc.assert(
      fc.property(any, (query) => {
        for (const { from, to, message, fixes } of check(parse(query))) {
          expect(0 <= from && from <= to && to <= query.length).toBe(true)
          expect(message).toMatch(/\S[.?"]$/)
          for (const { edits } of fixes) {
            for (const [i, edit] of edits.entries()) {
              expect(edit.from).toBeGreaterThanOrEqual(edits[i - 1]?.to ?? 0)
              expect(query.length).toBeGreaterThanOrEqual(edit.to)
            }
          }
        }
      }),
      { numRuns: runs(2000) },
    )
  })

  test('knows every field, and finds every value that a field is said to have', () => {
    for (const { name, values = [] } of fields) {
      expect(errorsIn(check(parse(`${name}:*`)))).toBe(0)
      for (const value of values) expect(check(parse(`${name}:${value}`))).toEqual([])
    }
  })

  test.each(manyOf)('diagnoses all of 100 KB of %j', (bit) => {
    const query = bit.repeat(Math.floor(100_000 / bit.length))
    const found = check(parse(query))
    expect(found.every(({ from, to }) => from <= to && to <= query.length)).toBe(true)
  })

  test('offers each fix that makes its diagnostic go away and brings no new error', () => {
    fc.assert(
      fc.property(text, releases, (query, serverRelease) => {
        const before = check(parse(query), { serverRelease })
        for (const diagnostic of before) {
          for (const { edits, label } of diagnostic.fixes) {
            const fixed = applyEdits(query, edits)
            const after = check(parse(fixed), { serverRelease })
            const story = `${diagnostic.code}: ${label}: ${query} -> ${fixed}`
            expect(fixed, story).not.toBe(query)
            expect(errorsIn(after), story).toBeLessThanOrEqual(errorsIn(before))
            // Another one of the same code may only come to light where more than one went away.
            const less = sameCode(after, diagnostic) < sameCode(before, diagnostic)
            expect(less || after.length < before.length, story).toBe(true)
          }
        }
      }),
      { numRuns: runs(5000), seed: 20 },
    )
  })
})
