import type { Clock } from '../../../protocol/clock.ts'
import type { EvaluationRecord } from '../../../protocol/evaluation.ts'
import { createLimit } from '../../../protocol/limit.ts'
import { readAttestationUri } from '../../../protocol/package-address.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { asProblem } from '../core/attempts.ts'
import { createStore, type Readable } from '../core/store.ts'
import {
  type EvidenceChecks,
  type EvidenceStanding,
  type JudgedEvidence,
  standingOf,
  worstFirst,
} from '../scans/evidence-checks.ts'

/** A package whose evidence is read: the recorded runs that name it. */
export interface EvidenceQuestion {
  /** The place of its package in the board. */
  readonly row: number
  /** Of the package, lower-case hex. */
  readonly sha256: string
  readonly runs: readonly string[]
}

export interface PackageEvidence {
  readonly is: 'reading' | 'done'
  /** The recorded runs that it is read from. */
  readonly runs: readonly string[]
  /** Whether something couldn't be loaded, which may succeed when it is read again. */
  readonly isPartial: boolean
  /** By predicate type, what its attestations come to. */
  readonly types: ReadonlyMap<string, readonly JudgedEvidence[]>
  /** What could not be read, a sentence each: nothing is known to be missing there. */
  readonly faults: readonly string[]
}

export interface EvidenceSnapshot {
  readonly packages: ReadonlyMap<number, PackageEvidence>
  readonly isRunning: boolean
  /** Packages of the present reading, and how many of them are read. */
  readonly done: number
  readonly of: number
}

/** Whether all evidence of a package is read, as the last of its runs name it. */
export function isRead(evidence: PackageEvidence | undefined, { runs }: EvidenceQuestion): boolean {
  return evidence?.is === 'done' && !evidence.isPartial && evidence.runs.join() === runs.join()
}

/** Reads the evidence of packages, a few requests at a time. */
export interface BoardEvidence extends Readable<EvidenceSnapshot> {
  readonly read: (questions: readonly EvidenceQuestion[]) => void
  /** What is read stays. */
  readonly cancel: () => void
}

const packagesAtOnce = 2
/** A package has a dozen; of more, the first are read, and it is said. */
const mostOfPackage = 40

/** Nothing is read yet. `record` fetches a recorded evaluation; it throws what the fetch throws. */
export function createBoardEvidence({
  checks,
  record,
  clock,
}: {
  readonly checks: EvidenceChecks
  readonly record: (id: string, signal: AbortSignal) => Promise<EvaluationRecord>
  readonly clock: Clock
}): BoardEvidence {
  const packages = new Map<number, PackageEvidence>()
  let running: AbortController | undefined
  let done = 0
  let of = 0
  const store = createStore<EvidenceSnapshot>(look(), {
    clock,
    open: () => stop,
  })

  /** What is half read is read anew when it is wanted again. */
  function stop(): void {
    running?.abort()
    running = undefined
    for (const [row, { is }] of packages) if (is === 'reading') packages.delete(row)
  }

  function look(): EvidenceSnapshot {
    return { packages: new Map(packages), isRunning: running !== undefined, done, of }
  }

  function change(row: number, evidence: PackageEvidence): void {
    packages.set(row, evidence)
    store.setSoon(100, look)
  }

  async function readPackage(
    { row, sha256, runs }: EvidenceQuestion,
    signal: AbortSignal,
  ): Promise<void> {
    const faults: string[] = []
    const types = new Map<string, readonly JudgedEvidence[]>()
    let isPartial = false
    change(row, { is: 'reading', runs, isPartial, types, faults })
    const uris = new Set<string>()
    for (const id of runs) {
      try {
        const { answer } = await record(id, signal)
        for (const { attestationUri } of answer.flatMap((one) => readPolicyAnswer(one).results)) {
          if (attestationUri !== null) uris.add(attestationUri)
        }
      } catch (error) {
        signal.throwIfAborted()
        isPartial = true
        faults.push(`Can't load a recorded run: ${asProblem(error).sentence}`)
      }
    }
    if (uris.size > mostOfPackage) {
      faults.push(`Only ${mostOfPackage} of ${uris.size} attestations were read.`)
    }
    await Promise.all(
      [...uris].slice(0, mostOfPackage).map(async (uri) => {
        const address = readAttestationUri(uri)
        if (address === undefined) {
          faults.push(`Not the address of an attestation: ${uri.slice(0, 200)}`)
          return
        }
        try {
          const { predicateType = '', asOf } = await checks.read(address, signal)
          types.set(predicateType, [...(types.get(predicateType) ?? []), asOf(sha256)])
        } catch (error) {
          signal.throwIfAborted()
          isPartial = true
          faults.push(`Can't load an attestation: ${asProblem(error).sentence}`)
        }
      }),
    )
    signal.throwIfAborted()
    done += 1
    change(row, { is: 'done', runs, isPartial, types, faults })
  }

  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    read: (questions) => {
      const wanted = questions.filter((question) => !isRead(packages.get(question.row), question))
      if (running !== undefined || wanted.length === 0) return
      const controller = new AbortController()
      const { signal } = controller
      running = controller
      done = 0
      of = wanted.length
      const few = createLimit(packagesAtOnce)
      const all = wanted.map((question) => few.run(() => readPackage(question, signal), signal))
      void Promise.allSettled(all).then(() => {
        if (running !== controller) return
        running = undefined
        store.set(look())
      })
      store.set(look())
    },
    cancel: () => {
      stop()
      store.set(look())
    },
  }
}

/** What the attestations of one kind come to: the worst of them, and how many come out like it. */
export function worstEvidence(all: readonly JudgedEvidence[]):
  | {
      readonly standing: EvidenceStanding
      readonly evidence: JudgedEvidence
      readonly count: number
    }
  | undefined {
  for (const standing of worstFirst) {
    const found = all.filter((one) => standingOf(one) === standing)
    const [evidence] = found
    if (evidence !== undefined) return { standing, evidence, count: found.length }
  }
  return undefined
}
