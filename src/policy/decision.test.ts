import fc from 'fast-check'
import { expect, test } from 'vitest'
import { policyKey } from './policy-group.ts'
import type { EvaluationSummary } from '../protocol/evaluation.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { DecidedVerdict, type ReleasedPlace } from '../protocol/decision.ts'
import {
  changesSince,
  concernSentence,
  concernsOf,
  decidedVerdict,
  decisionSentence,
  evaluatedMeanwhileSentence,
  placeStates,
  type PlaceState,
  sinceSentences,
  verdictLacking,
} from './decision.ts'

const day = 86_400_000
const now = Date.UTC(2026, 0, 5)
/** Before the runs of all places ended. */
const decidedAt = now - 2000
const sha256 = 'ab'.repeat(32)
const repositoryUrl = 'r'

function place(name: string, change: Partial<PlaceState> = {}): PlaceState {
  return {
    packagePath: `/packages/maven/com.acme/${name}/2.4.0`,
    sha256,
    repositoryUrl,
    scan: 'release',
    run: {
      ...{ id: `run-${name}`, by: 'ada', sha256, repositoryUrl },
      endedAt: now - 1000,
      ended: 'complete',
    },
    verdict: 'releasable',
    missing: [],
    unchecked: [],
    ...change,
  }
}

function run(change: Partial<NonNullable<PlaceState['run']>>): Pick<PlaceState, 'run'> {
  const { run: plain } = place('checkout')
  if (plain === undefined) throw new Error('it has a run')
  return { run: { ...plain, ...change } }
}

/** As it was decided. */
function released({ run: its, ...rest }: PlaceState): ReleasedPlace {
  return { ...rest, run: its?.id ?? null, by: its?.by ?? null, endedAt: its?.endedAt ?? null }
}

function passed(place: ReleasedPlace): ReleasedPlace {
  return { ...place, verdict: 'releasable' }
}

const sbom = { uri: '/policies/BuildTool/sbom', severity: 'high' }

test('what was evaluated while somebody decides is named, whatever came of it', () => {
  const [checkout, cart] = [place('checkout'), place('cart', { run: undefined, verdict: 'open' })]
  expect(evaluatedMeanwhileSentence([checkout, cart], [cart, place('checkout')])).toBeUndefined()
  expect(evaluatedMeanwhileSentence([checkout, cart], [place('checkout', run({ id: 'b' }))])).toBe(
    'checkout 2.4.0 (release) was evaluated in the meantime.',
  )
  expect(
    evaluatedMeanwhileSentence(
      [checkout, cart],
      [place('checkout', run({ id: 'b' })), place('cart')],
    ),
  ).toBe('checkout 2.4.0 (release) and cart 2.4.0 (release) were evaluated in the meantime.')
})

test('each thing that speaks against a decision is found, and said', () => {
  const places = [
    place('good'),
    place('checkout', { verdict: 'not-releasable' }),
    place('cart', { verdict: 'undecided' }),
    place('cut', { verdict: 'undecided', ...run({ ended: 'broken' }) }),
    place('none', { run: undefined, verdict: 'open' }),
    place('seen', { isSuperseded: true }),
    place('old', run({ endedAt: now - day - 1 })),
    place('day', run({ endedAt: now - day })),
    place('other', run({ sha256: 'cd'.repeat(32) })),
    place('waived', { verdict: 'releasable-with-waivers' }),
    place('lacks', { missing: [sbom] }),
    place('high', { unchecked: [sbom] }),
  ]
  expect(concernsOf(places, now).map(concernSentence)).toEqual([
    '1 run has unsatisfied policies: checkout 2.4.0 (release).',
    '1 run is inconclusive: cart 2.4.0 (release).',
    '1 run is incomplete: cut 2.4.0 (release).',
    '1 scan has no recorded run: none 2.4.0 (release).',
    '1 run lacks evidence that the board requires: lacks 2.4.0 (release).',
    '1 run has policies of high severity that were not checked: high 2.4.0 (release).',
    "1 run isn't the newest one recorded: seen 2.4.0 (release).",
    '1 run is older than 24 hours: old 2.4.0 (release).',
    '1 run is of another artifact than the one to be released: other 2.4.0 (release).',
  ])
  expect(decidedVerdict(places)).toBe('not-releasable')
  expect(concernsOf([place('good')], now)).toEqual([])
})

test('many places are named up to three', () => {
  const places = ['a', 'b', 'c', 'd', 'e'].map((name) => place(name, { verdict: 'not-releasable' }))
  expect(concernsOf(places, now).map(concernSentence)).toEqual([
    '5 runs have unsatisfied policies: a 2.4.0 (release), b 2.4.0 (release), c 2.4.0 (release), and 2 more.',
  ])
})

