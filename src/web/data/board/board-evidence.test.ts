import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSigner, paeOf } from '../../../attestation/signing.test-support.ts'
import type { EvaluationRecord } from '../../../protocol/evaluation.ts'
import {
  evidenceUri,
  evidenceWorld,
  statementText,
  storedEnvelope,
} from '../scans/stored-evidence.test-support.ts'
import { createBoardEvidence, worstEvidence } from './board-evidence.ts'
import { type JudgedEvidence, standingOf } from '../scans/evidence-checks.ts'

const provenance = 'https://slsa.dev/provenance/v1'
const buildTool = 'https://gradle.com/attestation/build-tool/v1'

const signer = await createSigner('P-256', 'acme-release')
const stranger = await createSigner('P-256', 'nobody')

/** A board whose package `n` has the attestations of the `n`th list in its one recorded run. */
async function matrix(...packages: readonly (readonly string[])[]) {
  const sign = async (by: typeof signer, type: string) => [
    { sig: Buffer.from(await by.sign(paeOf(statementText(type, {})))).toString('base64') },
  ]
  const { checks, clock } = await evidenceWorld(
    {
      good: storedEnvelope(provenance, {}, await sign(signer, provenance)),
      strange: storedEnvelope(provenance, {}, await sign(stranger, provenance)),
      bare: storedEnvelope(buildTool, {}),
    },
    { keys: [signer.key] },
  )
  const read: string[] = []
  const evidence = createBoardEvidence({
    checks,
    clock,
    record: (id) => {
      read.push(id)
      const ids = packages[Number(id)]
      return ids === undefined ? Promise.reject(new Error('Run not found.')) : record(id, ids)
    },
  })
  const sha256 = 'ab'.repeat(32)
  const questions = [...packages, undefined].map((_ids, row) => ({
    row,
    sha256,
    runs: [String(row)],
  }))
  return { evidence, questions, read }
}

function record(id: string, ids: readonly string[]): Promise<EvaluationRecord> {
  return Promise.resolve({
    id,
    startedAt: 0,
    endedAt: 0,
    by: 'ada',
    packagePath: '/packages/oci/a/1',
    sha256: 'ab'.repeat(32),
    repositoryUrl: 'r',
    scan: 'release',
    ended: 'complete',
    verdict: 'releasable',
    counts: { satisfied: 1, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
    results: ids.length,
    unreadable: 0,
    failing: [],
    waived: [],
    leftOut: 0,
    answer: ids.map((one) => ({
      policyUri: '/policies/A/b',
      status: 'satisfied',
      attestationUri: one.includes(':') ? one : evidenceUri(one),
    })),
  })
}

test('a package has what its attestations come to, by kind; what fails is a fault of that package', async () => {
  const { evidence, questions, read } = await matrix(
    ['good', 'bare'],
    ['strange', 'secret'],
    ['s3://store/1'],
  )
  const stop = evidence.subscribe(() => undefined)
  evidence.read(questions)
  expect(evidence.getSnapshot()).toMatchObject({ isRunning: true, done: 0, of: 4 })
  await expect.poll(() => evidence.getSnapshot().isRunning).toBe(false)
  const { packages } = evidence.getSnapshot()
  expect(
    [...packages].map(([row, { types, faults }]) => [
      row,
      ...[...types].map(([type, found]) => `${type} ${found.map(standingOf).join()}`).sort(),
      ...faults.map((fault) => fault.split(':')[0]),
    ]),
  ).toEqual([
    [0, `${buildTool} unsigned`, `${provenance} valid`],
    [1, `${provenance} unknown-signer`, "Can't load an attestation"],
    [2, 'Not the address of an attestation'],
    [3, "Can't load a recorded run"],
  ])
  // What was read is not read again, other than what couldn't be loaded, and what other runs name.
  evidence.read(questions)
  expect(evidence.getSnapshot()).toMatchObject({ isRunning: true, of: 2 })
  await expect.poll(() => evidence.getSnapshot().isRunning).toBe(false)
  expect(read).toEqual(['0', '1', '2', '3', '1', '3'])
  evidence.read(questions.slice(0, 1).map((question) => ({ ...question, runs: ['2'] })))
  await expect.poll(() => evidence.getSnapshot().isRunning).toBe(false)
  expect(evidence.getSnapshot().packages.get(0)?.types.size).toBe(0)
  stop()
})

test('what is canceled is read when it is wanted again', async () => {
  const { evidence, questions } = await matrix(['good'], ['good'])
  const stop = evidence.subscribe(() => undefined)
  evidence.read(questions)
  evidence.cancel()
  expect(evidence.getSnapshot().isRunning).toBe(false)
  await Promise.resolve()
  evidence.read(questions)
  await expect.poll(() => evidence.getSnapshot().isRunning).toBe(false)
  expect(evidence.getSnapshot().packages.get(1)?.is).toBe('done')
  stop()
})

test('what a canceled reading finishes late is no part of the next one', async () => {
  const { checks, clock } = await evidenceWorld({})
  const readings: (() => void)[] = []
  const evidence = createBoardEvidence({
    checks,
    clock,
    record: (id) =>
      new Promise((resolve) => {
        readings.push(() => {
          resolve(record(id, []))
        })
      }),
  })
  const stop = evidence.subscribe(() => undefined)
  const questions = [0, 1].map((row) => ({ row, sha256: 'ab'.repeat(32), runs: [String(row)] }))
  evidence.read(questions)
  await expect.poll(() => readings.length).toBe(2)
  evidence.cancel()
  evidence.read(questions)
  await expect.poll(() => readings.length).toBe(4)
  for (const end of readings.splice(0, 2)) end()
  await setImmediate()
  clock.advance(1000)
  expect(evidence.getSnapshot()).toMatchObject({ isRunning: true, done: 0, of: 2 })
  expect([...evidence.getSnapshot().packages.values()].map((one) => one.is)).toEqual([
    ...['reading', 'reading'],
  ])
  for (const end of readings) end()
  await expect.poll(() => evidence.getSnapshot().isRunning).toBe(false)
  expect(evidence.getSnapshot()).toMatchObject({ done: 2, of: 2 })
  stop()
})

test('the worst of several attestations is shown, with how many are like it', () => {
  const valid = { is: 'valid', by: ['a'], verified: 1, all: 1 } as const
  const good = { signature: valid, subject: 'package' } as const
  const bare = { signature: { is: 'unsigned' }, subject: 'package' } as const
  const foreign = { signature: valid, subject: 'another' } as const
  const half = { signature: { ...valid, all: 2 }, subject: 'package' } as const
  const worst = (all: readonly JudgedEvidence[]) => {
    const { standing, count } = worstEvidence(all) ?? {}
    return [standing, count]
  }
  expect(worst([good, bare, bare])).toEqual(['unsigned', 2])
  expect(worst([bare, foreign])).toEqual(['another-artifact', 1])
  expect(worst([good, half])).toEqual(['partly-valid', 1])
  expect(worst([good, good])).toEqual(['valid', 2])
  expect(worst([])).toEqual([undefined, undefined])
})
