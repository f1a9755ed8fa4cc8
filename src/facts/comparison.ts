import type { Facts } from '../protocol/facts.ts'
import { groupedBy } from '../protocol/keyed.ts'
import type { EnvironmentRow } from './environment.ts'
import type { Execution, ExecutionOutcome } from './execution.ts'

/**
 * What became of an execution from one build to another, what matters most first. `failed` fails now,
 * `still-failed` in both, `fixed` no longer; `ran` was avoided before (from a cache, or up to date) and
 * `avoided` ran before; `outcome` ended otherwise in any other way.
 */
export const changes = [
  'failed',
  'still-failed',
  'fixed',
  'ran',
  'added',
  'removed',
  'outcome',
  'slower',
  'avoided',
  'faster',
  'same',
] as const
export type Change = (typeof changes)[number]

export interface ComparedExecution {
  readonly kind: Execution['kind']
  readonly path: string
  readonly change: Change
  readonly left: Execution | null
  readonly right: Execution | null
  /** How much longer it took on the right, ms; negative where it was faster. */
  readonly differenceMs: number
}

/** What facts of builds are about, in the order in which differences are shown. */
export const factGroups = [
  'Build',
  'Tool and agent',
  'Java',
  'Operating system',
  'Machine',
  'Options',
  'Custom values',
] as const
export type FactGroup = (typeof factGroups)[number]

/** A fact of two builds, as text: undefined where it isn't known, null where the build is known to have none. */
export interface ComparedFact {
  readonly group: FactGroup
  readonly name: string
  readonly left: string | null | undefined
  readonly right: string | null | undefined
  /** Whether the values are the same; a build without one is no different from a build of which none is known. */
  readonly isSame: boolean
}

/** Smaller differences than both of these are the noise of machines. */
const leastMs = 100
const leastShare = 0.2

/**
 * Matches the executions of two builds by kind, path and, where a path repeats, its turn. What
 * matters most comes first, in the order of `changes`; within one, the largest difference in time.
 */
export function compareExecutions(
  left: readonly Execution[],
  right: readonly Execution[],
): readonly ComparedExecution[] {
  const onRight = byTurn(right)
  const compared: ComparedExecution[] = []
  for (const [key, execution] of byTurn(left)) {
    const other = onRight.get(key)
    onRight.delete(key)
    compared.push(other === undefined ? only(execution, 'removed') : both(execution, other))
  }
  for (const execution of onRight.values()) compared.push(only(execution, 'added'))
  return compared.sort(
    (a, b) =>
      changes.indexOf(a.change) - changes.indexOf(b.change) ||
      Math.abs(b.differenceMs) - Math.abs(a.differenceMs),
  )
}

/** Those that took longer by most, of what worked both times; at most `most`. */
export function grownMost(
  compared: readonly ComparedExecution[],
  most: number,
): readonly ComparedExecution[] {
  return compared
    .filter(({ change, kind }) => kind !== 'test' && (change === 'slower' || change === 'ran'))
    .sort((a, b) => b.differenceMs - a.differenceMs)
    .slice(0, most)
}

/** The generic facts of two builds side by side. `duration` puts milliseconds into words. */
export function compareFacts(
  left: Facts,
  right: Facts,
  duration: (ms: number) => string,
): readonly ComparedFact[] {
  const names = [
    'outcome',
    'durationMs',
    'project',
    'requested',
    'user',
    'hostname',
    'buildTool',
  ] as const
  const more = ['buildToolVersion', 'agentVersion', 'tags'] as const
  const facts = [...names, ...more].map((name) => {
    const text = (facts: Facts): Side => {
      const value = facts[name]
      if (value === undefined || value === null) return value
      if (typeof value === 'number') return duration(value)
      return typeof value === 'string' ? value : [...value].sort().join(' ')
    }
    const group = toolFacts.has(name) ? 'Tool and agent' : 'Build'
    return compared(group, factNames[name] ?? name, text(left), text(right))
  })
  const fields = compareEntries(fieldsOf(left), fieldsOf(right), groupOfField)
  const values = compareEntries(valuesOf(left), valuesOf(right), () => 'Custom values')
  return byGroup([...facts, ...fields, ...values])
}

/** What two builds' events or attributes have of where they ran; what differs from run to run is left out. */
export function compareEnvironments(
  left: readonly EnvironmentRow[],
  right: readonly EnvironmentRow[],
): readonly ComparedFact[] {
  const names = new Map(
    [...left, ...right].flatMap(
      ({ group, name }): [string, readonly [FactGroup, string, string]][] => {
        const place = environmentGroups[group]
        if (place === undefined || isFactOfAllTools(name)) return []
        if (group === 'Command' && !ofCommand.has(name)) return []
        return [[`${group}\n${name}`, [place, group, name]]]
      },
    ),
  )
  const text = (rows: readonly EnvironmentRow[], group: string, name: string): Side =>
    rows.find((row) => row.group === group && row.name === name)?.value
  return byGroup(
    Array.from(names.values(), ([place, group, name]) =>
      compared(place, name, text(left, group, name), text(right, group, name)),
    ),
  )
}

const environmentGroups: Readonly<Record<string, FactGroup>> = {
  Command: 'Build',
  Tool: 'Tool and agent',
  Java: 'Java',
  'Operating system': 'Operating system',
  Locale: 'Machine',
  Machine: 'Machine',
  Switches: 'Options',
  'Capture settings': 'Options',
}

/** The rest is what every build has, or the name of the run. */
const ofCommand: ReadonlySet<string> = new Set(['command', 'exit code'])

