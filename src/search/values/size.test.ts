import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSize } from './read-condition.ts'

describe('a storage size', () => {
  test.each([
    ['0', 0],
    ['1024', 1024],
    ['100b', 100],
    ['1k', 1000],
    ['1kb', 1000],
    ['1ki', 1024],
    ['1kib', 1024],
    ['1m', 1_000_000],
    ['1mb', 1_000_000],
    ['1mi', 1_048_576],
    ['1mib', 1_048_576],
    ['2g', 2_000_000_000],
    ['2gi', 2_147_483_648],
    ['1t', 1e12],
    ['1ti', 1_099_511_627_776],
    ['512MB', 512_000_000],
    ['512MiB', 536_870_912],
    ['1.5g', 1_500_000_000],
    ['0.5ki', 512],
    ['1.0001k', 1000],
    ['0.1ki', 102],
    ['99999999t', 9.9999999e19],
  ])('%s is %d bytes', (text, bytes) => {
    expect(readSize(text)).toEqual({ ok: true, value: bytes })
  })

  test.each<readonly [text: string, code: string, wrong: string, instead: readonly string[]]>([
    ['', 'value.size-invalid', '', []],
    ['abc', 'value.size-invalid', 'abc', []],
    ['-1k', 'value.size-invalid', '-1k', ['1k']],
    ['512 mb', 'value.size-invalid', '512 mb', ['512m']],
    ['1,024', 'value.size-invalid', '1,024', ['1024']],
    ['1.5', 'value.size-invalid', '1.5', ['2']],
    ['1.5b', 'value.size-invalid', '1.5b', ['2']],
    ['1.k', 'value.size-invalid', '1.k', []],
    ['5x', 'value.unit-unknown', 'x', []],
    ['5mx', 'value.unit-unknown', 'mx', []],
    ['5bb', 'value.unit-unknown', 'bb', []],
    ['5im', 'value.unit-unknown', 'im', []],
    ['1p', 'value.unit-unknown', 'p', ['1000t']],
    ['1pib', 'value.unit-unknown', 'pib', ['1024ti']],
    ['2gigabytes', 'value.unit-unknown', 'gigabytes', ['2g']],
    ['2gibibytes', 'value.unit-unknown', 'gibibytes', ['2gi']],
    ['2kilobyte', 'value.unit-unknown', 'kilobyte', ['2k']],
    ['64bytes', 'value.unit-unknown', 'bytes', ['64']],
    ['9'.repeat(400), 'value.too-large', '9'.repeat(400), []],
  ])('%j is none', (text, code, wrong, instead) => {
    const reading = readSize(text)
    if (reading.ok) throw new Error('It was read.')
    const { problem } = reading
    expect([problem.code, problem.instead]).toEqual([code, instead])
    expect(text.slice(problem.from, problem.to)).toBe(wrong)
    for (const text of instead) expect(readSize(text).ok).toBe(true)
  })

  test('counts the same in any case, with and without its b', () => {
    const unit = fc.constantFrom('k', 'ki', 'm', 'mi', 'g', 'gi', 't', 'ti')
    fc.assert(
      fc.property(fc.nat(), unit, (amount, unit) => {
        const size = readSize(`${amount}${unit}`)
        expect(size.ok).toBe(true)
        for (const other of [`${unit}b`, unit.toUpperCase(), `${unit.toUpperCase()}B`]) {
          expect(readSize(`${amount}${other}`)).toEqual(size)
        }
      }),
    )
  })
})
