import {
  createGrowingGroup,
  type GrowingGroup,
  type PolicyGroup,
  policyKey,
} from '../../../policy/policy-group.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { evaluationHeader } from '../../../protocol/evaluation.ts'
import { createKeeper } from '../../../protocol/keyed.ts'
import { type PackageAddress, policyScanPath } from '../../../protocol/package-address.ts'
import type { NestedValues } from '../../../protocol/json-splitter.ts'
import {
  leftOut,
  type PolicyAnswer,
  type PolicyResult,
  readPolicyAnswer,
} from '../../../protocol/policy-result.ts'
import { ProblemDetail, ProblemError } from '../../../protocol/problem.ts'
import { asProblem, attempts, isBusy } from '../core/attempts.ts'
import { readJsonParts } from '../core/json-parts.ts'
import type { StreamedRequest } from '../core/request.ts'
import { createStore, type Readable } from '../core/store.ts'

/** Which scan is evaluated on which package (docs/services.md#evaluate). */
export interface PolicyScanQuestion {
  readonly address: PackageAddress
  readonly scan: string
  /** Lower-case hex. */
  readonly sha256: string
  readonly repositoryUrl: string
}

/** How far an evaluation has come; times are epoch ms by the server's clock. */
export type PolicyScanState =
  /** Not evaluated here yet. */
  | { readonly is: 'idle' }
  | { readonly is: 'asking' }
  /** The service is busy; tried again at `until`. */
  | { readonly is: 'waiting'; readonly until: number; readonly reason: string }
  | { readonly is: 'reading' }
  | { readonly is: 'done' }
  /** Stopped by the reader. */
  | { readonly is: 'cancelled' }
  /** The answer broke off after it had begun. */
  | { readonly is: 'broken'; readonly problem: ProblemError }
  /** There is no answer. */
  | { readonly is: 'refused'; readonly problem: ProblemError }

/** An evaluation at one moment; replaced as a whole when anything changes. */
export interface PolicyScanView {
  readonly state: PolicyScanState
  /** The results that have arrived, by policy. */
  readonly groups: readonly PolicyGroup[]
  readonly results: number
  /** Parts of the answer that are no results; never taken for a pass. */
  readonly unreadable: number
  /** Epoch ms; undefined before the first question. */
  readonly startedAt: number | undefined
  /** Epoch ms; undefined while it goes on. */
  readonly endedAt: number | undefined
  /** The record of it that the proxy announced; undefined where none did. */
  readonly record: string | undefined
  /** What its record does not hold: a sentence. */
  readonly notStored?: string | undefined
}

/** One evaluation. To listen starts nothing; when the last listener leaves it half way, it ends and is forgotten. */
export interface PolicyScan extends Readable<PolicyScanView> {
  /** Evaluates anew, whatever there was. */
  readonly run: () => void
  /** Ends it; what has arrived stays. */
  readonly cancel: () => void
}

const scanAtRest: PolicyScanView = {
  state: { is: 'idle' },
  groups: [],
  results: 0,
  unreadable: 0,
  startedAt: undefined,
  endedAt: undefined,
  record: undefined,
}

/** Whether an evaluation is going on. */
export function isRunning({ is }: PolicyScanState): boolean {
  return is === 'asking' || is === 'waiting' || is === 'reading'
}

/** Attempts in a row at a service that is busy. */
const mostAttempts = 8
/** Results are shown together while they come fast, ms; of many, more seldom, as all are grouped. */
const pauseMs = { shortest: 100, longest: 1000 }
/** One page follows another within so long, ms. */
const leftMs = 500
/** After so much work in one go, ms, the browser gets to draw. */
const timeSliceMs = 8

interface PolicyScanOptions {
  readonly send: SendScan
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
}

