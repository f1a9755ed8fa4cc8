import { describe, expect, test } from 'vitest'
import type { Facts } from '../../protocol/facts.ts'
import { failureStreak } from '../failure-streak.ts'
import { elsewhereTexts, failureOrigin, originSentence } from './failure-origin.ts'

let received = 0

function build(buildId: string, branch: string, outcome: Facts['outcome'] = 'failed'): Facts {
  received += 1
  return {
    buildId,
    receivedAt: received,
    buildTool: 'gradle',
    buildToolVersion: '9.2',
    agentVersion: '4.1',
    project: 'shop',
    outcome,
    values: [{ name: 'Git branch', value: branch }],
  }
}

const green = build('green', 'main', 'succeeded')
const [one, two] = [build('one', 'main'), build('two', 'main')]
const [dev, dev2, fix] = [build('dev', 'dev'), build('dev2', 'dev'), build('fix', 'fix')]
const mine = build('mine', 'main')

/** What is said of `mine`, with these failures of builds and those that came before it on its branch. */
function origin(
  keys: Record<string, string | null | string[]>,
  earlier: readonly Facts[] = [green],
  others: readonly Facts[] = [dev, dev2, fix, mine],
  /** Null where they couldn't be listed. */
  days: number | null = 14,
  build = mine,
) {
  const streak = failureStreak(build, earlier)
  const around = { streak, days: days ?? undefined }
  const found = failureOrigin({
    ...around,
    build,
    others,
    keys: new Map(Object.entries(keys).map(([id, key]) => [id, key === null ? [] : [key].flat()])),
  })
  return { ...found, sentence: originSentence(around, found), texts: elsewhereTexts(found) }
}

test('why a build failed that could not be read is not called unsaid', () => {
  expect(origin({ one: 'a' }, [one, green]).sentence).toBe(
    "Unclear: its events couldn't be loaded, so it can't be compared with other builds.",
  )
})

test.each([
  [14, '14 days', 'the last 14 days'],
  [1.9, '1 day', 'the last day'],
  [5 / 24, '5 hours', 'the last 5 hours'],
  [0, '1 minute', 'the last minute'],
])('what was looked at for %d days is said so', (days, time, last) => {
  const found = origin({ mine: 'a', dev: 'b', dev2: 'c', fix: 'd' }, undefined, undefined, days)
  expect(found.sentence).toContain(`not seen on other branches in ${time}.`)
  expect(found.texts[0]).toBe(`In none of 3 failed builds on other branches in ${last}`)
})

test('where failed builds of other branches could not be listed, nothing is said of them', () => {
  const found = origin({ mine: 'a' }, undefined, [], null)
  const missing = "Failed builds on other branches couldn't be loaded"
  expect(found.sentence).toBe(`Probably yes: new on main. ${missing}.`)
  expect(found.texts).toEqual([missing, ''])
  expect(origin({ mine: 'a', one: 'a' }, [one, green], [], null).verdict).toBe('before')
})

