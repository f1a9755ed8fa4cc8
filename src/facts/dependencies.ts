import { groupedBy } from '../protocol/keyed.ts'
import { type EventData, idAt, isRecord, textAt } from './event.ts'

/** The events that `createDependencyReader` reads. */
export const dependencyEventTypes: readonly string[] = ['ConfigurationResolutionData']

/** A module that a build resolved: "com.google.guava:guava" with its version. */
export interface Dependency {
  readonly module: string
  readonly version: string
}

export interface DependencyReader {
  /** Takes the data of an event of `dependencyEventTypes`, with 64-bit ids as text; there may be several. */
  readonly take: (data: EventData) => void
  /** Each module and version once, by name. */
  readonly list: () => readonly Dependency[]
}

/** Starts without any. Only selected versions count: one that was requested and gave way is no dependency. */
export function createDependencyReader(): DependencyReader {
  const found = new Map<string, Dependency>()
  return {
    take: ({ identities, components }) => {
      if (!isRecord(identities) || !isRecord(components)) return
      for (const component of Object.values(components)) {
        const identity = isRecord(component) ? identities[idAt(component, 'identity') ?? ''] : null
        if (!isRecord(identity)) continue
        const [group, name] = [textAt(identity, 'group'), textAt(identity, 'module')]
        const version = textAt(identity, 'version')
        if (group === null || name === null || version === null) continue
        const module = `${group}:${name}`
        found.set(`${module}:${version}`, { module, version })
      }
    },
    list: () => [...found.values()].sort((a, b) => compareText(a.module, b.module)),
  }
}

/** A module in two builds: its versions, null where it wasn't there. */
export interface ComparedDependency {
  readonly module: string
  readonly left: string | null
  readonly right: string | null
}

/** Modules of which the versions differ, by name. */
export function compareDependencies(
  left: readonly Dependency[],
  right: readonly Dependency[],
): readonly ComparedDependency[] {
  const modules = new Set([...left, ...right].map(({ module }) => module))
  const [one, other] = [versionsOf(left), versionsOf(right)]
  return [...modules]
    .sort(compareText)
    .map((module) => ({
      module,
      left: one.get(module) ?? null,
      right: other.get(module) ?? null,
    }))
    .filter((row) => row.left !== row.right)
}

function versionsOf(dependencies: readonly Dependency[]): Map<string, string> {
  return new Map(
    [...groupedBy(dependencies, ({ module }) => module)].map(([module, all]) => {
      const versions = all.map(({ version }) => version)
      return [module, versions.sort(compareText).join(', ')]
    }),
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
