import { type Clock, wait } from '../../../protocol/clock.ts'
import { type PackageAddress, publishPath } from '../../../protocol/package-address.ts'
import { ProblemDetail, ProblemError } from '../../../protocol/problem.ts'
import {
  type PublishAnswer,
  type PublishOutcome,
  readPublishAnswer,
  withoutRepeats,
  worseStatus,
} from '../../../protocol/publish-answer.ts'
import { asProblem } from '../core/attempts.ts'
import { readJsonParts } from '../core/json-parts.ts'
import type { StreamedRequest } from '../core/request.ts'
import { createStore, type Readable } from '../core/store.ts'

/** What is attested of which package (docs/services.md#publish). */
export interface PublishQuestion {
  readonly address: PackageAddress
  /** Lower-case hex. */
  readonly sha256: string
  readonly repositoryUrl: string
  readonly builds: readonly string[]
  /** In the search language, as the server is to get them. */
  readonly queries: readonly string[]
}

type PublishState =
  /** Nothing was published in this tab yet. */
  | { readonly is: 'idle' }
  | { readonly is: 'asking' }
  | { readonly is: 'reading' }
  | { readonly is: 'done' }
  /** Nobody listens any more; the service may go on, and what is stored stays stored. */
  | { readonly is: 'cancelled' }
  /** The answer broke off after it had begun. */
  | { readonly is: 'broken'; readonly problem: ProblemError }
  /** The service says that it failed; what it stored before is reported all the same. */
  | { readonly is: 'refused'; readonly problem: ProblemError }

/** A publication at one moment; replaced as a whole when anything changes. */
export interface PublishView {
  readonly state: PublishState
  /** What was requested; undefined before anything was. */
  readonly question: PublishQuestion | undefined
  /** What became of each attestation, in the order of the answer. */
  readonly outcomes: readonly PublishOutcome[]
  /** How many of them are stored. */
  readonly stored: number
  /** A word for the whole, of servers that report no single outcomes. */
  readonly status: string | null
  /** Parts of the answer that say nothing that could be read. */
  readonly unreadable: number
  /** Epoch ms; undefined while it goes on. */
  readonly endedAt: number | undefined
}

/** The publications of this tab, one at a time; the last one is kept while pages come and go. */
export interface Publisher extends Readable<PublishView> {
  /** Publishes, unless a publication is going on: one can not be undone, so none starts by accident. */
  readonly publish: (question: PublishQuestion) => void
  /** Stops listening; what has arrived stays. */
  readonly cancel: () => void
  /** Forgets the last one, unless it is going on. */
  readonly clear: () => void
}

export const nothingPublished: PublishView = {
  state: { is: 'idle' },
  question: undefined,
  outcomes: [],
  stored: 0,
  status: null,
  unreadable: 0,
  endedAt: undefined,
}

/** Whether a publication is going on. */
export function isPublishing({ is }: PublishState): boolean {
  return is === 'asking' || is === 'reading'
}

/** Results are shown together while they come fast, ms. */
const pauseMs = 100
/** After so much work in one go, ms, the browser gets to draw. */
const timeSliceMs = 12

export interface PublisherOptions {
  readonly send: SendPublication
  readonly clock: Clock
}

