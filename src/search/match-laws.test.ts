import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import type { Facts } from '../protocol/facts.ts'
import { type Answer, compile } from './match.ts'
import { parse } from './parse.ts'

const at = { now: Date.parse('2026-11-20T10:00:00Z'), timeZone: 'Europe/Berlin' }

/** A query and what it means, written the slow and plain way. */
interface Meaning {
  readonly text: string
  readonly of: (facts: Facts) => Answer
}

const daemon = 'gradle.buildOptions.daemonEnabled'
const workers = 'gradle.buildOptions.maxNumberOfGradleWorkers'

const word = fc.constantFrom('a', 'b', 'ab', 'A', 'main', '')
const amount = fc.integer({ min: 0, max: 3 })
const orNone = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(value, { nil: null, freq: 5 })

/** Facts as they come: keys may be absent, values null, lists empty. */
const facts: fc.Arbitrary<Facts> = fc
  .record({
    base: fc.record({ buildTool: fc.constantFrom('gradle', 'maven') }),
    known: fc.record(
      {
        user: orNone(word),
        tags: fc.array(word, { maxLength: 3 }),
        requested: fc.array(word, { maxLength: 3 }),
        values: fc.array(fc.record({ name: word, value: word }), { maxLength: 3 }),
        outcome: orNone(fc.constantFrom('succeeded' as const, 'failed' as const)),
        durationMs: orNone(amount.map((count) => count * 1000)),
        startTime: orNone(amount.map((days) => at.now - days * 86_400_000)),
      },
      { requiredKeys: [] },
    ),
    fields: fc.option(
      fc.record(
        { [daemon]: orNone(fc.boolean()), [workers]: orNone(amount) },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    ),
  })
  .map(({ base, known, fields }) => ({
    buildId: 'abcdefghijk23',
    receivedAt: at.now,
    buildToolVersion: '8.5',
    agentVersion: '3.17',
    ...base,
    ...known,
    ...(fields && { fields }),
  }))

function term<T>(
  text: string,
  read: (facts: Facts) => T | null | undefined,
  holds: (value: T) => boolean,
): Meaning {
  return {
    text,
    of: (build) => {
      const value = read(build)
      if (value === undefined) return 'unknown'
      return value !== null && holds(value) ? 'yes' : 'no'
    },
  }
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
const ofGradle = (build: Facts, name: string) =>
  build.buildTool === 'gradle' ? build.fields?.[name] : null

const meaningOfTerm: fc.Arbitrary<Meaning> = fc.oneof(
  word.map((w) =>
    term(
      `user:"${w}"`,
      (build) => build.user,
      (user) => same(user, w),
    ),
  ),
  word.map((w) =>
    term(
      `user:"${w}*"`,
      (build) => build.user,
      (user) => same(user.slice(0, w.length), w),
    ),
  ),
  fc.constant(
    term(
      'user:*',
      (build) => build.user,
      () => true,
    ),
  ),
  word.map((w) =>
    term(
      `tag:"${w}"`,
      (build) => build.tags,
      (tags) => tags.some((tag) => same(tag, w)),
    ),
  ),
  fc.constant(
    term(
      'tag:*',
      (build) => build.tags,
      (tags) => tags.length > 0,
    ),
  ),
  word.map((w) =>
    term(
      `requested:"*${w} a*"`,
      (build) => build.requested,
      (requested) => {
        const texts = requested.length > 0 ? [...requested, requested.join(' ')] : []
        return texts.some((text) => text.toLowerCase().includes(`${w} a`.toLowerCase()))
      },
    ),
  ),
  fc.tuple(word, word).map(([name, value]) =>
    term(
      `value:"${name}=${value}"`,
      (build) => build.values,
      (values) => values.some((entry) => same(entry.name, name) && same(entry.value, value)),
    ),
  ),
  fc.constantFrom('succeeded', 'failed').map((outcome) =>
    term(
      `buildOutcome:${outcome}`,
      (build) => build.outcome,
      (known) => known === outcome,
    ),
  ),
  amount.map((s) =>
    term(
      `buildDuration>${s}s`,
      (build) => build.durationMs,
      (ms) => ms > s * 1000,
    ),
  ),
  amount.map((s) =>
    term(
      `buildDuration:${s}s`,
      (build) => build.durationMs,
      (ms) => ms === s * 1000,
    ),
  ),
  fc.tuple(amount, amount).map(([low, more]) =>
    term(
      `buildDuration:[${low}s to ${low + more}s]`,
      (build) => build.durationMs,
      (ms) => ms >= low * 1000 && ms <= (low + more) * 1000,
    ),
  ),
  amount.map((days) =>
    term(
      `buildStartTime>=-${days}d`,
      (build) => build.startTime,
      (time) => time >= at.now - days * 86_400_000,
    ),
  ),
  fc.constant(
    term(
      daemon,
      (build) => ofGradle(build, daemon),
      (value) => value === true,
    ),
  ),
  fc.constant(
    term(
      `${daemon}:false`,
      (build) => ofGradle(build, daemon),
      (value) => value === false,
    ),
  ),
  amount.map((count) =>
    term(
      `${workers}<=${count}`,
      (build) => ofGradle(build, workers),
      (value) => Number(value) <= count,
    ),
  ),
  fc.constant<Meaning>({ text: 'nosuch:x', of: () => 'unknown' }),
)

function both(a: Answer, b: Answer): Answer {
  if (a === 'no' || b === 'no') return 'no'
  return a === 'yes' && b === 'yes' ? 'yes' : 'unknown'
}

function opposite(a: Answer): Answer {
  return a === 'unknown' ? a : a === 'yes' ? 'no' : 'yes'
}

const not = (inner: Meaning, sign: string): Meaning => ({
  text: `${sign}(${inner.text})`,
  of: (build) => opposite(inner.of(build)),
})
const and = (operands: readonly Meaning[], word: string): Meaning => ({
  text: operands.map(({ text }) => `(${text})`).join(word),
  of: (build) => operands.map(({ of }) => of(build)).reduce(both, 'yes'),
})
const or = (operands: readonly Meaning[]): Meaning => ({
  text: operands.map(({ text }) => `(${text})`).join(' or '),
  of: (build) => opposite(operands.map(({ of }) => opposite(of(build))).reduce(both, 'yes')),
})

const { meaning } = fc.letrec<{ meaning: Meaning; operands: Meaning[] }>((tie) => ({
  meaning: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    meaningOfTerm,
    fc
      .tuple(tie('meaning'), fc.constantFrom('-', '!', 'not '))
      .map(([inner, sign]) => not(inner, sign)),
    fc.tuple(tie('operands'), fc.constantFrom(' ', ' and ')).map(([parts, w]) => and(parts, w)),
    tie('operands').map(or),
  ),
  operands: fc.array(tie('meaning'), { minLength: 1, maxLength: 4 }),
}))

function answers(text: string, build: Facts): Answer {
  return compile(parse(text), at)(build)
}

describe('the answer of a compiled query', () => {
  test('is what a plain evaluation, term by term, gives', () => {
    fc.assert(
      fc.property(
        meaning,
        fc.array(facts, { minLength: 1, maxLength: 5 }),
        ({ text, of }, builds) => {
          const compiled = compile(parse(text), at)
          expect(builds.map(compiled)).toEqual(builds.map(of))
        },
      ),
      { numRuns: runs(2000) },
    )
  })

  test('does not depend on the builds it was evaluated on before', () => {
    fc.assert(
      fc.property(meaning, fc.array(facts, { maxLength: 5 }), facts, ({ text }, before, build) => {
        const compiled = compile(parse(text), at)
        before.forEach(compiled)
        expect(compiled(build)).toBe(answers(text, build))
      }),
    )
  })

  test('obeys the laws of De Morgan and of the double negation', () => {
    fc.assert(
      fc.property(meaning, meaning, facts, ({ text: a }, { text: b }, build) => {
        expect(answers(`not ((${a}) and (${b}))`, build)).toBe(
          answers(`not (${a}) or not (${b})`, build),
        )
        expect(answers(`not ((${a}) or (${b}))`, build)).toBe(
          answers(`not (${a}) and not (${b})`, build),
        )
        expect(answers(`not not (${a})`, build)).toBe(answers(a, build))
      }),
    )
  })

  test('is the same for operands in any order', () => {
    fc.assert(
      fc.property(meaning, meaning, facts, ({ text: a }, { text: b }, build) => {
        expect(answers(`(${a}) (${b})`, build)).toBe(answers(`(${b}) and (${a})`, build))
        expect(answers(`(${a}) or (${b})`, build)).toBe(answers(`(${b}) or (${a})`, build))
      }),
    )
  })

  test('is the complement of its negation where an absent fact means none', () => {
    fc.assert(
      fc.property(meaning, facts, ({ text }, build) => {
        fc.pre(!text.includes('nosuch'))
        const holds = (query: string): Answer =>
          compile(parse(query), { ...at, absent: 'none' })(build)
        expect(new Set([holds(text), holds(`not (${text})`)])).toEqual(new Set(['yes', 'no']))
      }),
    )
  })

  test('never changes from yes to no, or back, as more is known of the build', () => {
    fc.assert(
      fc.property(meaning, facts, facts, ({ text }, build, more) => {
        const first = answers(text, build)
        const later = answers(text, {
          ...more,
          ...build,
          fields: { ...more.fields, ...build.fields },
        })
        if (first !== 'unknown') expect(later).toBe(first)
      }),
      { numRuns: runs(500) },
    )
  })
})

test('any text can be compiled and evaluated', () => {
  const letters = fc.constantFrom(...'tag:a()"*\\-![]<>=and or to value=x '.split(''), 'é', '😀')
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 60 }), facts, (text, build) => {
      expect(['yes', 'no', 'unknown']).toContain(answers(text, build))
    }),
    { numRuns: runs(1000) },
  )
})
