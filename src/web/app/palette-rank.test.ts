import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fit, rank } from './palette-rank.ts'

const shown = (text: string, typed: string): string | undefined => {
  const found = fit(text, typed)
  if (found === undefined) return undefined
  let at = 0
  const parts = found.spans.map(([from, to]) => {
    const part = `${text.slice(at, from)}[${text.slice(from, to)}]`
    at = to
    return part
  })
  return parts.join('') + text.slice(at)
}

test.each([
  ['Checkout', 'check', '[Check]out'],
  ['pkg:oci/checkout@2.4.0', 'check', 'pkg:oci/[check]out@2.4.0'],
  ['pkg:oci/checkout@2.4.0 production', 'prod check', 'pkg:oci/[check]out@2.4.0 [prod]uction'],
  ['recheck the check', 'check', 'recheck the [check]'],
  ['recheckout', 'check', 're[check]out'],
  ['design-system', 'dsys', '[d]e[s]ign-s[ys]tem'],
  ['design-system', 'sys d', '[d]esign-[sys]tem'],
  ['design-system', 'gnm', undefined],
  ['design-system', 'check', undefined],
  ['Status', '', 'Status'],
])('%j for %j is %j', (text, typed, expected) => {
  expect(shown(text, typed)).toBe(expected)
})

test('all of it comes before its beginning, that before a word of it, that before its middle, that before letters', () => {
  const texts = ['a-b-c', 'cabc', 'x abc', 'abcdef', 'abc'].map((label) => ({ label }))
  expect(rank(texts, 'abc', 9).map(({ entry }) => entry.label)).toEqual(
    texts.map(({ label }) => label).toReversed(),
  )
})

test('of those that fit alike the ones used last come first, then the shorter ones', () => {
  const entries = ['shop', 'shop-android', 'shop-web', 'shop-ios'].map((label) => ({ label }))
  const found = rank(entries, 'shop-', 9, ['shop-web'])
  expect(found.map(({ entry }) => entry.label)).toEqual(['shop-web', 'shop-ios', 'shop-android'])
  expect(rank(entries, 'sho', 2)).toHaveLength(2)
})

test('what fits by chance comes after whatever has a word that begins so', () => {
  const entries = [{ label: 'utcytlub3a4ir', isByChance: true }, { label: 'Time zone: UTC' }]
  expect(rank(entries, 'utc', 9).map(({ entry }) => entry.label)).toEqual([
    'Time zone: UTC',
    'utcytlub3a4ir',
  ])
  expect(rank(entries, 'utcytl', 9)).toHaveLength(1)
})

test('what an entry is called besides its label finds it, too', () => {
  const entries = [{ label: 'Color scheme: Dark', also: 'theme' }]
  expect(rank(entries, 'them', 9)).toMatchObject([{ fit: { spans: [] } }])
})

const words = fc.string({ minLength: 1, maxLength: 12 })

test('a longer text never finds what a part of it does not', () => {
  fc.assert(
    fc.property(words, words, fc.nat(12), (text, typed, at) => {
      if (fit(text, typed) !== undefined) expect(fit(text, typed.slice(0, at))).toBeDefined()
    }),
  )
})

test('the letters shown are those that were typed, in order and apart', () => {
  const word = fc.stringMatching(/^[a-z]{1,6}$/)
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zA-Z -]{1,24}$/), word, (text, typed) => {
      const found = fit(text, typed)
      if (found === undefined) return
      const letters = found.spans.map(([from, to]) => text.slice(from, to)).join('')
      expect(letters.toLowerCase()).toBe(typed)
      found.spans.forEach(([from, to], index) => {
        expect(from).toBeLessThan(to)
        expect(from).toBeGreaterThan(found.spans[index - 1]?.[1] ?? -1)
      })
    }),
  )
})

test('a text always finds itself, first', () => {
  const labels = fc.uniqueArray(fc.stringMatching(/^\w{1,8}$/), {
    minLength: 1,
    selector: (label) => label.toLowerCase(),
  })
  fc.assert(
    fc.property(labels, (all) => {
      const entries = all.map((label) => ({ label }))
      for (const label of all) expect(rank(entries, label, 1)[0]?.entry.label).toBe(label)
    }),
  )
})