/** Publishes, and keeps what came of it. Nothing is sent again by itself: a part may be stored already. */
export function createPublisher({ send, clock }: PublisherOptions): Publisher {
  const store = createStore(nothingPublished, { clock })
  let outcomes: PublishOutcome[] = []
  /** The URIs of attestations among them. */
  let seen = new Set<string>()
  let status: string | null = null
  let unreadable = 0
  let running: AbortController | undefined

  function changed(change: Partial<PublishView> = {}): PublishView {
    const view = store.getSnapshot()
    const isNew = outcomes.length !== view.outcomes.length
    const stored = isNew ? outcomes.filter((one) => one.stored).length : view.stored
    const all = isNew ? [...outcomes] : view.outcomes
    return { ...view, outcomes: all, stored, status, unreadable, ...change }
  }

  function reset(view: PublishView): void {
    outcomes = []
    seen = new Set()
    status = null
    unreadable = 0
    store.set(view)
  }

  function take(answer: PublishAnswer): void {
    for (const one of withoutRepeats(answer.outcomes, seen)) outcomes.push(one)
    status = worseStatus(status, answer.status)
    unreadable += answer.unreadable
    if (store.getSnapshot().outcomes.length === 0) store.set(changed())
    else store.setSoon(pauseMs, changed)
  }

  function end(state: PublishState): void {
    running = undefined
    store.set(changed({ state, endedAt: clock.now() }))
  }

  async function run(question: PublishQuestion, signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted
    try {
      const response = await send(question, signal)
      if (isOver()) return
      store.set(changed({ state: { is: 'reading' } }))
      await read(response, signal)
    } catch (error) {
      if (isOver()) return
      const fault = asProblem(error)
      if (store.getSnapshot().state.is === 'reading') {
        end({ is: 'broken', problem: fault })
        return
      }
      take(partOfProblem(fault).answer)
      end({ is: 'refused', problem: fault })
    }
  }

  async function read(response: Response, signal: AbortSignal): Promise<void> {
    let failure: ProblemError | undefined
    let since = clock.now()
    try {
      for await (const part of readPublishParts(response)) {
        if (signal.aborted) return
        take(part.answer)
        failure = part.problem ?? failure
        if (clock.now() - since < timeSliceMs) continue
        await wait(clock, 0, signal)
        since = clock.now()
      }
    } catch (error) {
      // The last line says what broke off behind it; the connection only that something did.
      throw failure ?? error
    }
    if (signal.aborted) return
    end(failure === undefined ? { is: 'done' } : { is: 'refused', problem: failure })
  }

  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    publish: (question) => {
      if (isPublishing(store.getSnapshot().state)) return
      running = new AbortController()
      reset({ ...nothingPublished, question, state: { is: 'asking' } })
      void run(question, running.signal)
    },
    cancel: () => {
      if (!isPublishing(store.getSnapshot().state)) return
      running?.abort()
      end({ is: 'cancelled' })
    },
    clear: () => {
      if (!isPublishing(store.getSnapshot().state)) reset(nothingPublished)
    },
  }
}

type SendPublication = (question: PublishQuestion, signal: AbortSignal) => Promise<Response>

/** Publishes through the proxy, each result as it is ready. Throws a ProblemError with the status. */
export function createSendPublication(request: StreamedRequest): SendPublication {
  return (question, signal) =>
    request(`/upstream/governor${publishPath(question.address)}`, publishBody(question), signal)
}

/** The body of a publish request (docs/services.md#publish); `buildScan` only where something is selected. */
export function publishBody({ sha256, repositoryUrl, builds, queries }: PublishQuestion): object {
  const isSelecting = builds.length + queries.length > 0
  return {
    sha256,
    repositoryUrl,
    ...(isSelecting ? { buildScan: { ids: builds, queries } } : {}),
  }
}

/** What one part of a response reports; with the problem where the service says in it that it failed. */
export interface PublishPart {
  readonly answer: PublishAnswer
  readonly problem: ProblemError | undefined
}

const nothing: PublishAnswer = { outcomes: [], status: null, unreadable: 0 }

/** The parts of a publication's answer as they arrive, in any shape. Throws a ProblemError where it breaks off. */
async function* readPublishParts(response: Response): AsyncGenerator<PublishPart, void, undefined> {
  for await (const values of readJsonParts(response)) {
    for (const value of values) {
      // A result has its status in words, a problem in digits.
      const fault = ProblemDetail.safeParse(value)
      yield fault.success
        ? partOfProblem(new ProblemError(fault.data))
        : { answer: readPublishAnswer(value), problem: undefined }
    }
  }
}

/** What a failure reports: with `successes` and `errors` a partial one (docs/services.md#publish-responses). */
function partOfProblem(fault: ProblemError): PublishPart {
  const { successes, errors } = fault.problem
  const isTelling = Array.isArray(successes) || Array.isArray(errors)
  return { answer: isTelling ? readPublishAnswer(fault.problem) : nothing, problem: fault }
}
