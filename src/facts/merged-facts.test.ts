import { expect, test } from 'vitest'
import { mergedFacts } from './merged-facts.ts'

const build = {
  buildId: 'a',
  receivedAt: 1,
  buildTool: 'gradle',
  buildToolVersion: '9',
  agentVersion: '4',
}

test('facts of several sources fill in what the ones before do not know', () => {
  expect(
    mergedFacts(
      { ...build, project: 'shop', outcome: undefined, user: null, fields: { a: 1 } },
      undefined,
      { ...build, project: 'other', outcome: 'failed', user: 'alice', fields: { a: 2, b: 3 } },
    ),
  ).toEqual({ ...build, project: 'shop', outcome: 'failed', user: 'alice', fields: { a: 1, b: 3 } })
  expect(mergedFacts(undefined)).toBeUndefined()
})

test('what no source has a value of stays known to have none', () => {
  const none = { ...build, user: null }
  expect(mergedFacts(none, build)).toMatchObject(none)
  expect(mergedFacts(build, none)).toMatchObject(none)
  expect(mergedFacts(none, { ...build, user: undefined })?.user).toBeNull()
})