/** An evaluation that hasn't begun. A busy service is tried again (`attempts`); what has arrived is always kept. */
export function createPolicyScan(
  question: PolicyScanQuestion,
  { send, clock, random }: PolicyScanOptions,
): PolicyScan {
  const store = createStore(scanAtRest, { clock, open, graceMs: leftMs })
  let arrived = createResultGroups()
  let unreadable = 0
  let running: AbortController | undefined

  function changed(change: Partial<PolicyScanView> = {}): PolicyScanView {
    const view = store.getSnapshot()
    const results = arrived.count()
    const groups = view.results === results ? view.groups : arrived.groups()
    return { ...view, groups, results, unreadable, ...change }
  }

  function show(change?: Partial<PolicyScanView>): void {
    store.set(changed(change))
  }

  function reset(view: PolicyScanView): void {
    running?.abort()
    running = undefined
    arrived = createResultGroups()
    unreadable = 0
    store.set(view)
  }

  function start(): void {
    const controller = new AbortController()
    reset({ ...scanAtRest, state: { is: 'asking' }, startedAt: clock.now() })
    running = controller
    void run(controller.signal)
  }

  function end(state: PolicyScanState): void {
    running = undefined
    show({ state, endedAt: clock.now() })
  }

  async function run(signal: AbortSignal): Promise<void> {
    try {
      const response = await attempts(
        () => {
          if (store.getSnapshot().state.is !== 'asking') show({ state: { is: 'asking' } })
          return send(question, signal)
        },
        {
          clock,
          random,
          signal,
          most: mostAttempts,
          mayRetry: isBusy,
          onWait: ({ problem: { sentence }, until }) => {
            show({ state: { is: 'waiting', until, reason: sentence } })
          },
        },
      )
      if (!signal.aborted) await read(response, signal)
    } catch (error) {
      if (!signal.aborted) end({ is: 'refused', problem: asProblem(error) })
    }
  }

  async function read(response: Response, signal: AbortSignal): Promise<void> {
    show({
      state: { is: 'reading' },
      record: response.headers.get(evaluationHeader) ?? undefined,
    })
    try {
      let since = clock.now()
      for await (const parts of readScanAnswer(response)) {
        if (signal.aborted) return
        const isFirst = arrived.count() === 0
        for (const part of parts) {
          for (const result of part.results) arrived.add(result)
          unreadable += part.unreadable
        }
        const { shortest, longest } = pauseMs
        if (isFirst) show()
        else store.setSoon(Math.min(longest, Math.max(shortest, arrived.count() / 20)), changed)
        if (clock.now() - since < timeSliceMs) continue
        await wait(clock, 0, signal)
        since = clock.now()
      }
      if (!signal.aborted) end({ is: 'done' })
    } catch (error) {
      if (!signal.aborted) end({ is: 'broken', problem: asProblem(error) })
    }
  }

  function open(): () => void {
    return () => {
      if (isRunning(store.getSnapshot().state)) reset(scanAtRest)
    }
  }

  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    run: start,
    cancel: () => {
      if (!isRunning(store.getSnapshot().state)) return
      running?.abort()
      end({ is: 'cancelled' })
    },
  }
}

export interface PolicyScans {
  /** The evaluation of this question: the one from before, so that a step back shows it as it was. */
  readonly open: (question: PolicyScanQuestion) => PolicyScan
}

/** As many as somebody may step back to. */
const mostKept = 12

/** Evaluations, of which the ones opened last are kept. */
export function createPolicyScans(options: PolicyScanOptions): PolicyScans {
  const kept = createKeeper<PolicyScan>(mostKept)
  return {
    open: (question) => {
      const { address, scan, sha256, repositoryUrl } = question
      const key = `${policyScanPath(address, scan)} ${sha256} ${repositoryUrl}`
      return kept.open(key, () => createPolicyScan(question, options))
    },
  }
}

/** Requests an evaluation; resolves when the response begins. */
type SendScan = (question: PolicyScanQuestion, signal: AbortSignal) => Promise<Response>

/** Evaluates through the proxy, each result as it is ready. Throws a ProblemError with the status. */
export function createSendScan(request: StreamedRequest): SendScan {
  return ({ address, scan, sha256, repositoryUrl }, signal) =>
    request(`/upstream/governor${policyScanPath(address, scan)}`, { sha256, repositoryUrl }, signal)
}

/**
 * The parts of an evaluation's answer as they arrive, those that came together in one list. Throws a
 * ProblemError where the answer breaks off, and the first one that a service put into its answer; all
 * results are given before.
 */
export async function* readScanAnswer(
  response: Response,
): AsyncGenerator<readonly PolicyAnswer[], void, undefined> {
  let failure: ProblemError | undefined
  for await (const values of readJsonParts(response, byAttestation)) {
    const parts: PolicyAnswer[] = []
    for (const value of values) {
      const fault = failureOf(value)
      failure ??= fault
      if (fault === undefined) parts.push(value === undefined ? noResult : readPolicyAnswer(value))
    }
    yield parts
  }
  if (failure !== undefined) throw failure
}

/** The first generation of the service answers with one object (protocol/policy-result.ts). */
const byAttestation: NestedValues = {
  lists: 'results',
  head: 'storeUri',
  values: 'evaluations',
  beside: (members, isEmpty) =>
    failureOf(members) === undefined ? leftOut(members, isEmpty) : [members],
}

const noResult: PolicyAnswer = { results: [], unreadable: 1 }

/** The failure that a part reports: a result has its status in words, a problem in digits. */
export function failureOf(value: unknown): ProblemError | undefined {
  const isTold = typeof value === 'object' && value !== null && 'status' in value
  if (!isTold || typeof value.status !== 'number') return undefined
  const fault = ProblemDetail.safeParse(value)
  return fault.success ? new ProblemError(fault.data) : undefined
}

export interface ResultGroups {
  readonly add: (result: PolicyResult) => void
  readonly count: () => number
  /** As `groupByPolicy`; policies without a new result since the last call are the same objects. */
  readonly groups: () => readonly PolicyGroup[]
}

/** No results yet. */
export function createResultGroups(): ResultGroups {
  const growing = new Map<string, GrowingGroup>()
  const given = new Map<string, PolicyGroup>()
  const changed = new Set<string>()
  let count = 0
  return {
    add: (result) => {
      const key = policyKey(result.policyUri)
      const group = growing.get(key)
      if (group === undefined) growing.set(key, createGrowingGroup(key, result))
      else group.add(result)
      changed.add(key)
      count += 1
    },
    count: () => count,
    groups: () => {
      for (const key of changed) {
        const group = growing.get(key)?.soFar()
        if (group !== undefined) given.set(key, group)
      }
      changed.clear()
      return [...given.values()]
    },
  }
}