function byGroup(facts: readonly ComparedFact[]): readonly ComparedFact[] {
  return [...facts].sort((a, b) => factGroups.indexOf(a.group) - factGroups.indexOf(b.group))
}

/** The group of a tool-specific field, by its full name. */
function groupOfField(name: string): FactGroup {
  const [, family = '', own = ''] = name.split('.')
  if (family === 'buildOptions' || family === 'buildCache' || family === 'platformSettings') {
    return 'Options'
  }
  if (family !== 'environment') return 'Tool and agent'
  if (/^(?:jvm|jre)/.test(own)) return 'Java'
  return own === 'operatingSystem' ? 'Operating system' : 'Machine'
}

const toolFacts: ReadonlySet<string> = new Set(['buildTool', 'buildToolVersion', 'agentVersion'])

const factNames: Readonly<Record<string, string>> = {
  durationMs: 'duration',
  hostname: 'host',
  buildTool: 'tool',
  buildToolVersion: 'tool version',
  agentVersion: 'agent version',
}

function byTurn(executions: readonly Execution[]): Map<string, Execution> {
  const turns = new Map<string, number>()
  const found = new Map<string, Execution>()
  for (const execution of executions) {
    const name = `${execution.kind}\n${execution.parent ?? ''}\n${execution.path}`
    const turn = turns.get(name) ?? 0
    turns.set(name, turn + 1)
    found.set(`${name}\n${turn}`, execution)
  }
  return found
}

function only(execution: Execution, change: 'added' | 'removed'): ComparedExecution {
  const { kind, path, durationMs } = execution
  const isLeft = change === 'removed'
  return {
    kind,
    path,
    change: !isLeft && execution.outcome === 'failed' ? 'failed' : change,
    left: isLeft ? execution : null,
    right: isLeft ? null : execution,
    differenceMs: (durationMs ?? 0) * (isLeft ? -1 : 1),
  }
}

function both(left: Execution, right: Execution): ComparedExecution {
  const [before, after] = [left.durationMs ?? 0, right.durationMs ?? 0]
  const differenceMs = after - before
  return {
    kind: left.kind,
    path: left.path,
    change: changeOf(left.outcome, right.outcome) ?? pace(before, after),
    left,
    right,
    differenceMs,
  }
}

/** What changed but the time it took; undefined for nothing. */
function changeOf(before: ExecutionOutcome, after: ExecutionOutcome): Change | undefined {
  if (after === 'failed') return before === 'failed' ? 'still-failed' : 'failed'
  if (before === 'failed') return 'fixed'
  const [wasAvoided, isAvoided] = [avoided.has(before), avoided.has(after)]
  if (before === after || (wasAvoided && isAvoided)) return undefined
  if (wasAvoided && after === 'succeeded') return 'ran'
  return isAvoided && before === 'succeeded' ? 'avoided' : 'outcome'
}

const avoided: ReadonlySet<ExecutionOutcome> = new Set(['from-cache', 'up-to-date'])

function pace(before: number, after: number): Change {
  const difference = Math.abs(after - before)
  if (difference < leastMs || difference < leastShare * Math.max(before, after)) return 'same'
  return after > before ? 'slower' : 'faster'
}

/** The entries of one build, and what those are that it lacks. */
interface Entries {
  readonly entries: readonly (readonly [string, Entry])[]
  readonly absent: null | undefined
}

/** The fields of one tool, but those that say once more what every build has. */
function fieldsOf({ fields = {} }: Facts): Entries {
  const entries = Object.entries(fields)
    .filter(([name]) => !isFactOfAllTools(name))
    .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value] as const)
  return { entries, absent: undefined }
}

/** A build that has ended has no more custom values than these. */
function valuesOf({ values, outcome }: Facts): Entries {
  const isWhole = values !== undefined && outcome !== undefined
  const entries = (values ?? []).map(({ name, value }) => [name, value] as const)
  return { entries, absent: isWhole ? null : undefined }
}

/** Project, tool version and agent version, as the fields and attributes of the tools call them. */
function isFactOfAllTools(name: string): boolean {
  return /^(?:\w+\.(?:(?:rootProject|topLevelProject|project)Name|(?:plugin|extension|agent)Version)|(?:Gradle|Maven|Bazel|npm|Python|sbt|plugin|extension|agent) version)$/.test(
    name,
  )
}

/** Compares them by name; values of one name stand in a list. */
function compareEntries(
  left: Entries,
  right: Entries,
  groupOf: (name: string) => FactGroup,
): ComparedFact[] {
  const [one, other] = [textsByName(left), textsByName(right)]
  const names = new Set([...one.keys(), ...other.keys()])
  const text = ({ absent }: Entries, texts: ReadonlyMap<string, string | null>, name: string) =>
    texts.has(name) ? texts.get(name) : absent
  return Array.from(names, (name) =>
    compared(groupOf(name), name, text(left, one, name), text(right, other, name)),
  )
}

function textsByName({ entries }: Entries): ReadonlyMap<string, string | null> {
  const text = (values: readonly Entry[]) =>
    values.every((value) => value === null) ? null : values.map(String).join(', ')
  const lists = groupedBy(entries, ([name]) => name)
  return new Map(Array.from(lists, ([name, list]) => [name, text(list.map(([, value]) => value))]))
}

type Entry = string | number | boolean | null
type Side = ComparedFact['left']

function compared(group: FactGroup, name: string, left: Side, right: Side): ComparedFact {
  return { group, name, left, right, isSame: (left ?? null) === (right ?? null) }
}
