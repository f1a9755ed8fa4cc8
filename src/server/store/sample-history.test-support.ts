import { gzipSync } from 'node:zlib'
import type { EvaluationSummary } from '../../protocol/evaluation.ts'
import type { NewWaiver, Waiver } from '../../protocol/waiver.ts'
import type { StoredEvaluation } from './evaluations.ts'
import { type ActionOrigin, sortableId } from './actions.ts'
import type { Database } from './database.ts'
import { addWaivers, endWaivers, findWaivers, type WaiverAct } from './waivers.ts'

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

/** Keeps a new waiver and notes who gave it, both or nothing. */
export async function addWaiver(
  database: Database,
  asked: NewWaiver,
  act: WaiverAct,
): Promise<Waiver> {
  const one = { waiver: asked, needsApproval: false, detail: act.detail }
  const [waiver] = (await addWaivers(database, [one], act)) ?? []
  if (waiver === undefined) throw new Error('the waiver that it renews is renewed already')
  return waiver
}

/**
 * Ends a waiver that is not over and notes who did. Undefined where it is over: of several who end one
 * at once, one does.
 */
export async function endWaiver(
  database: Database,
  id: string,
  act: WaiverAct,
): Promise<Waiver | undefined> {
  const [waiver] = (await endWaivers(database, [{ id, detail: () => act.detail }], act)) ?? []
  return waiver
}

/** One waiver by its id; undefined where there is none. */
export async function findWaiver(database: Database, id: string): Promise<Waiver | undefined> {
  const [waiver] = await findWaivers(database, [id])
  return waiver
}
