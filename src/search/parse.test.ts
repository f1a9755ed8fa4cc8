import { existsSync, readFileSync } from 'node:fs'
import type { Input } from '@lezer/common'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { adversarial, repeated } from './grammar/adversarial.test-support.ts'
import { parser } from './grammar/parser.ts'
import { anyText } from './grammar/texts.test-support.ts'
import { parse, queryFromTree } from './parse.ts'
import type { Expression, Query, Span } from './tree.ts'
import { realData } from '../real-data.test-support.ts'

const known = realData('queries.txt')

describe.skipIf(!existsSync(known))('queries that people use', () => {
  const lines = existsSync(known) ? readFileSync(known, 'utf8').split('\n') : []
  test.each(lines.filter((line) => line !== '' && !line.startsWith('#')))('%s', (line) => {
    const { root, faults } = parse(line)
    expect(faults).toEqual([])
    expect(root).toBeDefined()
  })
})

test('every part stands inside the one around it, in order and where its text is', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const query = parse(text)
      if (query.root) expectWellPlaced(query.root, { from: 0, to: text.length }, query)
      for (const { from, to } of query.faults) {
        expect(0 <= from && from < to && to <= text.length).toBe(true)
      }
      expect(query.faults).toEqual(query.faults.toSorted((a, b) => a.from - b.from))
    }),
    { numRuns: runs(1000) },
  )
})

test('a text without faults has lost nothing: only spaces, keywords and signs are left over', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { root, faults } = parse(text)
      if (faults.length > 0) return
      let rest = text
      for (const { from, to } of spansOf(root).toReversed()) {
        rest = `${rest.slice(0, from)} ${rest.slice(to)}`
      }
      expect(rest.replace(/[\s()]/g, '')).toBe('')
    }),
    { numRuns: runs(1000) },
  )
})

describe('100 KB of what makes parsers slow', () => {
  test.each(adversarial)('%j is read to its end', (piece) => {
    const text = repeated(piece, 100_000)
    const query = parse(text)
    expect(query.text).toBe(text)
    expect(query.faults.every(({ code }) => code !== 'too-long')).toBe(true)
  })

  test.each(adversarial)('%j is read about once', (piece) => {
    expect(readsOf(repeated(piece, 20_000))).toBeLessThan(2 * 20_000)
  })

  test('whatever is repeated behind whatever else is read a few times at most', () => {
    const pieces = fc.array(fc.constantFrom(...adversarial), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(pieces, pieces, (first, then) => {
        const text = first.join('') + repeated(then.join(''), 4000)
        expect(readsOf(text)).toBeLessThan(6 * text.length)
      }),
      { numRuns: runs(150) },
    )
  })
})

describe('limits', () => {
  const nested = (depth: number): string => `${'('.repeat(depth)}a${')'.repeat(depth)}`

  test('100 groups inside one another are read', () => {
    expect(parse(nested(100)).faults).toEqual([])
  })

  test('deeper ones are a fault where they begin, and the rest is read', () => {
    const { root, faults } = parse(`${nested(101)} or tag:x`)
    expect(faults).toEqual([{ code: 'too-deep', from: 100, to: 103 }])
    expect(root?.type === 'or' && root.operands[1]?.type).toBe('term')
  })

  test('negations count as well', () => {
    expect(parse(`${'-'.repeat(100)}a`).faults).toEqual([])
    expect(parse(`${'-'.repeat(101)}a`).faults).toEqual([{ code: 'too-deep', from: 100, to: 102 }])
    expect(parse(`${'not ('.repeat(51)}a${')'.repeat(51)}`).faults[0]?.code).toBe('too-deep')
  })

  // Changed code (npm run mutation) takes more of the stack than the parser's own.
  const isMutated = 'STRYKER_MUTATOR_WORKER' in process.env
  test.skipIf(isMutated)('is a fault even where the parser itself runs out of stack', () => {
    const frames = (count: number): number => {
      try {
        return frames(count + 1)
      } catch {
        return count
      }
    }
    const inside = (left: number): Query =>
      left === 0 ? parse('('.repeat(65_000)) : inside(left - 1)
    const { faults } = inside(Math.floor(frames(0) * 0.6))
    expect(faults).toEqual([{ code: 'too-deep', from: 0, to: 65_000 }])
  })

  test('50,000 groups inside one another are a fault like any other', () => {
    const { root, faults } = parse(nested(50_000))
    expect(root?.type).toBe('group')
    expect(faults.some(({ code }) => code === 'too-deep')).toBe(true)
  })

  test('131,072 characters are read; a longer text is one fault and nothing else', () => {
    expect(parse('a'.repeat(131_072)).root?.type).toBe('flag')
    expect(parse('a'.repeat(131_073))).toMatchObject({
      root: undefined,
      faults: [{ code: 'too-long', from: 131_072, to: 131_073 }],
    })
  })
})

