import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import { check } from '../check.ts'
import { applyEdits } from '../diagnostic.ts'
import { parse } from '../parse.ts'
import { leavesOf } from '../tree.ts'
import type { AssistContext } from './completion.ts'

const seen = new Map([
  ['project', ['checkout', 'my shop', 'Payments']],
  ['user', ['ada', 'jenkins']],
  ['tag', ['CI', 'nightly']],
  ['requested', ['clean', 'assemble']],
  ['hostname', ['agent-7']],
  ['value', ['Git branch', 'run']],
  ['value Git branch', ['main', 'pr-812']],
])

const context: AssistContext = {
  now: Date.parse('2026-11-20T23:30:00Z'),
  timeZone: 'Europe/Berlin',
  values: (field, pair) =>
    (seen.get(pair === undefined ? field : `${field} ${pair}`) ?? []).map((value) => ({
      value,
      count: 1,
    })),
}

/** The query once all words are conditions, and then what joins nothing is removed piece by piece. */
function asConditions(query: string, known = context): string {
  const words = check(parse(query), known).filter(({ code }) => code === 'syntax.free-text')
  const fixes = words.map(({ fixes: [first] }) => first?.edits ?? [])
  const written = fixes.filter((edits) => edits.some(({ insert }) => insert !== ''))
  const edits = written.length > 0 ? written.flat() : (fixes[0] ?? [])
  return edits.length === 0 ? query : asConditions(applyEdits(query, edits), known)
}

describe('words become conditions', () => {
  test.each([
    ['checkout failed', 'project:checkout buildOutcome:failed'],
    ['CHECKOUT Failing', 'project:checkout buildOutcome:failed'],
    ['failed builds on main', 'buildOutcome:failed value:"Git branch=main"'],
    ['failed builds', 'buildOutcome:failed'],
    ['checkout the builds', 'project:checkout'],
    ['the builds', 'project:"the builds"'],
    ['builds ??', 'project:builds'],
    ['checkout and payments', 'project:checkout and tag:payments'],
    ['checkout or payments', 'project:checkout or project:Payments'],
    ['ada and (payments or my shop)', 'user:ada and (project:Payments or project:"my shop")'],
    ['checkout and project:b', 'tag:checkout and project:b'],
    [
      'checkout and failed and payments',
      'project:checkout and buildOutcome:failed and tag:payments',
    ],
    ['my shop', 'project:"my shop"'],
    ['failed my shop nightly', 'buildOutcome:failed project:"my shop" tag:nightly'],
    ['ada gradle', 'user:ada buildTool:gradle'],
    ['pr-812', 'value:"Git branch=pr-812"'],
    ['feature/login', 'value:"Git branch=feature/login"'],
    ['agent-7', 'hostname:agent-7'],
    ['pay failed', 'project:pay* buildOutcome:failed'],
    [':app:test', 'requested:"*:app:test*"'],
    ['clean assemble', 'requested:clean requested:assemble'],
    ['someone@example.com', 'user:someone@example.com'],
    ['failed today', 'buildOutcome:failed buildStartTime:2026-11-21'],
    ['failed yesterday', 'buildOutcome:failed buildStartTime:2026-11-20'],
    ['checkout, failed', 'project:checkout buildOutcome:failed'],
    ['checkout payments', 'project:checkout tag:payments'],
    ['"my shop" failed', 'project:"my shop" buildOutcome:failed'],
    ['tag:a checkout', 'tag:a project:checkout'],
    ['project:a unheard', 'project:a tag:unheard'],
    ['unheard of thing failed', 'project:"unheard of thing" buildOutcome:failed'],
    ['-failed', '-buildOutcome:failed'],
    ['-checkout -payments', '-project:checkout -project:Payments'],
    ['ada and not jenkins and pay', 'user:ada and not user:jenkins and project:pay*'],
    ['failed or checkout', 'buildOutcome:failed or project:checkout'],
    ['checkout && failed', 'project:checkout and buildOutcome:failed'],
    ['checkout || payments', 'project:checkout or project:Payments'],
    ['tag:a && tag:b', 'tag:a and tag:b'],
    ['tag:a || tag:b', 'tag:a or tag:b'],
    ['tag:a && failed', 'tag:a and buildOutcome:failed'],
    ['checkout or && ||', 'project:checkout'],
    ['tag:a or (&& ||) or tag:b', 'tag:a or tag:b'],
    ['&& || or checkout', 'project:checkout'],
    ['not && && checkout', 'project:checkout'],
    ['checkout &&', 'project:checkout'],
    ['checkout && |', 'project:checkout'],
  ])('%s', (words, conditions) => {
    expect(asConditions(words)).toBe(conditions)
  })

  test.each([
    ['checkout failed', 'project:checkout buildOutcome:failed'],
    ['main', 'value:"Git branch=main"'],
    ['hello world', 'project:"hello world"'],
  ])('also where no data was seen: %s', (words, conditions) => {
    expect(asConditions(words, {})).toBe(conditions)
  })

  test.each([
    ['branch:main', 'value:"Git branch=main"'],
    ['branch:"release/1 x"', 'value:"Git branch=release/1 x"'],
    ['branch:feature/*', 'value:"Git branch=feature/*"'],
    ['-branch=main tag:a', '-value:"Git branch=main" tag:a'],
    ['branch!=main', '-value:"Git branch=main"'],
    ['run:17', 'value:run=17'],
    ['user != jenkins', '-user:jenkins'],
    ['user == jenkins', 'user:jenkins'],
    ['user = jenkins', 'user:jenkins'],
    ['user !=jenkins', '-user:jenkins'],
    ['user==jenkins', 'user:jenkins'],
    ['user!=jenkins', '-user:jenkins'],
  ])('what other languages write is one step away: %s', (written, meant) => {
    const [first, ...others] = check(parse(written), context)
    expect(others).toEqual([])
    expect(applyEdits(written, first?.fixes[0]?.edits ?? [])).toBe(meant)
    expect(check(parse(meant), context)).toEqual([])
  })

  const words = fc
    .array(
      fc.constantFrom(
        ...[
          'checkout',
          'failed',
          'on',
          'my',
          'shop',
          'main',
          '&&',
          '||',
          'hello',
          '"a b"',
          '-',
          'of',
        ],
        ...['tag:a', 'or', 'and', 'not', '(', ')', '-failed', 'x,', ':a:b', 'a*b', 'today'],
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(' '))

  test('nothing but the words changes, no error is new, and there is nothing left to do', () => {
    fc.assert(
      fc.property(words, (query) => {
        const before = check(parse(query), context)
        const after = asConditions(query)
        const errors = check(parse(after), context).filter(({ severity }) => severity === 'error')
        const others = before.filter(
          ({ severity, code }) => severity === 'error' && code !== 'syntax.free-text',
        )
        expect(errors.length).toBeLessThanOrEqual(others.length)
        expect(asConditions(after)).toBe(after)
        const terms = leavesOf(parse(query).root).filter(({ type }) => type === 'term')
        const now = leavesOf(parse(after).root).filter(({ type }) => type === 'term')
        expect(now.length).toBeGreaterThanOrEqual(terms.length)
      }),
      { numRuns: runs(1000) },
    )
  })
})