test('what would change a decision is said by how it came', () => {
  const before = [
    place('checkout'),
    place('cart', { verdict: 'releasable-with-waivers' }),
    place('gone'),
  ]
  const after = [
    place('checkout', { verdict: 'not-releasable', ...run({ id: 'later' }) }),
    place('cart', { verdict: 'not-releasable' }),
    place('new'),
  ]
  expect(sinceSentences(changesSince(before.map(released), after, decidedAt))).toEqual([
    'checkout 2.4.0 (release) has turned unsatisfied since.',
    'cart 2.4.0 (release) has lost a waiver since.',
    '1 scan was added since.',
    '1 scan was removed since.',
  ])
})

test('a board that requires more since has taken no waiver', () => {
  const after = [
    place('a', { verdict: verdictLacking('releasable', true), mayLack: true }),
    place('b', { missing: [sbom], mayLack: true }),
  ]
  expect(sinceSentences(changesSince(after.map(released).map(passed), after, decidedAt))).toEqual([
    'b 2.4.0 (release) lacks evidence that the board requires.',
    'a 2.4.0 (release) may lack evidence that the board requires.',
  ])
})

test('what a run that had ended before the decision says has not turned since', () => {
  const before = ['a', 'b', 'c'].map((name) => released(place(name)))
  const turned = (name: string, verdict: PlaceState['verdict'], endedAt: number): PlaceState =>
    place(name, { verdict, ...run({ id: 'later', endedAt }) })
  const after = [
    turned('a', 'not-releasable', decidedAt),
    turned('b', 'undecided', decidedAt - 1),
    turned('c', 'not-releasable', decidedAt + 1),
  ]
  expect(sinceSentences(changesSince(before, after, decidedAt))).toEqual([
    'a 2.4.0 (release) had already turned unsatisfied.',
    'b 2.4.0 (release) had already turned inconclusive.',
    'c 2.4.0 (release) has turned unsatisfied since.',
  ])
})

test('packages that changed are counted in one sentence, which names at most three of them', () => {
  const names = ['a', 'b', 'c', 'd']
  const before = [...names, 'gone', 'left'].map((name) => released(place(name)))
  const after = names.map((name) =>
    place(name, {
      verdict: name === 'd' ? 'undecided' : 'not-releasable',
      ...run({ id: 'later' }),
    }),
  )
  const present = [...after, place('new'), place('newer')]
  expect(sinceSentences(changesSince(before, present, decidedAt))).toEqual([
    'a 2.4.0 (release), b 2.4.0 (release), and c 2.4.0 (release) have turned unsatisfied since.',
    'd 2.4.0 (release) has turned inconclusive since.',
    '2 scans were added since.',
    '2 scans were removed since.',
  ])
  expect(sinceSentences(changesSince(before, [], decidedAt))).toEqual([
    '6 scans were removed since.',
  ])
})

test('of no place nothing can be decided', () => {
  expect(decidedVerdict([])).toBe('open')
})

test('a place says what its run says, with the waivers that count', () => {
  const [one, two] = ['/policies/T/one', '/policies/T/two'] as const
  const evaluation: EvaluationSummary = {
    ...{ id: 'r', startedAt: now, endedAt: now, by: 'ada', ...place('a'), ended: 'complete' },
    verdict: 'not-releasable',
    counts: { satisfied: 1, unsatisfied: 2, 'not-applicable': 0, unknown: 0 },
    results: 3,
    unreadable: 0,
    failing: [one, two],
    waived: [],
  }
  const said = (...waived: readonly string[]): string | undefined =>
    placeStates([
      {
        place: place('a'),
        run: evaluation,
        waived: new Map(waived.map((uri) => [policyKey(uri), waiver])),
      },
    ])[0]?.verdict
  expect([said(), said(one), said(one, two)]).toEqual([
    'not-releasable',
    'not-releasable',
    'releasable-with-waivers',
  ])
  const [open] = placeStates([{ place: place('a'), run: undefined, waived: new Map() }])
  expect(open?.verdict).toBe('open')
})

test('where the board requires a policy that may be among those not listed, nothing passes', () => {
  const evaluation: EvaluationSummary = {
    ...{ id: 'r', startedAt: now, endedAt: now, by: 'ada', ...place('a'), ended: 'complete' },
    verdict: 'releasable',
    counts: { satisfied: 1, unsatisfied: 0, 'not-applicable': 2, unknown: 0 },
    ...{ results: 3, unreadable: 0, failing: [], waived: [] },
    reasons: { failing: [], notApplicable: [{ uri: '/policies/T/one', severity: 'low' }] },
  }
  const said = (...require: readonly string[]) =>
    placeStates([{ place: place('a'), run: evaluation, waived: new Map() }], require)[0]
  expect([said()?.verdict, said('high')?.verdict, said('two')]).toMatchObject([
    'releasable',
    'releasable',
    { verdict: 'undecided', mayLack: true },
  ])
})

