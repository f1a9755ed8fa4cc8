import { expect, test } from 'vitest'
import { attestationDifferences } from './attestation-differences.ts'
import { evidenceUri, evidenceWorld, storedEnvelope } from './stored-evidence.test-support.ts'

/** Attestations fetched from a server over a socket. */

const buildTool = 'https://gradle.com/attestation/build-tool/v1'
const dependencies = 'https://gradle.com/attestation/resolved-dependencies/v1'

const stored = {
  tool1: storedEnvelope(buildTool, { toolType: 'gradle', toolVersion: '9.1.0' }),
  tool2: storedEnvelope(buildTool, { toolType: 'gradle', toolVersion: '9.2.0' }),
  maven1: storedEnvelope(buildTool, { toolType: 'maven', toolVersion: '3.9.0' }),
  maven2: storedEnvelope(buildTool, { toolType: 'maven', toolVersion: '3.9.9' }),
  npm1: storedEnvelope(buildTool, { toolType: 'npm', toolVersion: '11' }),
  deps1: storedEnvelope(dependencies, {
    purls: ['pkg:maven/a/log4j@2.14.1', 'pkg:maven/a/old@1'],
  }),
  deps2: storedEnvelope(dependencies, {
    purls: ['pkg:maven/a/log4j@2.17.0', 'pkg:maven/a/new@1'],
  }),
}

async function compare(before: readonly string[], after: readonly string[]) {
  const progress: string[] = []
  const differences = await attestationDifferences(
    await evidenceWorld(stored),
    { before: before.map(evidenceUri), after: after.map(evidenceUri) },
    {
      signal: new AbortController().signal,
      onProgress: (done, of) => {
        progress.push(`${done}/${of}`)
      },
    },
  )
  return { ...differences, progress }
}

test('two versions differ by kind: what was upgraded, added and removed, and the build tool', async () => {
  const { types, faults, progress } = await compare(['tool1', 'deps1'], ['deps2', 'tool2'])
  expect(
    types.map(({ predicateType, changes }) => [
      predicateType,
      ...changes.map(({ kind, what, before, after }) => `${kind} ${what} ${before} ${after}`),
    ]),
  ).toEqual([
    [
      dependencies,
      'upgraded pkg:maven/a/log4j 2.14.1 2.17.0',
      'removed pkg:maven/a/old 1 ',
      'added pkg:maven/a/new  1',
    ],
    [buildTool, 'changed tool version 9.1.0 9.2.0'],
  ])
  expect(faults).toEqual([])
  expect([progress[0], progress.at(-1)]).toEqual(['0/4', '4/4'])
})

test('what one side may not read is its fault, and the rest is compared', async () => {
  const { types, faults } = await compare(['tool1', 'secret'], ['tool1'])
  expect(faults.map(({ side }) => side)).toEqual(['before'])
  expect(faults[0]?.reason).toContain('Not for you')
  expect(types).toMatchObject([{ predicateType: buildTool, changes: [] }])
})

test('a kind that only one side has is counted', async () => {
  const { types } = await compare(['tool1'], ['tool1', 'deps1'])
  expect(types.map(({ predicateType, counts }) => [predicateType, counts])).toEqual([
    [dependencies, { before: 0, after: 1 }],
    [buildTool, { before: 1, after: 1 }],
  ])
})

test('of several of one kind those are compared that belong together, in whatever order they come', async () => {
  const { types } = await compare(['npm1', 'tool1', 'maven1'], ['maven2', 'tool2'])
  expect(
    types.map(({ counts, changes }) => [
      counts,
      ...changes.map(({ what, before, after }) => `${what} ${before} ${after}`),
    ]),
  ).toEqual([[{ before: 3, after: 2 }, 'tool version 9.1.0 9.2.0', 'tool version 3.9.0 3.9.9']])
})

test('the same artifact decides which belong together, whatever else they say', async () => {
  const of = (sha256: string, toolVersion: string) => ({
    ...storedEnvelope(buildTool, {}),
    payload: Buffer.from(
      JSON.stringify({
        _type: 'https://in-toto.io/Statement/v1',
        subject: [{ name: 'app', digest: { sha256: sha256.repeat(32) } }],
        predicateType: buildTool,
        predicate: { toolType: 'gradle', toolVersion },
      }),
    ).toString('base64'),
  })
  const { types } = await attestationDifferences(
    await evidenceWorld({
      a1: of('aa', '1'),
      b1: of('bb', '2'),
      b2: of('bb', '1'),
      a2: of('aa', '3'),
    }),
    { before: ['a1', 'b1'].map(evidenceUri), after: ['b2', 'a2'].map(evidenceUri) },
    { signal: new AbortController().signal, onProgress: () => undefined },
  )
  expect(types[0]?.changes.map(({ before, after }) => `${before} ${after}`)).toEqual(['1 3', '2 1'])
})
