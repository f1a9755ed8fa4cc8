import type { Project } from './projects.ts'

/** A task of a build, in a list where every task comes after those it depends on. */
export interface Task {
  readonly module: string
  readonly path: string
  readonly className: string
  readonly kind: TaskKind
  /** Positions in the list. */
  readonly dependsOn: readonly number[]
  /** How much work it is, compared to other tasks. */
  readonly cost: number
}

export type TaskKind =
  | 'clean'
  | 'compile'
  | 'resources'
  | 'lifecycle'
  | 'jar'
  | 'test'
  | 'lint'
  | 'format'
  | 'sign'
  | 'publish'

/**
 * The tasks that Gradle runs for `requested` (`check`, `:module:test`), with everything they depend
 * on, across modules as well, and without what is excluded.
 */
export function tasksFor(
  project: Project,
  requested: readonly string[],
  excluded: readonly string[],
): Task[] {
  const tasks: Task[] = []
  const positions = new Map<string, number | null>()
  const clean = requested.includes('clean')

  const need = (module: number, name: string): number | null => {
    const moduleName = project.modules[module]
    if (moduleName === undefined || excluded.includes(name)) return null
    const path = `:${moduleName}:${name}`
    const known = positions.get(path)
    if (known !== undefined) return known
    const kind = kindOf(name, project)
    // Marked before its dependencies are visited, so that a circle could not hang.
    positions.set(path, null)
    const own = kind.needs(project).map((dependency) => need(module, dependency))
    const others = kind.upstream ? upstream(module).map((other) => need(other, 'jar')) : []
    const cleaned = clean && kind.kind === 'compile' ? [need(module, 'clean')] : []
    const dependsOn = [...own, ...others, ...cleaned].filter((position) => position !== null)
    const { className, cost } = kind
    const position =
      tasks.push({ module: moduleName, path, className, kind: kind.kind, dependsOn, cost }) - 1
    positions.set(path, position)
    return position
  }

  for (const request of requested) {
    const qualified = /^:(.+):([^:]+)$/.exec(request)
    for (const [module, moduleName] of project.modules.entries()) {
      if (qualified === null) need(module, request)
      else if (qualified[1] === moduleName) need(module, qualified[2] ?? request)
    }
  }
  return tasks
}

/** The modules that a module is built on, itself included. */
export function modulesBelow(project: Project, module: string): Set<string> {
  const below = new Set<string>()
  const visit = (index: number): void => {
    const name = project.modules[index]
    if (name === undefined || below.has(name)) return
    below.add(name)
    upstream(index).forEach(visit)
  }
  visit(project.modules.indexOf(module))
  return below
}

/** Modules form a tree: each stands on one that comes before it. */
function upstream(module: number): number[] {
  return module > 0 ? [Math.floor((module - 1) / 2)] : []
}

interface KindOfTask {
  readonly kind: TaskKind
  readonly className: string
  readonly cost: number
  /** Tasks of the same module that come before. */
  readonly needs: (project: Project) => readonly string[]
  /** Whether it needs the jars of other modules. */
  readonly upstream?: boolean
}

function kindOf(name: string, project: Project): KindOfTask {
  const main = compileTask(project, '')
  const test = compileTask(project, 'Test')
  if (name === main || name === test) {
    return {
      kind: 'compile',
      className:
        project.language === 'kotlin'
          ? 'org.jetbrains.kotlin.gradle.tasks.KotlinCompile'
          : 'org.gradle.api.tasks.compile.JavaCompile',
      cost: name === main ? 20 : 12,
      needs: () => (name === main ? [] : ['classes']),
      upstream: true,
    }
  }
  return kinds[name] ?? lifecycle([])
}

function compileTask(project: Project, sourceSet: string): string {
  return `compile${sourceSet}${project.language === 'kotlin' ? 'Kotlin' : 'Java'}`
}

function lifecycle(needs: readonly string[]): KindOfTask {
  return {
    kind: 'lifecycle',
    className: 'org.gradle.api.DefaultTask',
    cost: 0.02,
    needs: () => needs,
  }
}

const resources: KindOfTask = {
  kind: 'resources',
  className: 'org.gradle.language.jvm.tasks.ProcessResources',
  cost: 0.3,
  needs: () => [],
}

function testTask(cost: number, needs: readonly string[]): KindOfTask {
  return { kind: 'test', className: 'org.gradle.api.tasks.testing.Test', cost, needs: () => needs }
}

const kinds: Readonly<Record<string, KindOfTask>> = {
  clean: { kind: 'clean', className: 'org.gradle.api.tasks.Delete', cost: 0.2, needs: () => [] },
  processResources: resources,
  processTestResources: resources,
  classes: {
    ...lifecycle([]),
    needs: (project) => [compileTask(project, ''), 'processResources'],
  },
  jar: {
    kind: 'jar',
    className: 'org.gradle.api.tasks.bundling.Jar',
    cost: 1,
    needs: () => ['classes'],
  },
  assemble: lifecycle(['jar']),
  testClasses: {
    ...lifecycle([]),
    needs: (project) => [compileTask(project, 'Test'), 'processTestResources'],
  },
  test: testTask(60, ['testClasses']),
  integrationTest: testTask(150, ['testClasses', 'jar']),
  spotlessCheck: {
    kind: 'lint',
    className: 'com.diffplug.gradle.spotless.SpotlessCheck',
    cost: 3,
    needs: () => [],
  },
  spotlessApply: {
    kind: 'format',
    className: 'com.diffplug.gradle.spotless.SpotlessApply',
    cost: 3,
    needs: () => [],
  },
  detekt: {
    kind: 'lint',
    className: 'io.gitlab.arturbosch.detekt.Detekt',
    cost: 9,
    needs: () => [],
  },
  checkstyleMain: {
    kind: 'lint',
    className: 'org.gradle.api.plugins.quality.Checkstyle',
    cost: 6,
    needs: () => ['classes'],
  },
  check: {
    ...lifecycle([]),
    needs: (project) => [
      'test',
      'spotlessCheck',
      project.language === 'kotlin' ? 'detekt' : 'checkstyleMain',
    ],
  },
  build: lifecycle(['assemble', 'check']),
  signMavenPublication: {
    kind: 'sign',
    className: 'org.gradle.plugins.signing.Sign',
    cost: 0.5,
    needs: () => ['jar'],
  },
  publishMavenPublicationToAcmeRepository: {
    kind: 'publish',
    className: 'org.gradle.api.publish.maven.tasks.PublishToMavenRepository',
    cost: 8,
    needs: () => ['jar', 'signMavenPublication'],
  },
  publish: lifecycle(['publishMavenPublicationToAcmeRepository']),
}