test('a place lacks what its board requires where no scan of its package has it', () => {
  const evaluated = (scan: string, ...satisfied: string[]) => ({
    place: { ...place('a'), scan },
    run: {
      ...{ id: scan, startedAt: now, endedAt: now, by: 'ada', ...place('a'), ended: 'complete' },
      ...{ scan, results: 1, unreadable: 0, failing: [], waived: [], verdict: 'releasable' },
      counts: { satisfied: satisfied.length, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
      reasons: { failing: [], notApplicable: [], satisfied },
    } satisfies EvaluationSummary,
    waived: new Map<string, Waiver>(),
  })
  const both = [evaluated('release', '/policies/T/one'), evaluated('audit', '/policies/T/two')]
  expect(concernsOf(placeStates(both, ['one', 'T/two']), now)).toEqual([])
  const states = placeStates(both, ['One'])
  expect(concernsOf(states, now).map(({ concern, places }) => [concern, places.length])).toEqual([
    ['required', 2],
  ])
  expect(states[0]?.missing).toEqual([{ uri: 'One', severity: '', isAbsent: true }])
  expect(decidedVerdict(states)).toBe('not-releasable')
  const [first] = states
  if (first === undefined) throw new Error('there is one')
  const before = released({ ...first, missing: [] })
  expect(sinceSentences(changesSince([before], [first], now))).toEqual([
    'a 2.4.0 (release) lacks evidence that the board requires.',
  ])
})

const waiver: Waiver = {
  ...{ id: 'w', packagePath: '/p', sha256, scan: 'release', policyUri: 'p', reason: 'r' },
  ...{ person: 'p', by: 'ada', createdAt: 0, expiresAt: now, endedAt: null, endedBy: null },
}

const verdict = fc.constantFrom(...DecidedVerdict.options)
const good = ['releasable', 'releasable-with-waivers']
const history = fc.array(
  fc.record({ before: verdict, after: verdict, isLater: fc.boolean(), hasRun: fc.boolean() }),
)

test('a place would change a decision if, and only if, it could be released then and cannot now', () => {
  fc.assert(
    fc.property(history, (places) => {
      const then = places.map(({ before }, at) => released(place(String(at), { verdict: before })))
      const present = places.map(({ after, isLater, hasRun }, at) => {
        const { run: its } = place(String(at))
        const id = isLater ? 'later' : (its?.id ?? '')
        return place(String(at), { verdict: after, ...(hasRun ? run({ id }) : { run: undefined }) })
      })
      const wanted = places.filter(
        ({ before, after, hasRun }) => hasRun && good.includes(before) && !good.includes(after),
      )
      const { worse } = changesSince(then, present, decidedAt)
      expect(worse.map(({ by }) => by)).toEqual(
        wanted.map(({ isLater }) => (isLater ? 'run' : 'waiver')),
      )
      // Nothing that has become better ever adds to it, and nothing else says that it changed.
      expect(changesSince(then, then.map(unchanged), decidedAt).worse).toEqual([])
    }),
  )
})

const nothingLacks = { missing: [], unchecked: [] } as const

function unchanged({ run: id, by, endedAt, ...rest }: ReleasedPlace): PlaceState {
  return id === null
    ? { ...rest, ...nothingLacks, run: undefined }
    : {
        ...rest,
        ...nothingLacks,
        run: {
          ...{ id, by: by ?? '', sha256, repositoryUrl },
          endedAt: endedAt ?? 0,
          ended: 'complete',
        },
      }
}

test('a decision is said in one sentence', () => {
  const made = {
    id: 'd',
    at: now,
    by: 'Ann',
    subject: { is: 'board', board: 'shop' },
    reason: 'it is time',
  } as const
  expect(
    decisionSentence(
      {
        ...made,
        action: 'release',
        verdict: 'releasable',
        content: '',
        runs: 3,
        waivers: ['a', 'b'],
        concerns: ['stale', 'moons', 'unsatisfied'],
      },
      'Shop 2.4',
    ),
  ).toBe(
    'Released by Ann on 3 runs of Shop 2.4, with 2 waivers, despite unsatisfied policies and stale runs: it is time',
  )
  const plain = { content: '', runs: 1, waivers: [], concerns: [] }
  expect(
    decisionSentence({ ...made, ...plain, action: 'release', verdict: 'releasable' }, 'Shop 2.4'),
  ).toBe('Released by Ann on 1 run of Shop 2.4: it is time')
  expect(decisionSentence({ ...made, action: 'revoke', revokes: 'd' }, 'Shop 2.4')).toBe(
    'Revoked by Ann: it is time',
  )
})
