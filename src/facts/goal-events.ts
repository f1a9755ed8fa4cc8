import { type EventData, idAt, isRecord, numberAt, textAt } from './event-value.ts'
import { type ExecutionOutcome, readOutcome } from './execution-outcome.ts'

/** What an event tells of a goal of Maven. */
export type GoalHappening =
  | {
      readonly kind: 'started'
      readonly named: {
        readonly id: string
        readonly name: string
        readonly className: string | null
      }
    }
  | {
      readonly kind: 'finished'
      readonly id: string
      readonly ending: {
        readonly outcome: ExecutionOutcome
        readonly rawOutcome: string | null
        readonly originMs: number | null
        readonly failureId: string | null
      }
      readonly caching: {
        readonly outcome: ExecutionOutcome
        readonly cacheable: null
        readonly category: string | null
        readonly reason: string | null
      }
    }

/** Reads the events of Maven's goals, which name their project by an id. */
export interface GoalReader {
  readonly read: (type: string, data: EventData) => GoalHappening | undefined
}

/** The events that `createGoalReader` reads. */
export const goalEventTypes: readonly string[] = [
  'MvnProjectStructure',
  'MvnGoalExecutionStarted',
  'MvnGoalExecutionFinished',
]

/** A reader that learns the names of the projects as it reads. */
export function createGoalReader(): GoalReader {
  const projects = new Map<string, string>()

  function started(data: EventData): GoalHappening | undefined {
    const [id, goal] = [idAt(data, 'id'), textAt(data, 'name')]
    if (id === null || goal === null) return undefined
    const project = projects.get(idAt(data, 'projectId') ?? '')
    const execution = textAt(data, 'executionId')
    const words = [project, goal, execution === null ? undefined : `(${execution})`]
    const name = words.filter((word) => word !== undefined).join(' ')
    return { kind: 'started', named: { id, name, className: textAt(data, 'mojoClassName') } }
  }

  function finished(data: EventData): GoalHappening | undefined {
    const id = idAt(data, 'id')
    if (id === null) return undefined
    const rawOutcome = textAt(data, 'outcome')
    const outcome = readOutcome(rawOutcome ?? '')
    return {
      kind: 'finished',
      id,
      ending: {
        outcome,
        rawOutcome,
        originMs: numberAt(data, 'originExecutionTime'),
        failureId: idAt(data, 'failureId'),
      },
      caching: {
        outcome,
        cacheable: null,
        category: textAt(data, 'cachingDisabledReasonCategory'),
        reason: textAt(data, 'nonCacheableReason'),
      },
    }
  }

  return {
    read: (type, data) => {
      if (type === 'MvnGoalExecutionStarted') return started(data)
      if (type === 'MvnGoalExecutionFinished') return finished(data)
      for (const [id, name] of projectNames(data)) projects.set(id, name)
      return undefined
    },
  }
}

function projectNames({ projects }: EventData): [string, string][] {
  const list: unknown[] = Array.isArray(projects) ? projects : []
  return list.filter(isRecord).flatMap((project): [string, string][] => {
    const id = idAt(project, 'id')
    const name = textAt(project, 'name') ?? textAt(project, 'artifactId')
    return id === null || name === null ? [] : [[id, name]]
  })
}
