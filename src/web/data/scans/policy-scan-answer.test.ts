import { expect, test } from 'vitest'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { readScanAnswer } from './policy-scan-answer.ts'

/** An evaluation as the oldest servers write it. */
function evaluation(index: number): Record<string, unknown> {
  return {
    policyUri: `/policies/BuildTool/tools-${index % 7}`,
    status: ['SATISFIED', 'UNSATISFIED', 'NOT_APPLICABLE'][index % 3],
    details: { description: 'What it asks for.', buildTool: `gradle ${index}` },
  }
}

const oldest = {
  request: { sha256: 'ab' },
  results: [
    {
      attestation: { envelope: { payload: {} } },
      storeType: 's3',
      storeUri: 'https://store/1',
      evaluations: Array.from({ length: 700 }, (_, index) => evaluation(index)),
    },
    { evaluations: [evaluation(1), 3], storeUri: 'https://store/2' },
    { storeUri: null, evaluations: [{ ...evaluation(2), attestationUri: '/packages/own' }] },
    { storeUri: 'https://store/3', evaluations: [] },
  ],
}

async function answersTo(text: string): Promise<ReturnType<typeof readPolicyAnswer>> {
  const response = new Response(text, { headers: { 'content-type': 'application/json' } })
  const results = []
  let unreadable = 0
  for await (const parts of readScanAnswer(response)) {
    for (const part of parts) {
      results.push(...part.results)
      unreadable += part.unreadable
    }
  }
  return { results, unreadable }
}

test('the one object of the oldest servers tells the same part by part as in one go', async () => {
  const told = await answersTo(JSON.stringify(oldest))
  expect(told).toEqual(readPolicyAnswer(oldest))
  expect(told.results).toHaveLength(702)
  expect(told.unreadable).toBe(1)
})

test('of its parts one that is no list of evaluations is counted, and hides no other', async () => {
  const results = [
    { evaluations: 5 },
    'nothing',
    { storeUri: 5, evaluations: [1] },
    ...oldest.results,
  ]
  const told = await answersTo(JSON.stringify({ results }))
  expect(told.results).toHaveLength(702)
  expect(told.unreadable).toBe(4)
})

test('cut off, it is never whole', async () => {
  const told = await answersTo(JSON.stringify(oldest).slice(0, -1))
  expect(told.results).toHaveLength(702)
  expect(told.unreadable).toBe(2)
})

test('a problem that comes with results is told after them', async () => {
  const fault = { type: 'about:blank', title: 'Internal Server Error', status: 500 }
  await expect(answersTo(JSON.stringify({ ...fault, ...oldest }))).rejects.toThrow(
    'Internal Server Error',
  )
})
