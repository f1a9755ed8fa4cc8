import fc from 'fast-check'
import type { Facts } from '../../protocol/facts.ts'
import { quoteValue } from '../../search/values/text.ts'

/** Texts that fold, cut and sort in all the ways that a database may see otherwise. */
export const texts = [
  ...['shop', 'Shop', 'SHOP-API', 'shop-web', 'sho', 'bank', 'a b', 'a', 'b', '', ' ', '%', '_'],
  ...['ΑΣ', 'ας', 'ασ', 'ΑΣΑ', 'İ', 'i̇', 'straße', 'K', 'k', 'é', 'e\u0301', '😀', '😀b'],
  ...['a\0b', 'a\ufffdb', 'ab', '\ud83d', 'a\ud83d', '\ude00', 'a\u007fb', 'a=b', '=', '\\', '"'],
  ...['a\u{10ffff}', '\u{10ffff}z', 'x'.repeat(199), 'x'.repeat(200), 'x'.repeat(250)],
  ...[`${'x'.repeat(250)}b`, `${'x'.repeat(199)}😀`, 'not', 'or', '[a to b]', '(', 'a:b'],
]
/** The same as often as not: most searches are for what is there. */
const plain = texts.slice(0, 8)
const text = fc.oneof(fc.constantFrom(...plain), fc.constantFrom(...texts))
const tools = ['gradle', 'maven', 'npm', 'Gradle', 'bazel']
const start = Date.UTC(2026, 0, 1)
const day = 86_400_000

const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: value, weight: 5 }, fc.constantFrom(undefined, null))
const listOf = <T>(value: fc.Arbitrary<T>) =>
  fc.option(fc.array(value, { maxLength: 3 }), { nil: undefined })

const fields = fc.dictionary(
  fc.constantFrom(
    'gradle.rootProjectName',
    'gradle.requestedTasks',
    'maven.topLevelProjectName',
    'gradle.buildOptions.daemonEnabled',
    'gradle.environment.numberOfCpuCores',
  ),
  fc.oneof(text, fc.constantFrom(true, false, null, 4)),
  { noNullPrototype: true },
)

/** What is known of a build beside its id and its receipt: anything that facts can say, or not. */
export const knowledge: fc.Arbitrary<Omit<Facts, 'buildId' | 'receivedAt'>> = fc.record({
  buildTool: fc.constantFrom(...tools),
  buildToolVersion: text,
  agentVersion: text,
  user: maybe(text),
  hostname: maybe(text),
  project: maybe(text),
  requested: listOf(text),
  tags: listOf(text),
  values: listOf(fc.record({ name: text, value: text })),
  outcome: fc.constantFrom('succeeded', 'failed', null, undefined),
  durationMs: maybe(fc.oneof(fc.constantFrom(0, 1.5, 1000, 60_000, 1e300), fc.nat(200_000))),
  startTime: maybe(
    fc.oneof(
      fc.constantFrom(0, start, start + day),
      fc.nat(60).map((n) => start + n * day + n),
    ),
  ),
  hasVerificationFailure: fc.constantFrom(true, false, null, undefined),
  hasNonVerificationFailure: fc.constantFrom(true, false, null, undefined),
  fields: fc.option(fields, { nil: undefined }),
})

const written = text.map((value) => (value === '' ? '""' : quoteValue(value)))
const pattern = fc.oneof(
  { arbitrary: written, weight: 4 },
  fc
    .array(fc.oneof(written, fc.constant('')), { minLength: 2, maxLength: 4 })
    .map((parts) => parts.join('*')),
)
const pair = fc.tuple(pattern, pattern).map(([name, value]) => `${name}=${value}`)
const duration = fc.constantFrom('0s', '1ms', '1s', '1m', '90s', '2m', 'PT1M', '1.5ms')
const moment = fc.constantFrom(
  '2026-01-01',
  '2026-01-02T12:00',
  '2026-02-01T00:00:00Z',
  '2026-01-15T00:00+02:00',
)
const operator = fc.constantFrom('<', '<=', '>', '>=')

const term = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        ...[
          'user',
          'hostname',
          'project',
          'project',
          'tag',
          'tag',
          'requested',
          'buildToolVersion',
        ],
        ...[
          'rootProjectName',
          'gradle.rootProjectName',
          'gradle.requestedTasks',
          'gradle.pluginVersion',
        ],
        'maven.topLevelProjectName',
      ),
      pattern,
    )
    .map((parts) => parts.join(':')),
  pair.map((value) => `value:${value}`),
  fc.constantFrom(...tools, 'gr*', '*e*').map((tool) => `buildTool:${tool}`),
  fc
    .constantFrom('failed', 'succeeded', 'FAILED', '*ed', 'fail*', 'other', '*')
    .map((outcome) => `buildOutcome:${outcome}`),
  fc.tuple(operator, duration).map(([symbol, value]) => `buildDuration${symbol}${value}`),
  fc.tuple(duration, duration).map(([low, high]) => `buildDuration:[${low} to ${high}]`),
  fc
    .tuple(operator, fc.oneof(moment, fc.constantFrom('-30d', '-10d', '-1h')))
    .map(([symbol, value]) => `buildStartTime${symbol}${value}`),
  fc.tuple(moment, moment).map(([low, high]) => `buildStartTime:[${low} to ${high}]`),
  fc.constant('buildStartTime:2026-01-01'),
  fc.constantFrom(
    'hasVerificationFailure',
    'hasNonVerificationFailure:false',
    'gradle.buildOptions.daemonEnabled',
    'gradle.environment.numberOfCpuCores>2',
  ),
  fc
    .constantFrom('user', 'tag', 'value', 'requested', 'hasVerificationFailure')
    .map((name) => `${name}:*`),
  fc.constantFrom('nothing:x', 'words', 'buildDuration:soon'),
)

/** A text in the advanced search language, mostly without mistakes. */
export const queryText: fc.Arbitrary<string> = fc.letrec<{ part: string; query: string }>(
  (tie) => ({
    part: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      term,
      term.map((inner) => `-${inner}`),
      tie('query').map((inner) => `(${inner})`),
      tie('query').map((inner) => `not (${inner})`),
    ),
    query: fc
      .tuple(
        fc.array(tie('part'), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(' ', ' and ', ' or '),
      )
      .map(([parts, between]) => parts.join(between)),
  }),
).query
