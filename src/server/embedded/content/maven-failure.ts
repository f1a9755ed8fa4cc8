import type { BuildPlan } from './build-plan.ts'
import { type StackFrame, thrown, type ThrownException } from './exception-events.ts'
import type { Failure } from './failure.ts'
import type { RanGoal } from './maven-run.ts'
import type { Random } from './seeded-random.ts'

/** What a failed Maven build throws; `failed` is the goal that failed, if one did. */
export function mavenFailureOf(
  plan: BuildPlan,
  failure: Failure,
  failed: RanGoal | null,
  random: Random,
): ThrownException {
  const [className, message] = causeOf(plan, failure)
  const cause = thrown(random, className, message, { frames: mavenFrames })
  if (failed === null) return cause
  const { goal, module } = failed
  return thrown(
    random,
    'org.apache.maven.lifecycle.LifecycleExecutionException',
    `Failed to execute goal ${goal.name} (${goal.executionId}) on project ${module.artifactId}: ${message}`,
    { causes: [cause], frames: mavenFrames },
  )
}

function causeOf({ project }: BuildPlan, failure: Failure): readonly [string, string] {
  const { test, line, module } = failure
  switch (failure.cause) {
    case 'test':
      return [
        'org.apache.maven.plugin.MojoFailureException',
        `There are test failures. ${test.className}.${test.name}:${line} expected: <${line}> but was: <${line + 1}>`,
      ]
    case 'compile':
      return [
        'org.apache.maven.plugin.compiler.CompilationFailureException',
        `Compilation failure\n${module}/src/main/java/${project.subjects[0] ?? 'Main'}.java:[${line},9] cannot find symbol\n`,
      ]
    case 'lint':
      return [
        'org.apache.maven.plugin.MojoFailureException',
        `You have ${1 + (line % 9)} Checkstyle violations.`,
      ]
    case 'dependency':
      return [
        'org.apache.maven.lifecycle.LifecycleExecutionException',
        `Could not resolve dependencies for project com.acme.${project.name}:${module}: Could not transfer artifact com.acme:bom:pom:2.4 from/to acme (https://artifacts.acme.example/maven): status code: 503`,
      ]
    case 'configuration':
      return [
        'org.apache.maven.model.building.ModelBuildingException',
        `1 problem was encountered while building the effective model for com.acme.${project.name}:${module}: 'dependencies.dependency.version' is missing. @ line ${line}, column 17`,
      ]
  }
}

const mavenFrames: readonly StackFrame[] = [
  ['org.apache.maven.lifecycle.internal.MojoExecutor', 'execute', 'MojoExecutor.java', 333],
  ['org.apache.maven.DefaultMaven', 'execute', 'DefaultMaven.java', 294],
  ['org.apache.maven.cli.MavenCli', 'main', 'MavenCli.java', 206],
  ['java.lang.reflect.Method', 'invoke', 'Method.java', 580],
]