test('a tree that does not reach to the end of the text is not trusted', () => {
  const text = 'tag:a (tag:b or tag:c)'
  expect(queryFromTree(parser.parse(text.slice(0, 8)), text)).toEqual(parse(text))
  expect(queryFromTree(parser.parse(text), text)).toEqual(parse(text))
})

/** Hands out one character at a time, and counts them. */
class CountingInput implements Input {
  reads = 0
  readonly lineChunks = false
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get length(): number {
    return this.text.length
  }

  chunk(from: number): string {
    this.reads += 1
    return this.text.charAt(from)
  }

  read(from: number, to: number): string {
    return this.text.slice(from, to)
  }
}

function readsOf(text: string): number {
  const input = new CountingInput(text)
  parser.parse(input)
  return input.reads
}

function expectWellPlaced(part: Expression, around: Span, query: Query): void {
  expect(part.from < part.to && around.from <= part.from && part.to <= around.to).toBe(true)
  let at = part.from
  for (const span of [...spansIn(part)].sort((a, b) => a.from - b.from || a.to - b.to)) {
    expect(at <= span.from && span.from <= span.to && span.to <= part.to).toBe(true)
    at = span.to
  }
  if (part.type === 'term' || part.type === 'flag') {
    expect(query.text.slice(part.field.from, part.field.to)).toBe(part.field.name)
  }
  for (const inner of innerParts(part)) expectWellPlaced(inner, part, query)
}

function innerParts(part: Expression): readonly Expression[] {
  if (part.type === 'and' || part.type === 'or') return part.operands
  if (part.type === 'not') return [part.operand]
  return part.type === 'group' && part.inner ? [part.inner] : []
}

/** What stands directly in a part. */
function spansIn(part: Expression): readonly Span[] {
  switch (part.type) {
    case 'and':
    case 'or':
      return [...part.operands, ...part.operators]
    case 'not':
      return [part.operator, part.operand]
    case 'group':
      return part.inner ? [part.inner] : []
    case 'term': {
      const { field, operator, pattern } = part
      if (pattern.type === 'missing') return [field, operator]
      if (pattern.type === 'word') return [field, operator, ...pattern.segments]
      const ends = [pattern.low, pattern.separator, pattern.high]
      return [field, operator, ...ends.filter((end) => end !== undefined)]
    }
    case 'flag':
      return [part.field]
    case 'free-text':
      return []
  }
}

/** All that was read: leaves, and the operators between them. */
function spansOf(part: Expression | undefined): readonly Span[] {
  if (!part) return []
  const inner = innerParts(part)
  if (inner.length === 0) return part.type === 'group' ? [] : [part]
  const operators = part.type === 'not' ? [part.operator] : []
  const joints = part.type === 'and' || part.type === 'or' ? part.operators : []
  return [...operators, ...joints, ...inner.flatMap(spansOf)].sort((a, b) => a.from - b.from)
}
