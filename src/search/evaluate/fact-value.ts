import type { Facts } from '../../protocol/facts.ts'
import type { Field } from '../fields/field.ts'

export type NamedValue = Readonly<NonNullable<Facts['values']>[number]>

/**
 * What a build's facts have for a field. Undefined: not known here. Null: known to have no value, or
 * another tool's field. A list may be empty.
 */
export type FactValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly string[]
  | readonly NamedValue[]

/** How to read the value of a field, resolved once: reading allocates nothing. */
export function factReader(field: Field): (facts: Facts) => FactValue {
  const { name, tool } = field
  if (tool === undefined) return genericReaders.get(name) ?? (() => undefined)
  const fallback = fallbackReader(name)
  return (facts) => {
    if (facts.buildTool !== tool) return null
    const own = facts.fields?.[name]
    return own === undefined ? fallback(facts) : own
  }
}

/** Whether a pattern is also held against the whole list, its entries joined by a space. */
export function isAlsoReadJoined(field: Field): boolean {
  return field.name === 'requested' || fallbackReader(field.name) === requested
}

const requested = (facts: Facts): FactValue => facts.requested
const project = (facts: Facts): FactValue => facts.project
const agentVersion = (facts: Facts): FactValue => facts.agentVersion

const genericReaders = new Map<string, (facts: Facts) => FactValue>([
  ['user', (facts) => facts.user],
  ['hostname', (facts) => facts.hostname],
  ['project', project],
  // What the field was called until 2023.2.3.
  ['rootProjectName', project],
  ['requested', requested],
  ['buildTool', (facts) => facts.buildTool],
  ['buildToolVersion', (facts) => facts.buildToolVersion],
  ['value', (facts) => facts.values],
  ['tag', (facts) => facts.tags],
  ['buildOutcome', (facts) => facts.outcome],
  ['buildDuration', (facts) => facts.durationMs],
  ['buildStartTime', (facts) => facts.startTime],
  ['hasVerificationFailure', (facts) => failureKind(facts, facts.hasVerificationFailure)],
  ['hasNonVerificationFailure', (facts) => failureKind(facts, facts.hasNonVerificationFailure)],
])

/** Only a build that failed has a kind of failure: for a succeeded one it is null. */
function failureKind(facts: Facts, reported: boolean | null | undefined): FactValue {
  return reported === undefined && facts.outcome === 'succeeded' ? null : reported
}

/** The generic fact that the fields of a tool repeat under the tool's own word for it. */
function fallbackReader(name: string): (facts: Facts) => FactValue {
  const own = name.slice(name.indexOf('.') + 1)
  return toolWords.get(own) ?? (() => undefined)
}

const toolWords = new Map<string, (facts: Facts) => FactValue>([
  ['rootProjectName', project],
  ['topLevelProjectName', project],
  ['projectName', project],
  ['requestedTasks', requested],
  ['requestedGoals', requested],
  ['requestedTargets', requested],
  ['requestedCommands', requested],
  ['pluginVersion', agentVersion],
  ['extensionVersion', agentVersion],
  ['agentVersion', agentVersion],
])