describe('a failure', () => {
  test('that its branch failed of before is probably not mine', () => {
    expect(origin({ mine: 'a', one: 'a', two: 'a' }, [two, one, green])).toMatchObject({
      verdict: 'before',
      sameBefore: [two, one],
      sentence: 'Probably not: the last 2 builds on main failed this way, too.',
    })
  })

  test('may have been there for longer where it is not known why a build before failed', () => {
    expect(origin({ mine: 'a', two: 'a' }, [two, one, green])).toMatchObject({
      sameBefore: [two],
      isSameOpen: true,
      sentence: 'Probably not: at least the build before it on main failed this way, too.',
    })
  })

  test('that stays on a branch of its own came with that branch, though its builds failed of it before', () => {
    const [first, last] = [build('first', 'feature/x'), build('last', 'feature/x')]
    const of = (keys: Record<string, string>, days: number | null = 14) =>
      origin(
        { last: 'a', first: 'a', ...keys },
        [first],
        days === null ? [] : [one, dev],
        days,
        last,
      )
    expect(of({ one: 'b', dev: 'c' })).toMatchObject({
      verdict: 'branch',
      sameBefore: [first],
      sentence:
        'Probably from this branch: at least the build before it on feature/x failed this way, too, but none on other branches in 14 days.',
    })
    expect(of({ one: 'a', dev: 'c' }).sentence).toBe('Probably not only yours: seen once on main.')
    expect(of({}, null).sentence).toBe(
      'Probably not: at least the build before it on feature/x failed this way, too.',
    )
  })

  test('counts as before only without a gap', () => {
    expect(origin({ mine: 'a', one: 'a', two: 'b' }, [two, one, green])).toMatchObject({
      verdict: 'new',
      sentence: 'Probably yes: main was failing already, but not this way.',
    })
  })

  test('that other branches have is probably not only mine, with the branch that has most first', () => {
    expect(origin({ mine: 'a', fix: 'a', dev: 'a', dev2: 'a' })).toMatchObject({
      verdict: 'elsewhere',
      branches: ['dev', 'fix'],
      elsewhere: [fix, dev2, dev],
      sentence: 'Probably not only yours: new on main, but seen 3 times on dev and 1 other branch.',
    })
  })

  test('that nobody had before is probably mine', () => {
    expect(origin({ mine: 'a', dev: 'b', dev2: 'c', fix: null })).toMatchObject({
      verdict: 'new',
      sentence: 'Probably yes: new on main, and not seen on other branches in 14 days.',
      texts: ['In none of 3 failed builds on other branches in the last 14 days', ''],
    })
  })

  test('is not said to be new where the build before it could not be read', () => {
    expect(origin({ mine: 'a' }, [one, green], [dev])).toMatchObject({
      ...{ verdict: 'unknown', key: 'a', isSameOpen: true },
      sentence:
        "Unclear: it can't be compared with other builds. 2 failed builds couldn't be read.",
      texts: ["1 failed build on other branches in the last 14 days couldn't be read", ''],
    })
    expect(origin({ mine: 'a', dev: 'a', fix: 'b' }, [one, green])).toMatchObject({
      verdict: 'elsewhere',
      sentence:
        "Probably not only yours: seen once on dev. 1 failed build on main couldn't be read.",
      texts: [
        '1 of 2 failed builds on other branches in the last 14 days',
        "1 more couldn't be read. ",
      ],
    })
  })

  test('after a success is new, whatever of other branches could be read', () => {
    expect(origin({ mine: 'a', dev: 'b' }).sentence).toBe(
      "Probably yes: new on main, and not seen on other branches in 14 days. 2 failed builds on other branches couldn't be read.",
    )
    expect(origin({ mine: 'a' }).sentence).toBe(
      "Probably yes: new on main. 3 failed builds on other branches couldn't be read.",
    )
  })

  test('is unclear where no other build is known, and new on a branch where others failed otherwise', () => {
    expect(origin({ mine: 'a' }, [], [])).toMatchObject({
      verdict: 'unknown',
      sentence: 'Unclear: no other build is known that it can be compared with.',
      texts: ['No failed builds on other branches in the last 14 days are known', ''],
    })
    expect(origin({ mine: 'a', dev: 'b' }, [], [dev]).verdict).toBe('new')
    expect(origin({ mine: 'a' }, [], [dev]).verdict).toBe('unknown')
  })

  test('among several is found in builds of which it is not the first', () => {
    expect(origin({ mine: 'b', one: ['a', 'b'] }, [one, green]).verdict).toBe('before')
    expect(origin({ mine: 'b', dev: ['a', 'b'] }).verdict).toBe('elsewhere')
  })

  test('among several that are old is the one that is new', () => {
    const several = { mine: ['a', 'b', 'c'], one: ['a'], dev: ['b'] }
    expect(origin(several, [one, green])).toMatchObject({
      ...{ verdict: 'new', key: 'c' },
      sentence: 'Probably yes (1 of 3 failures): main was failing already, but not this way.',
    })
    expect(origin({ ...several, mine: ['b', 'a'] }, [one, green]).sentence).toBe(
      'Probably not only yours (1 of 2 failures): new on main, but seen once on dev.',
    )
  })

  test('whose cause no build names is not compared', () => {
    expect(origin({ mine: null, one: null }, [one, green])).toMatchObject({
      verdict: 'unknown',
      sentence:
        "Unclear: main was failing already, but the builds don't say why, so they can't be compared.",
    })
    expect(origin({ mine: null }).sentence).toBe(
      'Unclear: too little is known of its cause to compare it with other builds.',
    )
  })
})
