import { type Clock, wait } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { PublishAnswer, PublishOutcome } from '../../../protocol/publish-answer.ts'
import { partOfProblem, readPublishParts } from './publish-parts.ts'
import type { AskToPublish } from './publish-request.ts'
import {
  isPublishing,
  nothingPublished,
  type Publisher,
  type PublishQuestion,
  type PublishState,
  type PublishView,
} from './publish-run.ts'

/** Results are told together while they come fast, ms. */
const tellEveryMs = 100
/** After so much work in one go, ms, the browser gets to draw. */
const longestGoMs = 12

/** What publications are made with. */
export interface PublisherOptions {
  readonly ask: AskToPublish
  readonly clock: Clock
}

/**
 * Publishes and keeps what came of it. Nothing is ever sent again by itself: whatever the failure,
 * a part may be stored already.
 */
export function createPublisher({ ask, clock }: PublisherOptions): Publisher {
  const listeners = new Set<() => void>()
  let view = nothingPublished
  let outcomes: PublishOutcome[] = []
  let running: AbortController | undefined
  let stopTelling: (() => void) | undefined

  function tell(change: Partial<PublishView>): void {
    stopTelling?.()
    stopTelling = undefined
    const isNew = outcomes.length !== view.outcomes.length
    const stored = isNew ? outcomes.filter((one) => one.stored).length : view.stored
    view = { ...view, outcomes: isNew ? [...outcomes] : view.outcomes, stored, ...change }
    for (const listener of listeners) listener()
  }

  function take({ outcomes: more, status, unreadable }: PublishAnswer): void {
    for (const one of more) outcomes.push(one)
    view = {
      ...view,
      status: status ?? view.status,
      unreadable: view.unreadable + unreadable,
    }
    if (view.outcomes.length === 0) tell({})
    else
      stopTelling ??= clock.after(tellEveryMs, () => {
        tell({})
      })
  }

  function end(state: PublishState): void {
    running = undefined
    tell({ state, endedAt: clock.now() })
  }

  async function run(question: PublishQuestion, signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted
    try {
      const response = await ask(question, signal)
      if (isOver()) return
      tell({ state: { is: 'reading' } })
      await read(response, signal)
    } catch (error) {
      if (isOver()) return
      const fault = faultOf(error)
      if (view.state.is === 'reading') {
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
    for await (const { answer, problem: told } of readPublishParts(response)) {
      if (signal.aborted) return
      take(answer)
      failure = told ?? failure
      if (clock.now() - since < longestGoMs) continue
      await wait(clock, 0, signal)
      since = clock.now()
    }
    if (signal.aborted) return
    end(failure === undefined ? { is: 'done' } : { is: 'refused', problem: failure })
  }

  return {
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    getSnapshot: () => view,
    publish: (question) => {
      if (isPublishing(view.state)) return
      running = new AbortController()
      outcomes = []
      view = { ...nothingPublished, question, state: { is: 'asking' } }
      tell({})
      void run(question, running.signal)
    },
    cancel: () => {
      if (!isPublishing(view.state)) return
      running?.abort()
      end({ is: 'cancelled' })
    },
    clear: () => {
      if (isPublishing(view.state)) return
      outcomes = []
      view = nothingPublished
      tell({})
    },
  }
}

function faultOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  return new ProblemError(
    problem(500, 'unexpected', 'Unexpected failure', 'Sightline failed to read the answer.'),
    { cause: error },
  )
}
