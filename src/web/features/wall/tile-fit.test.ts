import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  fitPieces,
  lineParts,
  type Measure,
  type Piece,
  pieceGap,
  type Room,
  type Setting,
} from './tile-fit.ts'

/** Each letter is half as wide as it is high, and a tenth more in bold. */
const measure: Measure = (text, isBold) => text.length * (isBold ? 0.55 : 0.5)

const room: Room = { width: 400, height: 200, text: 20, least: 10, lineHeight: 1.25 }
const sizes = (all: readonly number[], ...lines: readonly number[]): Setting[] =>
  lines.flatMap((count) => all.map((size) => ({ size, lines: count })))

describe('a text', () => {
  const steps = sizes([1, 0.8, 0.6], 1, 2)
  test.each([
    ['is as large as it can be', 'a name', { size: 1, lines: 1, isCut: false }],
    ['shrinks in steps before it wraps', 'x'.repeat(45), { size: 0.8, lines: 1, isCut: false }],
    [
      'wraps where no step is small enough',
      `${'x'.repeat(38)} ${'x'.repeat(38)}`,
      { size: 1, lines: 2, isCut: false },
    ],
    [
      'is broken within a word where that alone is too long',
      'x'.repeat(70),
      { size: 1, lines: 2, isCut: false },
    ],
    ['is cut only where nothing is of help', 'x'.repeat(400), { size: 0.6, lines: 2, isCut: true }],
  ])('%s', (_, text, expected) => {
    expect(fitPieces([{ key: 'name', text, settings: steps }], room, measure).get('name')).toEqual(
      expected,
    )
  })

  test('that ends its lines at blanks alone is smaller before it is cut', () => {
    const set = (text: string) =>
      fitPieces([{ key: 'name', text, isUnbroken: true, settings: steps }], room, measure).get(
        'name',
      )
    expect(set(`${'x'.repeat(45)} ${'x'.repeat(30)}`)).toEqual({
      size: 0.8,
      lines: 2,
      isCut: false,
    })
    expect(set(`${'x'.repeat(36)}09:21`)?.size).toBe(0.8)
    expect(set('x'.repeat(70))?.isCut).toBe(true)
  })

  test('that is too long is shortened in the middle, by no more letters than necessary', () => {
    const text = `checkout-service-${'x'.repeat(60)}-eu-west`
    const piece = { key: 'name', text, settings: [{ size: 1, lines: 1 }], hasEnd: true }
    const set = fitPieces([piece], room, measure).get('name')
    expect(set?.isCut).toBe(true)
    expect(set?.inPlace).toMatch(/^checkout-service.*….*-eu-west$/)
    const [again, longer] = [0, 1].map((more) =>
      fitPieces(
        [{ ...piece, text: `${set?.inPlace ?? ''}${'x'.repeat(more)}` }],
        room,
        measure,
      ).get('name'),
    )
    expect([again?.isCut, longer?.isCut]).toEqual([false, true])
  })

  test('gives way to what stands beside it, and is wider in bold', () => {
    const text = 'x'.repeat(37)
    const sizeOf = (more: object) =>
      fitPieces([{ key: 'name', text, settings: steps, ...more }], room, measure).get('name')?.size
    expect(sizeOf({})).toBe(1)
    expect(sizeOf({ isBold: true })).toBe(0.8)
    expect(sizeOf({ beside: 3 })).toBe(0.8)
  })

  test('breaks after words, and within names at their seams', () => {
    expect(lineParts('expected 3, was: 4')).toEqual(['expected', ' 3,', ' was:', ' 4'])
    expect(lineParts(':app:integrationTest')).toEqual([':app:', 'integration', 'Test'])
    expect(lineParts('feature/PAY-481.x')).toEqual(['feature/', 'PAY-', '481.', 'x'])
    expect(lineParts('since 02:38.')).toEqual(['since', ' 02:38.'])
    expect(lineParts('Ann\u00a0· main')).toEqual(['Ann\u00a0·', ' main'])
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(lineParts(text).join('')).toBe(text.replace(/ +$/, ''))
      }),
    )
  })
})

