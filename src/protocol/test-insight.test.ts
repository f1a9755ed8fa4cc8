import { expect, test } from 'vitest'
import { fullTestName, testFilter, testName } from './test-insight.ts'

test.each([
  ['com.example.ShopTest', 'adds()', 'ShopTest.adds()', 'com.example.ShopTest.adds()'],
  ['ShopTest', 'adds', 'ShopTest.adds', 'ShopTest.adds'],
  [null, 'adds', 'adds', 'adds'],
  ['', 'adds', 'adds', 'adds'],
])('a test of %s is named %s everywhere in one way', (className, name, short, full) => {
  expect(testName({ className, name })).toBe(short)
  expect(fullTestName({ className, name })).toBe(full)
})

test.each([
  ['com.example.ShopTest', 'adds', '.', 'com.example.ShopTest.adds'],
  ['com.example.ShopTest', 'adds(int)[2]', '.', 'com.example.ShopTest.adds'],
  ['com.example.ShopTest', 'adds(int)[2]', '#', 'com.example.ShopTest#adds'],
  ['com.example.ShopTest', 'adds two (or three)', '.', 'com.example.ShopTest.adds two (or three)'],
  // A name between backticks of Kotlin, as JUnit 5 reports it.
  ['ShopTest', 'adds (slow)()', '.', 'ShopTest.adds (slow)'],
  ['ShopTest', 'adds two(int)[1]', '#', 'ShopTest#adds two'],
  // Spock, and TestNG.
  ['ShopTest', 'adds [a: 1, #0]', '.', 'ShopTest.adds'],
  ['ShopTest', 'adds [a: [1], #0]', '.', 'ShopTest.adds'],
  ['ShopTest', 'adds[0](1, f(2))', '.', 'ShopTest.adds'],
  ['ShopTest', '[1]', '.', 'ShopTest.[1]'],
  [null, 'adds()', '.', 'adds()'],
  ['', 'adds()', '#', 'adds()'],
] as const)('%s %s is selected with %s by %s', (className, name, before, filter) => {
  expect(testFilter({ className, name }, before)).toBe(filter)
})
