import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import { cutText } from '../../protocol/untrusted-text.ts'
import { factsFailure } from './failure-text.ts'
import { failureKey, stableText } from './failure-key.ts'

/** What is left of messages as build tools write them. */
const rows: readonly (readonly [message: string, stable: string])[] = [
  [
    'There were failing tests. See the report at: file:///Users/builder/src/app/build/reports/tests/test/index.html',
    'There were failing tests. See the report at: <url>',
  ],
  [
    'Compilation failure\n/home/builder/agent/work/8d3306ac5f39e07b/b/src/main/java/Error.java:[1,1] class, interface, or enum expected\n',
    'Compilation failure <path>:[<n>] class, interface, or enum expected',
  ],
  [
    "Process 'Gradle Test Executor 42' finished with non-zero exit value 137",
    "Process 'Gradle Test Executor <n>' finished with non-zero exit value <n>",
  ],
  [
    'Could not resolve com.acme:shop-core:1.4.2-SNAPSHOT.',
    'Could not resolve com.acme:shop-core:<n>-SNAPSHOT.',
  ],
  [
    "Could not GET 'https://repo.maven.apache.org/maven2/com/acme/shop-1.2.3.pom'. Received status code 503 from server: Service Unavailable",
    "Could not GET '<url>'. Received status code <n> from server: Service Unavailable",
  ],
  [
    'Connection refused (Connection refused): localhost:5432',
    'Connection refused (Connection refused): <host>',
  ],
  [
    'repo1.maven.org: Temporary failure in name resolution',
    '<host>: Temporary failure in name resolution',
  ],
  [
    'Connect to 10.12.0.7:8443 failed: Connection timed out',
    'Connect to <host> failed: Connection timed out',
  ],
  ['Connect to cache.ci.shop:8443 failed', 'Connect to <host> failed'],
  ['[2001:db8::1]:8080 refused the connection', '<host> refused the connection'],
  [
    'com.acme.Shop@6d06d69c cannot be cast to class com.acme.io.Cart',
    'com.acme.Shop@<id> cannot be cast to class com.acme.io.Cart',
  ],
  ['NoClassDefFoundError: com/acme/shop/Cart', 'NoClassDefFoundError: com/acme/shop/Cart'],
  ["Could not delete '/tmp/gradle-worker-8732/classes/x.jar'", "Could not delete '<path>'"],
  [
    'java.nio.file.NoSuchFileException: C:\\Users\\ci\\AppData\\Local\\Temp\\junit5823908129\\foo.txt',
    'java.nio.file.NoSuchFileException: <path>',
  ],
  [
    'Timed out after 30000 ms waiting for container 3f2a9bc81d20 at 2026-11-22T18:59:22.123Z',
    'Timed out after <n> waiting for container <id> at <time>',
  ],
  [
    'error: cannot find symbol\n  symbol: class Foo\n  location: package com.acme',
    'error: cannot find symbol symbol: class Foo location: package com.acme',
  ],
  ["src/main/java/com/acme/Foo.java:17: error: ';' expected", "<path>:<n>: error: ';' expected"],
  ['Foo.java:17: incompatible types', 'Foo.java:<n>: incompatible types'],
  ["Task 'docs' not found in project ':app'.", "Task 'docs' not found in project ':app'."],
  ['Expected 3 but was 4', 'Expected <n> but was <n>'],
  ['Mon Jan 02 15:04:05 UTC 2026 lock held by pid 4711', '<time> lock held by pid <n>'],
  ['22 November 2026: certificate expired', '<time>: certificate expired'],
  ['12:01:33.456 worker gave up', '<time> worker gave up'],
  ['Lock \'junit-x7y2z9\' and "gradle8573620934.tmp"', 'Lock \'<temp>\' and "<temp>"'],
  [
    'request 550e8400-e29b-41d4-a716-446655440000 failed for 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
    'request <id> failed for <id>',
  ],
  ['segfault at 0x00007ffee3b2c9a8 ip 0xdeadbeef', 'segfault at <id> ip <id>'],
  ['Java heap space: 512 MB of 0.5 GiB used', 'Java heap space: <n> of <n> used'],
  ['token eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 expired', 'token <id> expired'],
  ['\u001b[31merror\u001b[0m  in\tstep\r\n3', 'error in step <n>'],
  ['src/x and either/or, std::vector a::b::c', 'src/x and either/or, std::vector a::b::c'],
  ['npm ERR! code ELIFECYCLE errno 1', 'npm ERR! code ELIFECYCLE errno <n>'],
  ["ModuleNotFoundError: No module named 'yaml'", "ModuleNotFoundError: No module named 'yaml'"],
  ['Exit code 3: some tests failed', 'Exit code <n>: some tests failed'],
  ['', ''],
]

