import { expect, test } from 'vitest'
import {
  addEvaluation,
  type EvaluationFilter,
  findEvaluation,
  listEvaluations,
} from './evaluations.ts'
import { onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import { sampleEvaluation, samplePackage } from './sample-history.test-support.ts'

onEachDatabase((open) => {
  const database = openForEachTest(open)

  async function started(filter: EvaluationFilter, limit = 100): Promise<number[]> {
    return (await listEvaluations(database, filter, limit)).map(({ startedAt }) => startedAt)
  }

  test('an evaluation comes back as it was given, and is found by its id', async () => {
    const stored = sampleEvaluation(1_780_000_000_000)
    await addEvaluation(database, stored)
    expect(await findEvaluation(database, stored.summary.id)).toEqual(stored)
    expect(await listEvaluations(database, {}, 5)).toEqual([stored.summary])
    for (const id of ['', 'nothing', '\0', `${stored.summary.id} `]) {
      expect(await findEvaluation(database, id)).toBeUndefined()
    }
  })

  test('what no database takes as a text is replaced, and nothing fails', async () => {
    const odd = sampleEvaluation(1, { by: 'a\0b', repositoryUrl: '\ud800', sha256: "'; --" })
    await addEvaluation(database, odd)
    expect((await listEvaluations(database, { by: 'a\0b' }, 5))[0]).toMatchObject({
      by: 'a\ufffdb',
      repositoryUrl: '\ufffd',
      sha256: "'; --",
      failing: ['/policies/BuildTool/\0odd'],
    })
  })

  test('stored twice, it is there once', async () => {
    const stored = sampleEvaluation(1)
    await Promise.all([addEvaluation(database, stored), addEvaluation(database, stored)])
    expect(await started({})).toEqual([1])
  })

  test('lists the newest first, filtered as requested', async () => {
    const packagePath = '/packages/npm/@acme/app/2.0.0'
    for (const stored of [
      sampleEvaluation(3),
      sampleEvaluation(1, { scan: 'audit' }),
      sampleEvaluation(4, { packagePath }),
      sampleEvaluation(2, { by: 'bob', sha256: 'cd', repositoryUrl: 'two', ended: 'broken' }),
      sampleEvaluation(5, { packagePath: '/packages/npm/@acme/app-extra/1.0.0' }),
    ]) {
      await addEvaluation(database, stored)
    }
    expect(await started({})).toEqual([5, 4, 3, 2, 1])
    expect(await started({}, 2)).toEqual([5, 4])
    expect(await started({ path: samplePackage })).toEqual([3, 2, 1])
    expect(await started({ path: '/packages/npm/@acme/app/*' })).toEqual([4, 3, 2, 1])
    expect(await started({ path: '/packages/npm/@acme/app/*', scan: 'release' })).toEqual([4, 3, 2])
    expect(await started({ path: samplePackage, scan: 'audit' })).toEqual([1])
    expect(await started({ sha256: 'cd' })).toEqual([2])
    expect(await started({ repositoryUrl: 'two' })).toEqual([2])
    expect(await started({ repositoryUrl: 'one' })).toEqual([])
    expect(await started({ path: samplePackage, ended: 'complete' })).toEqual([3, 1])
    expect(await started({ by: 'bob', scan: 'audit' })).toEqual([])
    expect(await started({ by: 'BO' })).toEqual(await started({ by: 'bob' }))
    expect(await started({ by: 'b_b' })).toEqual([])
    expect(await started({ by: '%' })).toEqual([])
    for (const path of ['/*', '*', '/packages/npm/%', '/packages/*']) {
      expect(await started({ path })).toEqual([])
    }
  })

  test('a name is found in capital letters or not, whatever its letters', async () => {
    for (const [at, by] of ['ÉMILE Öz', 'Émile Öz', 'Σίσυφος', 'ann'].entries())
      await addEvaluation(database, sampleEvaluation(at, { by }))
    expect(await started({ by: 'émile ö' })).toEqual([1, 0])
    expect(await started({ by: 'ÉMILE' })).toEqual([1, 0])
    expect(await started({ by: 'ΣΊΣΥΦΟΣ' })).toEqual([2])
    expect(await started({ by: 'emile' })).toEqual([])
  })

  test('pages go on behind the last one, also where many began within one millisecond', async () => {
    for (let n = 0; n < 10; n += 1)
      await addEvaluation(database, sampleEvaluation(7, { results: n }))
    const seen: string[] = []
    for (;;) {
      const page = await listEvaluations(database, { before: seen.at(-1) }, 3)
      if (page.length === 0) break
      seen.push(...page.map(({ id }) => id))
      // What is new since does not move the pages.
      await addEvaluation(database, sampleEvaluation(8))
    }
    expect(new Set(seen).size).toBe(10)
    expect(seen).toEqual([...seen].sort().reverse())
  })
})
