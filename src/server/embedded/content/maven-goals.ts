import type { BuildPlan } from './build-plan.ts'
import type { Cause } from './jobs.ts'

/** A goal as the lifecycle binds it to a phase. */
export interface Goal {
  readonly name: string
  readonly executionId: string
  readonly mojoClassName: string
  readonly phase: string
  /** How much work it is, compared to other goals. */
  readonly cost: number
  readonly cacheable: boolean
  /** What makes it fail. */
  readonly fails: readonly Cause[]
}

/** The goals that one project runs for the requested phases; one of packaging `pom` has few. */
export function goalsFor(requested: readonly string[], pom: boolean): Goal[] {
  const last = Math.max(...requested.map((phase) => phases.indexOf(phase)))
  return lifecycle.filter(({ phase, name }) => {
    if (phase === 'clean') return requested.includes('clean')
    if (pom && !pomGoals.has(name)) return false
    return phases.indexOf(phase) <= last
  })
}

/**
 * Which of the goals that would run fails, by position, or -1: one that can fail for the build's
 * cause, in the module at fault if there is one.
 */
export function failingGoal(
  { failure }: BuildPlan,
  runs: readonly { readonly goal: Goal; readonly module: { readonly artifactId: string } }[],
): number {
  if (failure === null) return -1
  const canFail = (goal: Goal): boolean => goal.fails.includes(failure.cause)
  const there = runs.findIndex(
    ({ goal, module }) => canFail(goal) && module.artifactId === failure.module,
  )
  return there === -1 ? runs.findIndex(({ goal }) => canFail(goal)) : there
}

const phases = [
  'clean',
  'validate',
  'process-resources',
  'compile',
  'process-test-resources',
  'test-compile',
  'test',
  'package',
  'integration-test',
  'verify',
  'install',
  'deploy',
]

function goal(
  name: string,
  executionId: string,
  mojoClassName: string,
  phase: string,
  cost: number,
  fails: readonly Cause[] = [],
): Goal {
  const cacheable = fails.length > 0
  return { name, executionId, mojoClassName, phase, cost, cacheable, fails }
}

const plugin = 'org.apache.maven.plugins'

const lifecycle: readonly Goal[] = [
  goal('clean:clean', 'default-clean', `${plugin}.clean.CleanMojo`, 'clean', 0.2),
  goal(
    'checkstyle:check',
    'style',
    `${plugin}.checkstyle.CheckstyleViolationCheckMojo`,
    'validate',
    2,
    ['lint'],
  ),
  goal(
    'resources:resources',
    'default-resources',
    `${plugin}.resources.ResourcesMojo`,
    'process-resources',
    0.4,
  ),
  goal('compiler:compile', 'default-compile', `${plugin}.compiler.CompilerMojo`, 'compile', 12, [
    'compile',
    'dependency',
  ]),
  goal(
    'resources:testResources',
    'default-testResources',
    `${plugin}.resources.TestResourcesMojo`,
    'process-test-resources',
    0.2,
  ),
  goal(
    'compiler:testCompile',
    'default-testCompile',
    `${plugin}.compiler.TestCompilerMojo`,
    'test-compile',
    8,
    ['compile'],
  ),
  goal('surefire:test', 'default-test', `${plugin}.surefire.SurefireMojo`, 'test', 45, ['test']),
  goal('jar:jar', 'default-jar', `${plugin}.jar.JarMojo`, 'package', 1),
  goal(
    'failsafe:integration-test',
    'default',
    `${plugin}.failsafe.IntegrationTestMojo`,
    'integration-test',
    70,
    ['test'],
  ),
  goal('install:install', 'default-install', `${plugin}.install.InstallMojo`, 'install', 0.4),
  goal('deploy:deploy', 'default-deploy', `${plugin}.deploy.DeployMojo`, 'deploy', 5),
]

const pomGoals = new Set(['install:install', 'deploy:deploy', 'checkstyle:check'])