describe('what is stable of a message', () => {
  test.each(rows)('%j', (message, stable) => {
    expect(stableText(message)).toBe(stable)
  })

  const piece = fc.oneof(
    fc.constantFrom(...rows.map(([message]) => message)),
    fc.constantFrom(
      '<n>',
      '<path',
      '<',
      '>',
      '/',
      '\\',
      ':',
      '::',
      '@',
      '.',
      "'",
      '"',
      ' ',
      '-',
      '0x',
    ),
    fc.constantFrom(
      'a1',
      '1.5',
      'tmp',
      'abc123f',
      'C:',
      'x.java',
      'Jan 1',
      '\ud83d\ude00',
      '\ud83d',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ maxLength: 12 }),
  )
  const messages = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

  test('stays as it is, whatever the message', () => {
    fc.assert(
      fc.property(messages, (message) => {
        const stable = stableText(message)
        expect(stableText(stable)).toBe(stable)
      }),
      { numRuns: runs(2000) },
    )
  })

  test('has no digits, and is short', () => {
    fc.assert(
      fc.property(messages, (message) => {
        expect(stableText(message)).not.toMatch(/\d/)
        expect(stableText(message).length).toBeLessThanOrEqual(300)
      }),
      { numRuns: runs(500) },
    )
  })

  test.each([
    ['words', 'failed at /home/a/b '],
    ['one long path', '/a'],
    ['one long number', '1'],
    ['letters of a hash', 'a'],
    ['dots', 'a.'],
    ['dashes', 'a-1-A'],
    ['colons', 'a:'],
    ['quotes', "'x1"],
    ['brackets', '<'],
    ['spaces', ' '],
  ])('is found in a megabyte of %s as in its beginning', (_, unit) => {
    const long = unit.repeat(Math.ceil(1_000_000 / unit.length))
    const key = failureKey({ message: long, task: long, exception: long })
    const begin = long.slice(0, 10_000)
    expect(key).toBe(failureKey({ message: begin, task: begin, exception: begin }))
  })
})

describe('the key of a failure', () => {
  test('is its task, the class of its exception and what is stable of its message', () => {
    expect(
      failureKey({
        task: ':app:compileJava',
        exception: 'org.acme.Proxy$17',
        message: 'line 3 of /src/x/A.java',
      }),
    ).toBe(':app:compileJava · org.acme.Proxy$<n> · line <n> of <path>')
    expect(failureKey({ message: 'Exit code 1' })).toBe('Exit code <n>')
  })

  test('is the same for the whole message and for the one in facts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 700 }), (text) => {
        const failure = { message: cutText(text, 1000), task: ':a' }
        expect(failureKey(factsFailure(failure))).toBe(failureKey(failure))
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('failures of tests', () => {
  const keyOf = (name: string, className?: string, task = ':test') =>
    failureKey({
      task,
      message: `expected ${name.length}`,
      test: { name, others: 0, ...(className === undefined ? {} : { className }) },
    })

  test('are the same where the same test failed, whatever its message', () => {
    expect(keyOf('total()', 'a.CartTest')).toBe(keyOf('total()', 'a.CartTest', ':testOnJava21'))
    expect(keyOf('total()', 'a.CartTest')).not.toBe(keyOf('count()', 'a.CartTest'))
    expect(keyOf('total()', 'a.CartTest')).not.toBe(keyOf('total()', 'a.ShopTest'))
    expect(keyOf('total()')).not.toBe(keyOf('total()', undefined, ':web:test'))
  })

  test('are the same for all parameters, but numbers in names stay', () => {
    expect(keyOf('adds[3]', 'a.T')).toBe(keyOf('adds[17]', 'a.T'))
    expect(keyOf('[1] 2026-11-22', 'a.T')).toBe(keyOf('[2] 2026-11-23', 'a.T'))
    expect(keyOf('sha256()', 'a.T')).not.toBe(keyOf('sha512()', 'a.T'))
  })
})
