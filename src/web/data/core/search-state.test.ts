import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  choiceParam,
  choicesParam,
  flagParam,
  listParam,
  numberParam,
  optionalParam,
  type SearchParam,
  searchState,
  textParam,
  toggled,
  zoneParam,
} from './search-state.ts'

/** A part with two parameters of its own, as a comparison has. */
const rangeParam: SearchParam<{ readonly from: string; readonly to: string } | undefined> = {
  names: ['from', 'to'],
  read: (search) => {
    const [from, to] = [search.get('from') ?? '', search.get('to') ?? '']
    return from === '' || to === '' ? undefined : { from, to }
  },
  write: (range) =>
    range === undefined
      ? []
      : [
          ['from', range.from],
          ['to', range.to],
        ],
}

const colors = ['red', 'green', 'blue'] as const
const view = searchState({
  text: textParam('q'),
  build: optionalParam('build', (id) => /^[a-z]{3}$/.test(id)),
  zone: zoneParam('zone'),
  isWaived: flagParam('waived'),
  order: choiceParam('order', ['worst', 'written']),
  colors: choicesParam('color', colors),
  kinds: listParam('kind'),
  item: numberParam('item', { least: 1, most: 9, usual: 1 }),
  range: rangeParam,
})

const usual = {
  text: '',
  build: undefined,
  zone: undefined,
  isWaived: false,
  order: 'worst',
  colors: [],
  kinds: [],
  item: 1,
  range: undefined,
}

function read(text: string) {
  return view.read(new URLSearchParams(text))
}

test.each([
  ['', {}],
  ['q=a+b&build=abc&waived=yes', { text: 'a b', build: 'abc', isWaived: true }],
  ['build=ABC&waived=no&order=moon&item=0&zone=Mars', {}],
  ['order=written&item=9&zone=Europe/Berlin', { order: 'written', item: 9, zone: 'Europe/Berlin' }],
  ['item=10', {}],
  ['color=blue&color=red&color=blue&color=moon', { colors: ['red', 'blue'] }],
  ['kind=b&kind=a&kind=b&kind=', { kinds: ['b', 'a'] }],
  ['from=1', {}],
  ['from=1&to=2', { range: { from: '1', to: '2' } }],
])('%s is read', (text, state) => {
  expect(read(text)).toEqual({ ...usual, ...state })
})

test('any state is a link, and the link that state again', () => {
  const text = fc.string({ minLength: 1, unit: 'grapheme' })
  const states = fc.record({
    text: fc.string({ unit: 'grapheme' }),
    build: fc.constantFrom(undefined, 'abc'),
    zone: fc.constantFrom(undefined, 'UTC', 'Asia/Tokyo'),
    isWaived: fc.boolean(),
    order: fc.constantFrom('worst' as const, 'written' as const),
    colors: fc.subarray([...colors]),
    kinds: fc.uniqueArray(text),
    item: fc.integer({ min: 1, max: 9 }),
    range: fc.option(fc.record({ from: text, to: text }), { nil: undefined }),
  })
  fc.assert(
    fc.property(states, (state) => {
      const link = view.write(state, new URLSearchParams('other=1&q=old&to=old')).toString()
      expect(read(link)).toEqual(state)
      expect(new URLSearchParams(link).get('other')).toBe('1')
    }),
  )
})

test('defaults leave nothing behind, and other parameters stay', () => {
  const before = new URLSearchParams('other=1&q=old&order=written&from=1&to=2&color=red')
  expect(view.write(read(''), before).toString()).toBe('other=1')
  expect(view.write(read('')).toString()).toBe('')
})

test('a part of the state is replaced', () => {
  const before = new URLSearchParams('q=a&color=red&other=1')
  expect(view.update(before, { colors: ['green'] }).toString()).toBe('other=1&q=a&color=green')
  expect(before.toString()).toBe('q=a&color=red&other=1')
})

test('a value is toggled in a list', () => {
  expect(toggled(['a', 'b'], 'a')).toEqual(['b'])
  expect(toggled(['a', 'b'], 'c')).toEqual(['a', 'b', 'c'])
})