describe('the pieces of a tile', () => {
  const piece = fc.record({
    text: fc.string({ maxLength: 120 }),
    settings: fc
      .array(
        fc.record({ size: fc.constantFrom(1.2, 1, 0.8), lines: fc.integer({ min: 1, max: 4 }) }),
        {
          minLength: 1,
          maxLength: 5,
        },
      )
      .map((all) => [...all, { size: 0.8, lines: 1 }]),
  })
  const anyRoom = fc.record({
    width: fc.integer({ min: 60, max: 900 }),
    height: fc.integer({ min: 10, max: 600 }),
    text: fc.integer({ min: 12, max: 60 }),
    least: fc.constant(9),
    lineHeight: fc.constant(1.25),
  })

  test('never take more height than there is, and none is smaller than what is read', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), anyRoom, (all, own) => {
        const pieces = all.map((one, index) => ({ ...one, key: String(index) }))
        const set = [...fitPieces(pieces, own, measure).values()]
        const height = set.reduce((sum, { size, lines }) => sum + size * lines * 1.25 + pieceGap, 0)
        expect((height - (set.length > 0 ? pieceGap : 0)) * own.text).toBeLessThanOrEqual(
          own.height + 1e-6,
        )
        for (const { size } of set) expect(size * own.text).toBeGreaterThanOrEqual(9)
      }),
    )
  })

  test('what matters most is there first, and nothing is cut while a smaller setting shows it whole', () => {
    const long = 'x'.repeat(39)
    const pieces = ['what', 'why', 'who'].map((key) => ({
      key,
      text: long,
      settings: sizes([1, 0.7], 1),
    }))
    const set = (height: number) => [...fitPieces(pieces, { ...room, height }, measure)]
    expect(set(20).map(([key]) => key)).toEqual(['what'])
    expect(set(48).map(([key]) => key)).toEqual(['what', 'why'])
    expect(set(200).every(([, { isCut }]) => !isCut)).toBe(true)
  })

  test('none is cut while all of them would be whole in smaller letters on more lines', () => {
    const wholeHeight = ({ text, settings }: Piece, own: Room): number =>
      Math.min(
        ...settings
          .map(({ size, lines }) => ({ size: Math.max(size, own.least / own.text), lines }))
          .filter(({ size, lines }) => {
            const alone = fitPieces(
              [{ key: 'one', text, settings: [{ size, lines }] }],
              { ...own, height: 1e6 },
              measure,
            )
            return alone.get('one')?.isCut === false
          })
          .map(({ size, lines }) => (size * lines * own.lineHeight + pieceGap) * own.text),
      )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), anyRoom, (all, own) => {
        const pieces = all
          .map((one, index) => ({ ...one, key: String(index) }))
          .filter(({ text }) => text !== '')
        const needed = pieces.reduce((sum, one) => sum + wholeHeight(one, own), 0)
        fc.pre(Number.isFinite(needed))
        const height = needed - pieceGap * own.text + 1e-6
        const set = fitPieces(pieces, { ...own, height }, measure)
        expect(set.size).toBe(pieces.length)
        for (const { isCut } of set.values()) expect(isCut).toBe(false)
      }),
    )
  })

  test('what is shown whole or not at all takes no line from a message, and gives way to fewer words', () => {
    const message = { key: 'message', text: 'x'.repeat(70), settings: sizes([1], 1, 2) }
    const commits = {
      key: 'commits',
      text: 'y'.repeat(60),
      settings: sizes([1], 1),
      orElse: ['y'.repeat(20)],
    }
    const set = (height: number) => fitPieces([commits, message], { ...room, height }, measure)
    expect(Object.fromEntries(set(50))).toEqual({ message: { size: 1, lines: 2, isCut: false } })
    expect(set(80).get('commits')).toEqual({
      size: 1,
      lines: 1,
      isCut: false,
      inPlace: 'y'.repeat(20),
    })
  })
})
