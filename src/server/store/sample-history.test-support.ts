import { gzipSync } from 'node:zlib'
import type { EvaluationSummary } from '../../protocol/evaluation.ts'
import type { NewWaiver } from '../../protocol/waiver.ts'
import type { StoredEvaluation } from './evaluations.ts'
import { type ActionOrigin, sortableId } from './actions.ts'

export const samplePackage = '/packages/npm/@acme/app/1.0.0'

/** An evaluation that began at a time, epoch ms. */
export function sampleEvaluation(
  startedAt: number,
  change: Partial<EvaluationSummary> = {},
): StoredEvaluation {
  return {
    summary: {
      id: sortableId(startedAt),
      startedAt,
      endedAt: startedAt + 20,
      by: 'ada',
      packagePath: samplePackage,
      sha256: 'ab'.repeat(32),
      repositoryUrl: 'registry.example/shop',
      scan: 'release',
      ended: 'complete',
      verdict: 'not-releasable',
      counts: {
        satisfied: 3,
        unsatisfied: change.failing?.length ?? 1,
        'not-applicable': 2,
        unknown: 0,
      },
      results: 7,
      unreadable: 1,
      failing: ['/policies/BuildTool/\0odd'],
      waived: [],
      ...change,
    },
    leftOut: 2,
    body: new Uint8Array(gzipSync('{"a":1}\n')),
  }
}

/** A waiver that somebody asks for, until a time, epoch ms. */
export function sampleWaiver(expiresAt: number, change: Partial<NewWaiver> = {}): NewWaiver {
  return {
    packagePath: samplePackage,
    sha256: 'ab'.repeat(32),
    scan: 'release',
    policyUri: '/policies/BuildTool/sbom',
    reason: 'known',
    person: 'Grace',
    expiresAt,
    ...change,
  }
}

/** Someone who acts from an address. */
export function samplePerson(name = 'ada'): ActionOrigin {
  return { actor: { kind: 'person', name, sessionId: 's1' }, from: '192.0.2.7' }
}
